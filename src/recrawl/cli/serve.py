"""``recrawl serve``: the frontier as a service, for crawlers that already exist."""

import argparse
import asyncio
import gc
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

/docs on that address describes all calls; docs/service.md explains them.
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
    add = parser.add_argument
    add("--data", metavar="DIR", required=True, help="the folder of the frontier; made where there is none")
    add("--rate", metavar="RATE", help="pages in all, such as 50/s (as it was; no limit at first)")
    add("--gap", metavar="SECONDS", help="between two fetches of a host, such as 1s (as it was; 0 at first)")
    add("--max-in-flight", metavar="N", type=int, help="pages of a host leased at once (as it was; no limit at first)")
    add("--listen", metavar="ADDRESS:PORT", default="127.0.0.1:8700", help="default: 127.0.0.1:8700; port 0: any")
    signals = parser.add_argument_group("sites and hubs that tell of changes")
    add = signals.add_argument
    add("--indexnow", action="store_true", help="take IndexNow pings at /indexnow; keys are checked at the sites")
    add("--public-url", metavar="URL", help="where WebSub hubs reach this service; feeds: POST /v1/subscriptions")
    add("--contact", metavar="TEXT", default="", help="mail or URL, named when keys and hubs are fetched")
    add("--allow-private", action="store_true", help="fetch keys also from this machine and from private networks")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry out the command."""
    from recrawl.cli.compiling import load_kernels
    from recrawl.cli.progress import Progress

    try:
        from recrawl.server.hearing import Wanted
        from recrawl.server.serving import Service, serve
        from recrawl.server.tokens import Tokens
    except ImportError as error:
        raise MissingExtraError("recrawl serve", "server") from error
    hears = Wanted(args.indexnow, args.public_url, args.contact, args.allow_private)
    hears.check()
    options = _options(args)

    def opened() -> "Frontier":
        from recrawl.frontier import Frontier

        load_kernels(lambda text: print(text, file=sys.stderr, flush=True), sys.stderr)
        with Progress(sys.stderr) as progress:
            progress.stage("opening")
            frontier = Frontier.open(args.data, **options)
        # What is there now stays: looking for garbage among it would stop everything for a tenth of a second.
        gc.collect()
        gc.freeze()
        return frontier

    async def main() -> None:
        service = Service(opened, lambda it: it.close(), args.listen, Tokens(args.data), hears, args.data)
        await serve(service, lambda url: print(f"listening on {url}", flush=True))

    asyncio.run(main())
    return 0


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """Settings of the frontier that were given."""
    from recrawl.crawler import amounts

    options: dict[str, Any] = {}
    if args.rate is not None:
        options["rate"] = amounts.rate("rate", args.rate, or_0=True)
    if args.gap is not None:
        options["gap"] = amounts.seconds("gap", args.gap)
    if args.max_in_flight is not None:
        options["max_in_flight"] = args.max_in_flight
    return options
