"""Asks a service all the while whether it answers, from a process of its own: what others wait for does not count."""

import multiprocessing
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from recrawl.bench.talking import Timing, get
from recrawl.clock import seconds

EVERY_S = 0.01
PATIENCE_S = 30.0


@contextmanager
def pinged(host: str, port: int) -> Iterator[list[Timing]]:
    """Ping a service until the end of the block; all pings are in the list then."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_ping, args=(host, port, theirs), daemon=True)
    process.start()
    theirs.close()  # so that the end of that process is the end of the pipe
    timings: list[Timing] = []
    try:
        ours.recv()
        yield timings
        ours.send(None)
        timings += ours.recv()
        process.join(PATIENCE_S)
    finally:
        process.kill()
        process.join()
        ours.close()


def _ping(host: str, port: int, pipe: Connection) -> None:
    timings = []
    request = get("/healthz")
    with socket.create_connection((host, port), timeout=PATIENCE_S) as line:
        pipe.send(None)
        while not pipe.poll(EVERY_S):
            begun = seconds()
            line.sendall(request)
            line.recv(4096)
            timings.append(Timing("ping", begun, seconds()))
    pipe.send(timings)
