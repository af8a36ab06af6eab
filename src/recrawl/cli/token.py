"""``recrawl token``: who may ask a service, and for what."""

import argparse
from typing import Any

from recrawl.cli import layout
from recrawl.cli.help import Help
from recrawl.errors import MissingExtraError

_DESCRIPTION = """\
Make, list and revoke the tokens of a service. From the first one on every request needs one, also when all are
revoked, and recrawl serve may listen on addresses that others reach. A token is shown once, when it is made; only its
hash is kept. A running service knows of new and revoked tokens within a second.

Scopes: read looks; work also adds pages, tells of signals, leases and completes; admin also forgets pages and sets the
rate and the politeness of hosts.
"""

_EPILOG = """\
examples:
  recrawl token add crawler --scope work --data data
  recrawl token list --data data
  recrawl token revoke crawler --data data
  curl -s https://frontier.example/v1/rate -H 'authorization: Bearer rc_...'
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "token",
        help="make, list and revoke tokens of a service",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="make a token and show it")
    add.add_argument("name", metavar="NAME", help="what it is for")
    add.add_argument("--scope", choices=("read", "work", "admin"), default="work", help="default: work")
    add.set_defaults(act=_add)
    shown = actions.add_parser("list", help="names, scopes and ages")
    shown.set_defaults(act=_list)
    revoke = actions.add_parser("revoke", help="make a token invalid")
    revoke.add_argument("name", metavar="NAME")
    revoke.set_defaults(act=_revoke)
    for each in (add, shown, revoke):
        each.add_argument("--data", metavar="DIR", required=True, help="the folder of the service's frontier")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry out the command."""
    args.act(args)
    return 0


def _tokens() -> Any:
    try:
        from recrawl.server import tokens
    except ImportError as error:
        raise MissingExtraError("recrawl token", "server") from error
    return tokens


def _add(args: argparse.Namespace) -> None:
    print(_tokens().made(args.data, args.name, args.scope))


def _revoke(args: argparse.Namespace) -> None:
    _tokens().revoked(args.data, args.name)
    print(f"{args.name} is revoked")


def _list(args: argparse.Namespace) -> None:
    from datetime import UTC, datetime

    tokens = _tokens()
    tokens.check_folder(args.data)
    known = tokens.read(args.data)
    if not known:
        print("no tokens; recrawl token add makes one")
        return
    rows = [[each.name, each.scope, f"{datetime.fromtimestamp(each.made, UTC):%Y-%m-%d %H:%M} UTC"] for each in known]
    print("\n".join(layout.table(["name", "scope", "made"], rows, layout.columns())))
