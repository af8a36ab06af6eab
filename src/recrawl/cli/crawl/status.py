"""``recrawl status``: how a crawl stands, while it runs and after."""

import argparse
from typing import Any

from recrawl.cli.help import Help

_DESCRIPTION = """\
Print the state of the crawl in a folder, as 'recrawl run' last wrote it there: about every second while it runs.
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "status", help="what a crawl is doing, or did last", description=_DESCRIPTION, formatter_class=Help
    )
    parser.add_argument("folder", metavar="DIR", help="the folder given to 'recrawl run --data'")
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.cli import layout
    from recrawl.crawler import lines
    from recrawl.crawler.status import read

    status = read(args.folder)
    if args.json:
        print(lines.json_line(status))
    else:
        print("\n".join(layout.pairs(lines.facts(status), layout.columns())))
