"""Whom the commands call: a service by its URL, or the frontier in a folder."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Union

from recrawl.cli.frontier.folders import check_folder, unused
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.client import Client
    from recrawl.frontier import Frontier

RETRIES = 2
"""Who sits and waits wants to hear soon that nobody is there."""
TOKEN = "RECRAWL_TOKEN"

AnyFrontier = Union["Client", "Frontier"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`--server URL` or `--data DIR`, one of both."""
    group = parser.add_argument_group("whom to call")
    which = group.add_mutually_exclusive_group(required=True)
    which.add_argument("--server", metavar="URL", help="a service, such as http://127.0.0.1:8700 (recrawl serve)")
    which.add_argument("--data", metavar="DIR", help="or the folder of a frontier that no process has open")
    group.add_argument("--token", metavar="T", help=f"for a service that wants one (default: ${TOKEN})")


@contextmanager
def opened(args: argparse.Namespace, *, make: bool = False) -> Iterator[AnyFrontier]:
    """The service or the frontier; a folder that is not there is made only where that is meant."""
    if args.server:
        from recrawl.client import Client

        with Client(args.server, args.token or os.environ.get(TOKEN) or None, retries=RETRIES) as client:
            yield client
        return
    if args.token:
        raise InputError("--token goes with --server", argument="token")
    if not make:
        check_folder(args.data)
    with unused(args.data, "ask it, if it is a service: --server URL"), _loaded(args.data) as frontier:
        yield frontier


@contextmanager
def _loaded(folder: str) -> "Iterator[Frontier]":
    from recrawl.cli.progress import Progress

    with Progress(sys.stderr) as progress:
        progress.stage("loading")
        from recrawl.frontier import Frontier

        frontier = Frontier.open(folder)
    with frontier:
        yield frontier
