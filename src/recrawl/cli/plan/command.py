"""``recrawl plan``: what a bandwidth buys, and what the change signals are worth."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from recrawl.cli.help import Help
from recrawl.errors import InputError
from recrawl.files.cells import number

if TYPE_CHECKING:
    from recrawl.files.pages import PagesFile
    from recrawl.optimal.plan import Plan

EXAMPLE_RATE = 100.0

# The curve reaches eight times the rate and the saving a millionth of it: neither may leave the floating-point range.
_LEAST, _MOST = 1e-300, 1e300

_DESCRIPTION = """\
Read pages, and print the best freshness that RATE crawls per unit of time can reach, with and without
change signals, what fraction of the crawls the signals save, and the freshness-against-bandwidth curve.
"""

_EPILOG = """\
the pages file:
  CSV (also .csv.gz) with a header, or Parquet (.parquet, .pq). One row a page. Columns, in any order:

  change_rate         changes per unit of time (required); the same unit as --rate
  url (or page)       the page's name in --out, each once (default: its row number, from 0)
  importance          request rate or any weight (default 1)
  recall              share of the changes that come with a signal, 0 to 1 (default 0)
  false_signal_rate   signals with no change behind them, per unit of time (default 0)
  precision           share of the signals with a change behind them, 0 to 1; in place of
                      false_signal_rate, and only together with recall

  Other columns are ignored, and named in a note.

examples:
  recrawl plan --example
  recrawl plan pages.csv --rate 5000
  recrawl plan pages.csv --rate 5000 --plot curve.png --out plan.csv
  recrawl plan pages.parquet --rate 5000 --floor 0.01 --json
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "plan",
        help="what a crawl rate buys, and what the signals are worth",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("pages", metavar="PAGES", nargs="?", help="CSV or Parquet file, one row a page; - for stdin")
    parser.add_argument("--example", action="store_true", help="use the built-in instance of 1,000 pages")
    parser.add_argument(
        "--rate", metavar="R", type=number, help=f"crawls per unit of time (with --example: {EXAMPLE_RATE:g})"
    )
    parser.add_argument(
        "--floor", metavar="F", type=number, default=0.0, help="least crawl rate of every page (default 0)"
    )
    parser.add_argument("--out", metavar="FILE", help="write each page's plan to FILE (.csv or .parquet; - for stdout)")
    parser.add_argument("--plot", metavar="FILE", help="draw the curve into FILE (.png, .svg or .pdf)")
    parser.add_argument("--no-curve", action="store_true", help="skip the curve, the slow part")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command; every complaint that needs no solving comes before the solving."""
    _check(args)
    from recrawl.cli import picture, standard
    from recrawl.cli.plan import file as plan_file
    from recrawl.cli.plan import plot as curve_plot
    from recrawl.files import columns as columns_file

    sources, outputs = {"the pages file": args.pages}, {"--out": args.out}
    standard.check(sources, outputs, as_json=args.json)
    if args.out is not None:
        columns_file.check_target("--out", args.out, sources)
    if args.plot is not None:
        picture.check_target(args.plot, sources)
    file = _read(args)
    notes = [f"ignored columns: {file.ignored_text()}"] if file.ignored else []

    plan = _solve(file, args)
    if args.out is not None:
        plan_file.write(args.out, plan.with_signals, file.urls)
        notes.append(f"wrote {len(file.pages):,} pages to {standard.written(args.out)}")
    if args.plot is not None and plan.curve:
        curve_plot.save(args.plot, plan.curve)
        notes.append(f"drew the curve into {args.plot}")
    with standard.report_beside(outputs):
        _print(plan, file.path, notes, as_json=args.json)


def _check(args: argparse.Namespace) -> None:
    if args.example == (args.pages is not None):
        raise InputError("give either a pages file or --example; see 'recrawl plan --help'", argument="pages")
    if args.rate is None:
        if not args.example:
            raise InputError("--rate is missing; give the crawls per unit of time, e.g. --rate 100", "rate")
        args.rate = EXAMPLE_RATE
    if not 0 < args.rate < float("inf"):
        raise InputError(f"--rate must be positive and finite, got {args.rate:g}", argument="rate")
    if not _LEAST <= args.rate <= _MOST:
        raise InputError(
            f"--rate must be in [{_LEAST:g}, {_MOST:g}], got {args.rate:g}; use another unit of time", argument="rate"
        )
    if not 0 <= args.floor < float("inf"):
        raise InputError(f"--floor must be finite and not negative, got {args.floor:g}", argument="floor")
    if args.floor > args.rate:
        raise InputError(f"--floor must not exceed --rate, got {args.floor:g} and {args.rate:g}", argument="floor")
    if args.plot is not None and args.no_curve:
        raise InputError("--plot draws the curve that --no-curve skips; drop one of them", argument="plot")


def _read(args: argparse.Namespace) -> "PagesFile":
    from recrawl.files.pages import PagesFile, read

    if not args.example:
        return read(args.pages)
    from recrawl.cli.example import example_pages

    return PagesFile("built-in example", example_pages())


def _solve(file: "PagesFile", args: argparse.Namespace) -> "Plan":
    from recrawl.cli.progress import Progress
    from recrawl.optimal.plan import make_plan

    try:
        with Progress(sys.stderr) as progress:
            return make_plan(file.pages, args.rate, args.floor, curve=not args.no_curve, progress=progress)
    except InputError as error:
        raise file.located(error) from error


def _print(plan: "Plan", source: str, notes: list[str], *, as_json: bool) -> None:
    from recrawl.cli.plan import report

    if as_json:
        print(report.as_json(plan, source))
        for note in notes:  # stdout holds nothing but the JSON
            print(f"note: {note}", file=sys.stderr)
    else:
        report.show(plan, source, notes)
