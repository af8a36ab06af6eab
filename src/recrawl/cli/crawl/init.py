"""``recrawl init``: a commented settings file to begin with."""

import argparse
import os
from typing import Any

from recrawl.cli.help import Help
from recrawl.errors import InputError

_DESCRIPTION = """\
Write a settings file for 'recrawl run --config', with all settings and what they mean.
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "init", help="write a commented settings file", description=_DESCRIPTION, formatter_class=Help
    )
    parser.add_argument("file", metavar="FILE", nargs="?", default="recrawl.toml", help="default: recrawl.toml")
    parser.add_argument("--site", metavar="URL", action="append", default=[], help="where a site begins")
    parser.add_argument("--rate", metavar="RATE", default="1/s", help="requests in all, such as 5/s (1/s)")
    parser.add_argument("--contact", metavar="MAIL|URL", default="", help="whom people may ask about the crawler")
    parser.add_argument("--data", metavar="DIR", default="data", help="where everything is kept (data)")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.crawler.settings import Settings
    from recrawl.crawler.settings_file import template
    from recrawl.files.whole import whole_text

    Settings(sites=tuple(args.site), rate=args.rate, contact=args.contact, data=args.data)
    if os.path.exists(args.file) and not args.force:
        raise InputError(f"FILE must be a new one, got {args.file}, which is there; --force replaces it", "file")
    with whole_text(args.file) as file:
        file.write(template(tuple(args.site), args.rate, args.contact, args.data))
    print(f"wrote {args.file}; look at it, then: recrawl run --config {args.file}")
