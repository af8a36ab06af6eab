"""``recrawl serve``: the frontier as a service, for crawlers that already exist."""

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING, Any

from recrawl.cli.help import Help
from recrawl.errors import MissingExtraError

if TYPE_CHECKING:
    from recrawl.frontier import Frontier

_DESCRIPTION = """\
Serve a frontier over HTTP: programs in any language add pages, tell of signals, lease pages to fetch and say what came
of them. All of it survives a crash. The same address shows a dashboard in a browser.

Only this machine is served, unless there are tokens: recrawl token makes them.
"""

_EPILOG = """\
examples:
  recrawl serve --data data --rate 50/s
  curl -s 127.0.0.1:8700/v1/pages -H 'content-type: application/json' -d '{"urls": ["https://example.org/"]}'
  curl -s 127.0.0.1:8700/v1/lease -H 'content-type: application/json' -d '{"n": 10, "wait": 30}'
  curl -s 127.0.0.1:8700/v1/complete -H 'content-type: application/json' -d '{"tokens": [1], "digest": "v1"}'

/openapi describes all calls; docs/service.md explains them.
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "serve",
        help="the frontier as a service over HTTP, with a dashboard",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument(
        "--data", metavar="DIR", required=True, help="the folder of the frontier; made where there is none"
    )
    parser.add_argument("--rate", metavar="RATE", help="pages in all, such as 50/s (as it was; no limit at first)")
    parser.add_argument(
        "--listen", metavar="ADDRESS:PORT", default="127.0.0.1:8700", help="default: 127.0.0.1:8700; port 0: any"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry out the command."""
    from recrawl.cli.progress import Progress
    from recrawl.crawler.amounts import rate as rate_of

    try:
        from recrawl.server.doors import listen_address
        from recrawl.server.serving import serve
        from recrawl.server.tokens import Tokens
    except ImportError as error:
        raise MissingExtraError("recrawl serve", "server") from error
    listen_address(args.listen)
    options: dict[str, Any] = {} if args.rate is None else {"rate": rate_of("rate", args.rate)}

    def opened() -> "Frontier":
        with Progress(sys.stderr) as progress:
            progress.stage("loading, or compiling at the first time")
            from recrawl.frontier import Frontier, warm_up

            warm_up()
            return Frontier.open(args.data, **options)

    asyncio.run(serve(opened, args.listen, lambda url: print(f"listening on {url}", flush=True), Tokens(args.data)))
    return 0
