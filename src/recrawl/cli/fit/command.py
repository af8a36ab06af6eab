"""``recrawl fit``: how often pages change and what their signals are worth, from crawl logs."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from recrawl.cli.help import Help
from recrawl.errors import InputError, UndeterminedError
from recrawl.files.cells import number

if TYPE_CHECKING:
    from recrawl.cli.fit.frame import Frame
    from recrawl.learn import Calibration, LogFile, PageFits

_DESCRIPTION = """\
Read crawl logs, and estimate for each page how often it changes, which share of the changes comes with a
signal, and how many signals are false. Pages with few crawls lean on their group. Writes a pages file
that 'recrawl plan' reads.
"""

_EPILOG = """\
the log:
  CSV (also .csv.gz) with a header, or Parquet (.parquet, .pq). One row a crawl, in any order:

  page (or url)   which page (required)
  time            when, a number in any unit, or a date (then rates are per day)
  changed         1 if the crawl found the page changed since the one before, else 0; blank: not known,
                  as when the fetch failed: the next crawl that compares takes on its time and signals
  elapsed         time since the crawl before, failed or not, in place of what the times say; blank: first
                  visit. Not together with --start
  signals         how many signals came meanwhile, in place of a signal log; where it is blank, the signals
                  that the same file holds (kind signal) are counted
  kind            crawl or signal, where both are in one file
  host            or any other column: what --by groups pages by

  A signal log has page, time, perhaps source, and happened where signals say when the page changed: then
  their latency is shown, too. The first crawl of a page only starts its clock, unless
  --start says that all pages were crawled then. Rows that cannot be used are counted and the first ones shown.
  Where signals name two to eight sources, the recall and precision of each are shown.

examples:
  recrawl fit crawls.csv --signals signals.csv --by host --out pages.parquet
  recrawl fit log.parquet --start 0 --plot calibration.png
  recrawl fit log.csv --pages pages.csv --out learned.csv
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "fit",
        help="change rates and signal quality from crawl logs",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("log", metavar="LOG", help="CSV or Parquet file, one row a crawl; - for stdin")
    parser.add_argument("--signals", metavar="LOG", help="file of signals, one row a signal")
    parser.add_argument("--by", metavar="COLUMN", help="group pages by this column: host, source or another")
    parser.add_argument("--start", metavar="T", help="all pages were crawled at T (a number or a date, as in the log)")
    parser.add_argument(
        "--coincidence",
        metavar="W",
        type=number,
        help="signals of several sources within W of each other tell of one change (default 0: the same moment)",
    )
    parser.add_argument(
        "--pages",
        metavar="FILE",
        help="existing pages file: --out keeps its order, its importance and its pages that the log does not know",
    )
    parser.add_argument("--out", metavar="FILE", help="write the pages to FILE (.csv or .parquet; - for stdout)")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw predicted against observed change into FILE (.png, .svg or .pdf)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command; every complaint that needs no reading comes before the reading."""
    from recrawl.cli import picture, standard
    from recrawl.cli.fit import file as fit_file
    from recrawl.cli.fit import plot as calibration_plot
    from recrawl.cli.fit import report as fit_report
    from recrawl.cli.fit.frame import Frame
    from recrawl.files import columns as columns_file
    from recrawl.files import opening
    from recrawl.learn.logs.labels import UNLABELLED
    from recrawl.learn.logs.tables import UNNAMED

    sources = {"the log": args.log, "the signal log": args.signals, "the pages file": args.pages}
    outputs = {"--out": args.out}
    standard.check(sources, outputs, as_json=args.json)
    if args.out is not None:
        columns_file.check_target("--out", args.out, sources)
    if args.plot is not None:
        picture.check_target(args.plot, sources)
    if args.pages is not None and args.out is None:
        raise InputError("--pages says what --out writes; give --out FILE, too", argument="pages")
    frame = None if args.pages is None else Frame.read(args.pages)
    file, fitted, checked = _estimate(args, frame)
    notes = list(file.malformed.lines())
    if args.coincidence is not None and file.sources.coincidences is None:
        notes.append("--coincidence does nothing: the log does not name two to eight sources of signals with times")
    if args.by == "source" and {UNLABELLED, UNNAMED}.issuperset(file.log.labels["source"]):
        notes.append("--by source does nothing: no signal of the log names its source, in a column source")
    if args.out is not None:
        written = fitted if frame is None else frame.around(fitted)
        fit_file.write(args.out, written, args.by, file)
        notes.append(f"wrote {len(written.names):,} pages to {standard.written(args.out)}")
    if frame is not None:
        notes += frame.notes(file.log)
        fitted = frame.without(fitted, file)
    if args.plot is not None:
        if checked is None:
            raise UndeterminedError("--plot needs pages with two intervals or more, to predict one from the other")
        calibration_plot.save(args.plot, checked)
        notes.append(f"drew the calibration into {args.plot}")
    source = opening.shown(args.log)
    if args.json:
        print(fit_report.as_json(file, fitted, checked, source))
        for note in notes:  # stdout holds nothing but the JSON
            print(f"note: {note}", file=sys.stderr)
    else:
        with standard.report_beside(outputs):
            fit_report.show(file, fitted, checked, source, notes)


def _estimate(args: argparse.Namespace, frame: "Frame | None") -> "tuple[LogFile, PageFits, Calibration | None]":
    from recrawl.cli.progress import Progress
    from recrawl.learn import calibration, fit_pages, read_log

    with Progress(sys.stderr) as progress:
        file = read_log(
            args.log,
            args.signals,
            args.by,
            args.start,
            lambda rows: progress.stage(f"reading: {rows:,} rows"),
            args.coincidence or 0.0,
        )
        if len(file.log) == 0:
            raise UndeterminedError(
                "the log holds no two crawls of a page of which the later compared, so nothing can be estimated"
                + file.malformed.told()
            )
        progress.stage(f"fitting {len(file.log.names):,} pages")
        if frame is not None:
            fitted = frame.fit(file, args.by)
        else:
            fitted = fit_pages(file.log, args.by, observed_time=file.observed_time, n_signals=file.n_signals)
        progress.stage("predicting each half of the crawls from the other")
        try:
            checked = calibration(file.log, args.by)
        except UndeterminedError:  # no page with two intervals
            checked = None
    return file, fitted, checked
