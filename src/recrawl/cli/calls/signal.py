"""``recrawl signal``: pages may have changed."""

import argparse
from collections import Counter
from typing import Any

from recrawl.cli.calls import counting, rows, where
from recrawl.cli.help import Help

_DESCRIPTION = """\
Tell a service, or the frontier in a folder, that pages may have changed. How far a source is to be trusted is learned;
a page is not fetched at every signal.
"""

_EPILOG = f"""\
lines:
{rows.LINES}
  Of an object, all but url may be missing:
  url             the page
  happened        when it changed: seconds since 1970, or a text such as 2026-01-31 or 2026-01-31T12:00:00Z

what becomes of signals:
  heard           it counts
  old             of a change from before the last fetch: it weighs nothing
  repeated        the same source said the same before
  unknown         there is no such page

examples:
  recrawl signal https://example.org/news --source editors --server http://127.0.0.1:8700
  psql -Atc 'select url from updated' | recrawl signal --source database --server http://127.0.0.1:8700
"""
KINDS: rows.Kinds = {"url": rows.TEXT, "happened": (*rows.NUMBER, *rows.TEXT)}
WORDS = {
    "heard": "heard",
    "old": "old",
    "repeated": "repeated",
    "unknown": "of unknown pages",
    "refused": "left out",
}


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "signal",
        help="tell a service or a folder that pages may have changed",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    rows.add_options(parser, "pages, or files of them")
    parser.add_argument(
        "--source", metavar="NAME", default="signals", help="kind of the source, such as sitemap (default: signals)"
    )
    where.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    reading = rows.Reading(args.given, KINDS, skip_bad=args.skip_bad)
    counts: Counter[str] = Counter()
    with reading.begun() as chunks, where.opened(args) as frontier:
        for some in chunks:
            urls = [row.fields["url"] for row in some]
            with reading.done(some):
                done = frontier.signal(urls, args.source, rows.column(some, "happened"), skip_bad=args.skip_bad)
            counts.update(heard=done.heard, old=done.old, repeated=done.repeated, unknown=len(done.unknown))
            for bad in done.refused:
                reading.leave_out(some[bad.item], f"{bad.reason}, got {bad.url!r}")
    counts["refused"] = reading.left_out
    reading.tell()
    counting.show("signals", counts, WORDS, args.json)
