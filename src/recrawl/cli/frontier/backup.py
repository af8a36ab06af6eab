"""``recrawl backup``: a copy of a frontier's folder, whole or not there."""

import argparse
import sys
from typing import Any

from recrawl.cli.frontier.folders import check_folder, unused
from recrawl.cli.help import Help
from recrawl.errors import DataError

_DESCRIPTION = """\
Copy a frontier into a new folder: the last snapshot and all facts since. Everything is checked on the way. DIR is not
changed, and no process may have it open; one that has can make a copy itself, without stopping: Frontier.backup.
"""

_EPILOG = """\
the copy:
  It gets its name when it is whole; until then it is called FOLDER.incomplete. It opens like the folder it is a copy
  of. What is only kept for 'recrawl export' (the folder history) is not copied.

example:
  recrawl backup data/ backups/2026-11-16
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "backup",
        help="copy a frontier into a new folder",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("folder", metavar="DIR", help="the folder of a frontier")
    parser.add_argument("target", metavar="FOLDER", help="the copy: a new folder, or an empty one")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.cli.progress import Progress
    from recrawl.store import check, salvage

    check_folder(args.folder)
    with unused(args.folder), Progress(sys.stderr) as progress:
        progress.stage("checking")
        report = check(args.folder)
        if not report.journals:
            raise DataError("holds no frontier", args.folder)
        if not report.is_good:
            raise DataError(
                f"is damaged; recrawl check {args.folder} says how, and with --save-to saves what is good", args.folder
            )
        progress.stage("copying")
        salvage(args.folder, args.target)
    print(f"copied {args.folder}, {report.last:,} groups of facts, to {args.target}")
