"""``recrawl run``: keep the pages of sites fresh."""

import argparse
import asyncio
import signal
import sys
from typing import TYPE_CHECKING, Any

from recrawl.cli.crawl.options import add_options, settings_of
from recrawl.cli.help import Help
from recrawl.errors import InputError, MissingExtraError, StoppedEarlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from recrawl.crawler.crawler import Crawler
    from recrawl.crawler.settings import Settings
    from recrawl.crawler.status import Status
    from recrawl.frontier import Frontier

_DESCRIPTION = """\
Fetch the pages of sites again and again, so that the copies are as fresh as the rate allows. Pages are found in
sitemaps and feeds; how often each changes, and what signals are worth, is learned. Ctrl-C stops; the next run goes on.
"""

_EPILOG = """\
examples:
  recrawl run --site https://example.org/ --rate 1/s --data data --contact me@example.org
  recrawl run --config recrawl.toml             settings from a file, which 'recrawl init' writes
  recrawl run --config recrawl.toml --dry-run   what would happen
  recrawl status data                           its state, while it runs and after
  recrawl changes data --follow                 what changed

Exit status: 0 stopped, or done with --once; 1 with --once where not one page could be fetched; 2 something asked for is
wrong; 130 stopped before it had begun, or at once.
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "run", help="keep the pages of sites fresh", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=Help
    )
    parser.add_argument("--config", metavar="FILE", help="settings, TOML; options win over them")
    add_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and fetch nothing")
    parser.add_argument("--json-log", action="store_true", help="log as JSON, a line each")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry out the command."""
    settings = settings_of(args)
    settings.check_ready()
    if settings.data is None:
        raise InputError("data must name a folder to keep everything in, got none; give --data DIR", argument="data")
    beside = service_of(settings, lambda url: setattr(crawler, "serves", url))
    if args.dry_run:  # after all that a run would refuse
        from recrawl.crawler.dry_run import told

        print("\n".join(told(settings)))
        return 0
    from recrawl.crawler.crawler import Crawler
    from recrawl.crawler.view import view

    with view(sys.stderr, as_json=args.json_log) as shown:
        crawler = Crawler(settings, on_status=shown.show, prepare=lambda: _prepare(settings, shown.say), beside=beside)
        last = asyncio.run(_until_interrupted(crawler))
        shown.show(last)
    return 1 if crawler.brought_nothing else 0


def service_of(
    settings: "Settings", at: "Callable[[str], None]"
) -> "Callable[[Frontier], Coroutine[Any, Any, None]] | None":
    """The service beside the crawl, where one is asked for."""
    if settings.serve is None:
        return None
    try:
        from recrawl.server.along import along
        from recrawl.server.doors import check_tokens, listen_address
        from recrawl.server.tokens import Tokens
    except ImportError as error:
        raise MissingExtraError("recrawl run --serve", "server") from error
    tokens = None if settings.data is None else Tokens(settings.data)
    check_tokens(listen_address(settings.serve, "serve")[0], tokens)  # before anything is fetched
    return along(settings.serve, settings.data, at)


def _prepare(settings: "Settings", say: "Callable[[str], None]") -> None:
    """Have kernels ready; who has little to read need not wait for them where they must be compiled."""
    from recrawl.cli.compiling import MEANWHILE, load_kernels
    from recrawl.crawler.kept import Kept
    from recrawl.frontier.warming import is_compiled, start_at_once

    folder = Kept.frontier_of(settings)
    if start_at_once(folder):
        say(MEANWHILE)
    elif folder is not None or not is_compiled():
        load_kernels(say, sys.stderr)


async def _until_interrupted(crawler: "Crawler") -> "Status":
    """Run; the first Ctrl-C or SIGTERM stops, the second one at once."""
    loop = asyncio.get_running_loop()
    running = asyncio.ensure_future(crawler.run())

    def interrupted(name: str) -> None:
        if crawler.stopping:
            running.cancel()
        else:
            crawler.stop(name)

    for number, name in ((signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")):
        loop.add_signal_handler(number, interrupted, name)
    try:
        return await running
    except (asyncio.CancelledError, StoppedEarlyError):
        raise KeyboardInterrupt from None
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
