"""``recrawl import``: pages into a frontier, new or existing."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from recrawl.cli.frontier.folders import unused
from recrawl.cli.help import Help
from recrawl.errors import DataError, InputError
from recrawl.files.cells import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recrawl.cli.frontier.page_lists import Chunk
    from recrawl.cli.progress import Progress
    from recrawl.files.malformed import Malformed

_DESCRIPTION = """\
Put pages into the frontier in DIR, which is made where there is none. Pages that it knows already are not doubled:
importance and max_age, where given, replace what they were.
"""

_EPILOG = """\
the file:
  CSV (also .csv.gz) or Parquet with a header, NDJSON (an object a line), or a plain list with a URL a line. - reads
  stdin. Columns, in any order; all but url may be missing, or blank:

  url (or page)   the page (required)
  importance      how much it matters that the page is fresh, beside others (that of an average page)
  every           seconds between two changes, as a hint for new pages, or a word as in sitemaps: always, hourly,
                  daily, weekly, monthly, yearly, never
  change_rate     changes a day, in place of every: as 'recrawl export' writes it, and 'recrawl fit' where times
                  are dates
  max_age         seconds after which the page is fetched before all others
  group (or host) name of the host that politeness counts for (the URL's own)

  Everything is checked before anything is put in. A bad row is an error that names its line; with --skip-bad such
  rows are counted, and the others are put in.

  Outcomes of earlier crawls cannot be put in. What they teach can: estimate it with 'recrawl fit', and import the
  pages file that it writes; change_rate is a hint that the first crawls soon overrule.

examples:
  recrawl import data/ pages.csv --rate 50
  xmllint --xpath '//*[local-name()="loc"]/text()' sitemap.xml | recrawl import data/ -
  recrawl fit log.csv --out pages.csv && recrawl import data/ pages.csv
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "import",
        help="put pages into a frontier, from a table or a list of URLs",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("folder", metavar="DIR", help="the folder of a frontier; made where it is not there")
    parser.add_argument("file", metavar="FILE", help="CSV, Parquet, NDJSON or a URL a line; - for stdin")
    parser.add_argument(
        "--rate", metavar="R", type=number, help="pages a second from now on (default: as it was, or none)"
    )
    parser.add_argument("--skip-bad", action="store_true", help="leave out bad rows instead of refusing the file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.cli import layout
    from recrawl.cli.frontier import page_lists
    from recrawl.cli.progress import Progress
    from recrawl.files.malformed import Malformed
    from recrawl.files.whole import STANDARD
    from recrawl.frontier import Frontier, Settings

    settings = {} if args.rate is None else {"rate": args.rate}
    Settings(**settings)
    with Progress(sys.stderr) as progress:
        malformed = Malformed()
        if args.file == STANDARD:  # which cannot be read twice
            held = list(page_lists.read(args.file, malformed))
            chunks: Callable[[], Iterator[Chunk]] = lambda: iter(held)  # noqa: E731
            total = sum(len(chunk.urls) for chunk in held)
        else:
            chunks = lambda: page_lists.read(args.file, Malformed())  # noqa: E731
            total = _count(page_lists.read(args.file, malformed), progress)
        _refuse(malformed, total, args)
        with (
            unused(args.folder, "have it add the pages with Frontier.add"),
            Frontier.open(args.folder, **settings) as frontier,
        ):
            new, known = _add(frontier, chunks(), total, progress)
            pages, rate = len(frontier), frontier.rate
            progress.stage("writing everything down")
    notes = list(malformed.lines())
    if rate is None:
        notes.append("the frontier has no rate, so that all pages may be leased at once; --rate sets one")
    width = layout.columns()
    words = f"pages: {new:,} new, {known:,} known before, {pages:,} in all in {args.folder}"
    for line in (*layout.lines(words, width), *layout.notes(notes, width)):
        print(line)


def _count(chunks: "Iterator[Chunk]", progress: "Progress") -> int:
    total = 0
    for chunk in chunks:
        total += len(chunk.urls)
        progress.stage(f"checking: {total:,} pages")
    return total


def _refuse(malformed: "Malformed", total: int, args: argparse.Namespace) -> None:
    if len(malformed) and not args.skip_bad:
        more = f", and {len(malformed) - 1:,} more rows are bad" if len(malformed) > 1 else ""
        raise InputError(f"{malformed.examples[0]}{more}; --skip-bad leaves them out", argument="file")
    if not total:
        from recrawl.files.opening import shown

        raise DataError(f"holds no pages{malformed.told()}", shown(args.file))


def _add(frontier: Any, chunks: "Iterator[Chunk]", total: int, progress: "Progress") -> tuple[int, int]:
    from recrawl.urls import host_of

    new = known = done = 0
    for chunk in chunks:
        if not chunk.urls:
            continue
        groups = None
        if any(chunk.group):
            groups = [group or host_of(url) for url, group in zip(chunk.urls, chunk.group, strict=True)]
        added = frontier.add(
            chunk.urls, importance=chunk.importance, every=chunk.every, max_age=chunk.max_age, group=groups
        )
        new, known, done = new + added.new, known + added.known, done + len(chunk.urls)
        progress.stage(f"{done:,} of {total:,} pages")
    return new, known
