"""``recrawl export``: a frontier's pages and past as tables."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from recrawl.cli.frontier.folders import check_folder, unused
from recrawl.cli.help import Help
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.cli.progress import Progress
    from recrawl.files.streams import Row, Write
    from recrawl.frontier.export import TraceMaker
    from recrawl.frontier.history import History

FORMATS = ("csv", "parquet", "ndjson")
NAMES = ("pages", "crawls", "signals", "trace")

_DESCRIPTION = """\
Write the pages of a frontier, its crawls and its signals into a folder as tables that the other commands read: ask
"what if" of your own past. DIR is the folder of a frontier that no process has open; it is not changed.
"""

_EPILOG = """\
the files (rates are per day):
  pages     one row a page: url, host, change_rate, importance, recall, false_signal_rate as they were learned,
            crawled, crawls, changes, state (new: never fetched, copy, gone) and more. For 'recrawl plan',
            'simulate' and 'next'. Pages that are gone are left out, unless --gone
  crawls    one row a fetch: url, time, changed (1, 0, blank: not compared), elapsed since the fetch before, in
            days, result. For 'recrawl fit' and 'next'
  signals   one row a signal that was heard: url, time, source, happened. For 'recrawl fit --signals'
  trace     changes and signals of the pages in order of time, in days since the first. For 'simulate --trace'.
            A fetch finds that a page changed, not when: the moment is what a signal said, if one did, else
            drawn evenly between two fetches

  The past goes back as far as the journal is kept (Frontier.open(..., history=bytes)); the output says from when.
  CSV and Parquet are read by the other commands; NDJSON is for other programs and for 'recrawl import'.

examples:
  recrawl export data/ --out tables
  recrawl fit tables/crawls.csv --signals tables/signals.csv --by host --out fitted.csv
  recrawl simulate tables/pages.csv --rate 50000 --trace tables/trace.csv
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "export",
        help="a frontier's pages, crawls and signals as tables",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("folder", metavar="DIR", help="the folder of a frontier")
    parser.add_argument("--out", metavar="FOLDER", required=True, help="where to write; made where it is not there")
    parser.add_argument(
        "--format", metavar="FORMAT", choices=FORMATS, default="csv", help=f"{', '.join(FORMATS)} (default csv)"
    )
    parser.add_argument("--gone", action="store_true", help="pages that are gone, too")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.cli import layout
    from recrawl.cli.progress import Progress
    from recrawl.files import streams
    from recrawl.frontier import export
    from recrawl.frontier.history import History
    from recrawl.frontier.rebuilding import rebuilt
    from recrawl.store import reading

    check_folder(args.folder)
    streams.check_format(args.format)
    _make(args.out, args.folder)
    paths = {name: os.path.join(args.out, f"{name}.{args.format}") for name in NAMES}
    with unused(args.folder), reading(args.folder) as store, Progress(sys.stderr) as progress, ExitStack() as files:
        progress.stage("rebuilding the frontier")
        state = rebuilt(store).state
        write = {
            name: files.enter_context(streams.writing(paths[name], columns))
            for name, columns in zip(NAMES, (export.PAGES, export.CRAWLS, export.SIGNALS, export.TRACE), strict=True)
        }
        urls: list[str] = []
        for rows in export.page_rows(state, gone=args.gone):
            write["pages"](rows)
            urls += [row[0] for row in rows]
            progress.stage(f"{len(urls):,} pages")
        history, trace = History(store.history, state), export.TraceMaker(urls)
        counts = _write_past(history, trace, write, progress)
        events = 0
        for rows in trace.rows():
            write["trace"](rows)
            events += len(rows)
        notes = [*store.notes, *_notes(state, history, counts, trace, args)]
    if not events:
        notes.append("the trace is empty: no change was found between two fetches, and no signal heard")
    wrote = {"pages": len(urls), "crawls": counts["crawls"], "signals": counts["heard"], "trace": events}
    width = layout.columns()
    for line in (
        *layout.pairs([(paths[name], f"{count:,} rows") for name, count in wrote.items()], width),
        *layout.notes(notes, width),
    ):
        print(line)


def _make(out: str, folder: str) -> None:
    if os.path.exists(out) and not os.path.isdir(out):
        raise InputError(f"--out must be a folder, got the file {out!r}", argument="out")
    os.makedirs(out, exist_ok=True)
    if os.path.samefile(out, folder):
        raise InputError(f"--out must not be DIR itself, got {out!r}; name another folder", argument="out")


def _write_past(
    history: "History", trace: "TraceMaker", write: "dict[str, Write]", progress: "Progress"
) -> dict[str, int]:
    from recrawl.frontier.export import crawl_row, signal_row
    from recrawl.frontier.history import Crawl

    counts = dict.fromkeys(("crawls", "heard", "old", "repeated"), 0)
    progress.stage("looking for the beginning of the past")
    with _gathered(write["crawls"], progress) as crawls, _gathered(write["signals"], progress) as signals:
        for event in history:
            if isinstance(event, Crawl):
                counts["crawls"] += 1
                crawls(crawl_row(event))
                trace.crawl(event)
                continue
            counts[event.word] += 1
            if event.word == "heard":
                signals(signal_row(event))
                trace.signal(event)
    return counts


@contextmanager
def _gathered(write: "Write", progress: "Progress") -> "Iterator[Any]":
    """A function that takes a row, and writes many at once."""
    from recrawl.frontier.export import ROWS

    rows: list[Row] = []
    written = 0

    def add(row: "Row") -> None:
        nonlocal written
        rows.append(row)
        if len(rows) >= ROWS:
            write(rows)
            written += len(rows)
            rows.clear()
            progress.stage(f"{written:,} events")

    yield add
    write(rows)


def _notes(
    state: Any, history: "History", counts: dict[str, int], trace: "TraceMaker", args: argparse.Namespace
) -> Iterator[str]:
    from datetime import UTC, datetime

    from recrawl.frontier.kept.book import GONE

    gone = int((state.book.state == GONE).sum())
    if gone and not args.gone:
        yield f"pages left out because they are gone: {gone:,}; --gone writes them, too"
    if counts["crawls"] + counts["heard"] == 0:
        yield "the journal holds no crawls and no signals: there is no past to ask of"
        return
    since = datetime.fromtimestamp(trace.begins, UTC).isoformat(sep=" ", timespec="minutes")
    yield f"the past goes back to {since}, {(state.now - trace.begins) / 86_400.0:,.1f} days"
    left = [f"{counts[word]:,} {word}" for word in ("old", "repeated") if counts[word]]
    if left:
        yield f"signals that weigh nothing were left out: {', '.join(left)}"
    if history.unnamed:
        yield f"{history.unnamed:,} events of pages whose URLs are not known were left out"
