"""``recrawl rate``: how many pages may be fetched."""

import argparse
from typing import Any

from recrawl.cli.calls import where
from recrawl.cli.help import Help

_DESCRIPTION = """\
Show how many pages a service, or the frontier in a folder, gives out in a time; or set it. It holds at once.
"""

_EPILOG = """\
examples:
  recrawl rate --server http://127.0.0.1:8700
  recrawl rate 50/s --server http://127.0.0.1:8700
  recrawl rate 0 --server http://127.0.0.1:8700   no page until another rate is set
  recrawl rate none --data data/                  no limit
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "rate",
        help="show or set how many pages may be fetched",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("rate", metavar="RATE", nargs="?", help="such as 50/s, 1000/h, 0 or none (default: show it)")
    where.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.crawler.amounts import rate as read
    from recrawl.crawler.lines import speed

    wanted = None if args.rate is None else read("rate", args.rate, or_0=True)
    with where.opened(args) as frontier:
        if args.rate is not None:
            frontier.set_rate(wanted)
        print(speed(frontier.rate))
