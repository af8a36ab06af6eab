"""``recrawl lease``: pages to be fetched now."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from recrawl.cli.calls import where
from recrawl.cli.help import Help
from recrawl.clock import seconds as now
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.frontier import Batch, Frontier

_DESCRIPTION = """\
Lease pages to be fetched now, best first, and never more than the rate allows. Nobody else gets them until 'recrawl
complete' tells what came of them, or the lease has expired.
"""

_EPILOG = """\
output:
  A line of JSON for each page:
  url             what to fetch
  token           to be given back with the outcome
  expires         when it is offered again where nothing was told, in seconds since 1970
  first           true where it was never fetched before
  etag            to be sent as If-None-Match, where there is one
  last_modified   to be sent as If-Modified-Since, where there is one

  Where no page is due, nothing is printed, and the exit status is 0.

examples:
  recrawl lease -n 10 --wait 30 --server http://127.0.0.1:8700
  recrawl lease -n 100 --data data/ | my-fetcher | recrawl complete --data data/
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "lease",
        help="pages to be fetched now, as NDJSON",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("-n", metavar="N", type=int, default=1, help="at most so many pages (default: 1)")
    parser.add_argument("--wait", metavar="TIME", default="0", help="wait so long for the first, such as 30s (0)")
    parser.add_argument("--lasts", metavar="TIME", help="how long the lease lasts, such as 10m (as is usual there)")
    where.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.client import Client
    from recrawl.crawler.amounts import seconds

    if args.n < 1:
        raise InputError(f"-n must be at least 1, got {args.n}", argument="n")
    wait = seconds("--wait", args.wait)
    lasts = None if args.lasts is None else seconds("--lasts", args.lasts)
    with where.opened(args) as frontier:
        if isinstance(frontier, Client):
            batch = frontier.lease(args.n, seconds=lasts, wait=wait)
        else:
            batch = _waited(frontier, args.n, lasts, wait)
    for line in _lines(batch):
        print(line)
    if not len(batch):
        print(f"no page is due; ask again in {batch.wait:g} s, or give --wait", file=sys.stderr)


def _waited(frontier: "Frontier", n: int, lasts: float | None, wait: float) -> "Batch":
    until = now() + wait
    while True:
        batch = frontier.lease(n, seconds=lasts)
        left = until - now()
        if len(batch) or left <= 0.0:
            return batch
        time.sleep(min(batch.wait, left))


def _lines(batch: "Batch") -> Iterator[str]:
    for page in batch:
        fields = {"url": page.url, "token": page.token, "expires": batch.expires}
        marks = {"etag": page.validators.etag, "last_modified": page.validators.last_modified}
        more = {"first": page.first, **marks}
        yield json.dumps(fields | {name: value for name, value in more.items() if value}, ensure_ascii=False)
