"""``recrawl changes``: the feed of what a crawl found changed."""

import argparse
import sys
import threading
from typing import Any

from recrawl.cli.crawl.folders import check_crawl, check_folder, feed_of, shown, when
from recrawl.cli.help import Help
from recrawl.errors import InputError

POLL_S = 0.2

_DESCRIPTION = """\
Print the pages that a crawl found new, changed, gone or moved, in order. DIR is the folder of the crawl (recrawl run
--data DIR), which may be running.
"""

_EPILOG = """\
the feed:
  Changes are numbered: 1, 2, 3, ... Keep the number of the last one you have dealt with, and ask for those after it
  with --since: nothing is missed, and nothing comes twice. The feed itself is the file changes.ndjson in DIR, a line
  of JSON for each change; --json prints these lines.

examples:
  recrawl changes data/ --since 1204
  recrawl changes data/ --follow --json | my-indexer
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "changes",
        help="the feed of what a crawl found changed",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("folder", metavar="DIR", help="the folder of a crawl")
    parser.add_argument("--since", metavar="ID", type=int, default=0, help="only changes after this one (default: all)")
    parser.add_argument("--follow", action="store_true", help="go on with those to come, until interrupted")
    parser.add_argument("--json", action="store_true", help="print the lines of the feed as they are")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.outputs.changes import Change, lines

    if args.since < 0:
        raise InputError(f"--since must be the id of a change, or 0, got {args.since}", "since")
    if args.follow:
        check_folder(args.folder)  # the crawl may be about to begin
    else:
        check_crawl(args.folder)
    for line in lines(feed_of(args.folder), args.since, _wait if args.follow else None):
        if args.json:
            sys.stdout.write(line.decode("utf-8", "replace"))
        else:
            print(_for_people(Change.of_line(line)))
        if args.follow:
            sys.stdout.flush()


def _wait() -> None:
    sys.stdout.flush()
    threading.Event().wait(POLL_S)


def _for_people(change: Any) -> str:
    to = f" -> {shown(change.moved_to)}" if change.moved_to else ""
    return f"{change.id:>8}  {when(change.time)}  {change.kind:<7}  {shown(change.url)}{to}"
