"""``recrawl add``: pages to be kept fresh."""

import argparse
from collections import Counter
from typing import Any

from recrawl.cli.calls import counting, rows, where
from recrawl.cli.help import Help

_DESCRIPTION = """\
Add pages to a service or to the folder of a frontier, which is made where it is not there. Pages known already are not
doubled.
"""

_EPILOG = f"""\
lines:
{rows.LINES}
  Of an object, all but url may be missing:
  url             the page
  importance      how much it matters that the page is fresh, beside others (that of an average page)
  every           seconds between two changes, as a hint for new pages
  max_age         seconds after which the page is fetched before all others
  group           name of the host that politeness counts for (the URL's own)

examples:
  recrawl add https://example.org/ https://example.org/news --server http://127.0.0.1:8700
  recrawl add urls.txt more.ndjson.gz --server http://127.0.0.1:8700
  my-finder | recrawl add --data data/
"""
KINDS: rows.Kinds = {
    "url": rows.TEXT,
    "importance": rows.NUMBER,
    "every": rows.NUMBER,
    "max_age": rows.NUMBER,
    "group": rows.TEXT,
}
WORDS = {"new": "new", "known": "known before", "refused": "left out"}


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "add",
        help="add pages to a service or a folder",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    rows.add_options(parser, "pages, or files of them")
    where.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    reading = rows.Reading(args.given, KINDS, skip_bad=args.skip_bad)
    counts: Counter[str] = Counter()
    with reading.begun() as chunks, where.opened(args, make=True) as frontier:
        for some in chunks:
            with reading.done(some):
                done = frontier.add(
                    [row.fields["url"] for row in some],
                    importance=rows.numbers(some, "importance"),
                    every=rows.numbers(some, "every"),
                    max_age=rows.numbers(some, "max_age"),
                    group=_groups(some),
                    skip_bad=args.skip_bad,
                )
            counts.update(new=done.new, known=done.known)
            for bad in done.refused:
                reading.leave_out(some[bad.item], f"{bad.reason}, got {bad.url!r}")
    counts["refused"] = reading.left_out
    reading.tell()
    counting.show("pages", counts, WORDS, args.json)


def _groups(some: list[rows.Row]) -> list[str] | None:
    """Of rows of which some name a group: the others have the host of their URL."""
    groups = rows.column(some, "group")
    if groups is None:
        return None
    from recrawl.urls import host_of, normalise_all

    spelled, _ = normalise_all([row.fields["url"] for row in some])
    return [group or ("none" if url is None else host_of(url)) for group, url in zip(groups, spelled, strict=True)]
