"""What the living web bears: python tools/livingweb_load.py [HOSTS] [PAGES_A_HOST] [SECONDS].

Starts it with so many hosts and pages, asks for pages over 64 connections that are kept alive, each waiting for its
answer before the next request, and prints requests a second and the memory of the server's process.
"""

import asyncio
import os
import sys
from functools import partial

from recrawl.clock import seconds
from recrawl.livingweb import LivingWeb, many

CONNECTIONS = 64


class Asking(asyncio.Protocol):
    """One connection: asks, reads the answer, asks again."""

    def __init__(self, requests: list[bytes], counts: list[int]) -> None:
        self._requests, self._counts, self._at = requests, counts, 0
        self._buffer, self._need = b"", -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio calls this."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        self._transport.write(self._requests[self._at])
        self._at = (self._at + 1) % len(self._requests)
        self._buffer, self._need = b"", -1

    def data_received(self, data: bytes) -> None:
        """Asyncio calls this."""
        self._buffer += data
        if self._need < 0:
            at = self._buffer.find(b"\r\n\r\n")
            if at < 0:
                return
            head = self._buffer[:at].lower()
            begin = head.index(b"content-length:") + 15
            end = head.find(b"\r\n", begin)
            self._need = at + 4 + int(head[begin : end if end >= 0 else at])
        if len(self._buffer) >= self._need:
            self._counts[0] += 1
            self._ask()


def _one(asking: Asking) -> Asking:
    return asking


async def ask(port: int, requests: list[bytes], limit: float) -> float:
    """Requests a second."""
    loop, counts = asyncio.get_running_loop(), [0]
    asking = [Asking(requests[k::CONNECTIONS], counts) for k in range(CONNECTIONS)]
    made = [await loop.create_connection(partial(_one, one), "127.0.0.1", port) for one in asking]
    counts[0], begun = 0, seconds()
    await asyncio.sleep(limit)
    rate = counts[0] / (seconds() - begun)
    for transport, _ in made:
        transport.abort()
    return rate


def computed(pid: int) -> float:
    """Seconds that a process has computed for."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> str:
    """Resident memory of a process, now and at its most."""
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        found = dict(line.split(":", 1) for line in lines)
    now, most = (int(found[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return f"{now:,.0f} MiB, at most {most:,.0f} MiB"


def main(hosts: int = 1000, pages: int = 100, limit: int = 10) -> None:
    """Print the figures."""
    begun = seconds()
    plans = many(hosts, pages)
    with LivingWeb(plans, lasting=600.0) as web:
        print(f"{hosts:,} hosts, {hosts * pages:,} pages, listening after {seconds() - begun:.1f} s")
        print(f"memory at the start: {memory(web.pid)}")
        plain = {plan.name for plan in plans if not plan.chunked and not plan.gzip}
        requests = [
            f"GET {path} HTTP/1.1\r\nHost: {host.plan.name}.localhost\r\nUser-Agent: load/1\r\n\r\n".encode()
            for host, path in web.world.pages()
            if host.plan.name in plain
        ]
        before = computed(web.pid)
        rate = asyncio.run(ask(web.port, requests, float(limit)))
        work = computed(web.pid) - before
        begun = seconds()
        score = web.score("load")
        print(f"{rate:,.0f} requests/s over {CONNECTIONS} connections; {len(web.world.changes):,} changes")
        print(f"{work / score.requests * 1e6:.0f} us of the server's CPU a request")
        print(f"freshness {score.freshness:.3f}, score asked in {seconds() - begun:.3f} s")
        print(f"memory at the end: {memory(web.pid)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
