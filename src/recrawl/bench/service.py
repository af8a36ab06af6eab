"""The service over HTTP: what the server computes, how many calls a second, and how long callers wait."""

import asyncio
import gc
import math
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recrawl.bench.disk import A_WRITE, synced_writes
from recrawl.bench.pinging import pinged
from recrawl.bench.served import Served
from recrawl.bench.talking import Connection, Connections, Timing, encoded, get, post
from recrawl.bench.timing import Timed
from recrawl.bench.world import A_HOST, BATCH, WorldOfUrls
from recrawl.clock import seconds, wall_seconds
from recrawl.frontier import Frontier, warm_up
from recrawl.store.folder import Folder

PAGES = 1_000_000
CONNECTIONS = 16
AT_ONCE = 10_000
"""Pages that are added in one request."""
BODIES = 200
"""Different requests of a kind; they are made beforehand, and sent in turn."""
PAIRS = 600
"""Leases and completes in peace, before a refresh begins."""
ALONE = 200
"""Calls of a kind in this process."""
READ_AT_ONCE = 10_000
"""Pages of an answer to who reads all of them: the most there may be."""
BESIDE_READING = 500
"""Requests with signals, one after the other, while somebody reads pages."""
DISK_S = 40.0
"""Seconds in which the disk alone is measured, as long as a refresh takes."""
LOOK_S = 0.5
"""Seconds between two looks whether a refresh is over."""
ETAG = {"etag": '"0123456789abcdef"'}

NOTES = (
    f"recrawl serve as a process of its own, every answer on the disk (fsync); {A_HOST} pages a host",
    f"the client on the same machine: {CONNECTIONS} connections, each sends a request when it has the answer before",
    "pings from a third process, one each 10 ms",
    "cpu: of all threads of the server; ms: by the clock, with what others do on the machine",
    "times the frontier: the CPU beside that of the same calls of a Frontier without HTTP, in the same folder",
    f"the disk alone: {A_WRITE:,} bytes written and synced, again and again; no durable answer can be quicker",
    "a snapshot: begins at the first call after the kill, since the journal is long; half signals, half pairs",
    "a refresh: the same mix, from shortly before a tenth of the pages has been compared until all have new beliefs",
)


@dataclass
class Measured:
    """A part of the benchmark: which calls, when, and what the server computed meanwhile."""

    begun: float
    cpu: float
    timings: list[Timing] = field(default_factory=list)
    seconds: float = 0.0

    def of(self, name: str) -> list[float]:
        """How long calls of that name took."""
        return [timing.ended - timing.begun for timing in self.timings if timing.name == name]

    def during(self, pings: Iterable[Timing]) -> list[float]:
        """How long the pings took that were under way."""
        end = self.begun + self.seconds
        return [ping.ended - ping.begun for ping in pings if ping.ended >= self.begun and ping.begun <= end]


def run(pages: int | None) -> list[dict[str, Any]]:
    """The table."""
    m = pages or PAGES
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "data")
        with Served(folder) as served:
            found, alone = asyncio.run(Bench(served, folder, m).run()), _alone(served, folder, m)
        return _rows(m, *found, alone, synced_writes(top, DISK_S if m >= PAGES else 1.0))


class Bench:
    """All parts, one after the other."""

    def __init__(self, served: Served, folder: str, m: int) -> None:
        self._served, self._folder, self._m = served, Folder(folder), m
        self._world = WorldOfUrls(m)
        self._parts: dict[str, Measured] = {}

    async def run(self) -> tuple[dict[str, Measured], list[Timing], float]:
        """The parts by name, all pings, and seconds of the start after a kill."""
        gc.collect()
        gc.freeze()  # or our own search for garbage among a million URLs, 0.2 s each, would count as theirs
        with pinged(self._served.host, self._served.port) as pings:
            await self._part("fill", self._fill)
            await self._part("first visits", lambda lines: self._pairs(lines, self._m // BATCH))
            await self._part("signals 100", lambda lines: self._signals(lines, 100, self._m // 100))
            await self._part("signals 1000", lambda lines: self._signals(lines, 1000, self._m // 500))
        self._served.kill()
        started = self._served.start()
        with pinged(self._served.host, self._served.port) as later:
            await self._part("snapshot", lambda lines: self._until(lines, self._snapshot()))
            await self._part("pairs", lambda lines: self._pairs(lines, min(PAIRS, self._m // 1000)))
            await self._part("refresh", lambda lines: self._until(lines, self._refresh()))
            await self._part("reading", self._beside_reading)
        return self._parts, [*pings, *later], started

    async def _part(self, name: str, work: Callable[[list[Connection]], Awaitable[None]]) -> None:
        async with self._measured(name) as lines:
            await work(lines)

    @asynccontextmanager
    async def _measured(self, name: str) -> AsyncIterator[list[Connection]]:
        connections = Connections(self._served.host, self._served.port, CONNECTIONS)
        async with connections as lines:
            part = self._parts[name] = Measured(seconds(), self._served.cpu, connections.timings)
            yield list(lines)
            part.seconds, part.cpu = seconds() - part.begun, self._served.cpu - part.cpu

    # -- what is asked -------------------------------------------------------------------------------------------------

    async def _fill(self, lines: list[Connection]) -> None:
        for begin in range(0, self._m, AT_ONCE):
            some = self._world.urls[begin : begin + AT_ONCE]
            (await lines[0].ask("add", post("/v1/pages", encoded(urls=some)))).json()

    async def _signals(self, lines: list[Connection], a_request: int, requests: int) -> None:
        bodies = self._signal_bodies(a_request, min(BODIES, requests))
        left = iter([bodies[k % len(bodies)] for k in range(requests)])

        async def send(line: Connection) -> None:
            for body in left:
                (await line.ask("signals", body)).json()

        await asyncio.gather(*map(send, lines))

    def _signal_bodies(self, a_request: int, n: int) -> list[bytes]:
        world = self._world
        some = [world.named(world.some(a_request)) for _ in range(n)]
        return [post("/v1/signals", encoded(urls=urls, source="sitemap")) for urls in some]

    async def _pairs(self, lines: list[Connection], n: int) -> None:
        left = iter(range(n))

        async def send(line: Connection) -> None:
            for _ in left:
                await self._pair(line)

        await asyncio.gather(*map(send, lines))

    async def _pair(self, line: Connection) -> None:
        leased = (await line.ask("lease", post("/v1/lease", encoded(n=BATCH)))).json()["pages"]
        if leased:
            digests = self._world.digests(tuple(page["url"] for page in leased), wall_seconds())
            tokens = [page["token"] for page in leased]
            body = encoded(tokens=tokens, digest=digests, validators=ETAG)
            (await line.ask("complete", post("/v1/complete", body))).json()

    # -- while something goes on ---------------------------------------------------------------------------------------

    async def _until(self, lines: list[Connection], over: Awaitable[None]) -> None:
        """Signals on one half of the connections and pairs on the other, until something is over."""
        bodies = self._signal_bodies(100, min(BODIES, self._m // 100))
        waiting = asyncio.ensure_future(over)
        most = max(self._m // (2 * BATCH), 10)  # of each; so that it ends whatever happens

        async def signal(line: Connection) -> None:
            for k in range(most):
                if waiting.done():
                    return
                (await line.ask("signals", bodies[k % len(bodies)])).json()

        async def pair(line: Connection) -> None:
            for _ in range(most // (CONNECTIONS // 2)):
                if waiting.done():
                    return
                await self._pair(line)

        await asyncio.gather(*map(signal, lines[::2]), *map(pair, lines[1::2]))
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    async def _snapshot(self) -> None:
        """A snapshot that is not there yet."""
        before = self._folder.snapshots()
        while self._folder.snapshots() == before:
            await asyncio.sleep(0.01)

    async def _refresh(self) -> None:
        """New beliefs for all pages."""
        begun = False
        async with Connections(self._served.host, self._served.port, 1) as (line,):
            while True:
                counts = (await line.ask("statistics", get("/v1/statistics"))).json()["counts"]
                if begun and not counts["waiting_for_beliefs"]:
                    return
                begun = begun or counts["waiting_for_beliefs"] > 0
                await asyncio.sleep(LOOK_S)

    async def _beside_reading(self, lines: list[Connection]) -> None:
        """Signals on one connection, while somebody reads all pages on another, again and again."""
        reading = asyncio.ensure_future(self._read(lines[0]))
        bodies = self._signal_bodies(100, min(BODIES, self._m // 100))
        for k in range(min(BESIDE_READING, self._m // 100)):
            (await lines[1].ask("signals", bodies[k % len(bodies)])).json()
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, line: Connection) -> None:
        after = -1
        while True:
            body = (await line.ask("pages", get(f"/v1/pages?after={after}&limit={READ_AT_ONCE}"))).body
            last = int(body[body.rindex(b":") + 1 : -1])  # to decode all of it would hold the signals up
            after = -1 if last == after else last


def _alone(served: Served, folder: str, m: int) -> tuple[Timed, float]:
    """The same calls without HTTP, one after the other, in the same folder; and the bytes a page of the server."""
    held = served.resident_bytes / m
    served.stop()
    warm_up()
    timed, world = Timed(), WorldOfUrls(m)
    with Frontier.open(folder) as f:
        for a_call in (100, 1000):
            for _ in range(min(ALONE, m // a_call)):
                timed.call(f"signals {a_call}", a_call, f.signal, world.named(world.some(a_call)), "sitemap")
        for _ in range(min(ALONE, m // BATCH)):
            batch = timed.call("pairs", 1, f.lease, BATCH)
            digests = world.digests(batch.urls, wall_seconds())
            timed.call("pairs", 0, f.complete, batch.tokens, digest=digests, validators=ETAG)
    return timed, held


# -- the table ---------------------------------------------------------------------------------------------------------


def _rows(
    m: int,
    parts: dict[str, Measured],
    pings: list[Timing],
    started: float,
    alone: tuple[Timed, float],
    disk: list[float],
) -> list[dict[str, Any]]:
    timed, held = alone
    return [
        _row("fill: pages a second", m / parts["fill"].seconds),
        _row("first visits: lease + complete of 100, pairs a second", _a_second(parts["first visits"], "complete")),
        *_signal_rows("100", parts["signals 100"], timed, (6.0, 4.0), (120_000, 300_000)),
        *_signal_rows("1000", parts["signals 1000"], timed, (2.5, 1.5), (400_000, 1_000_000)),
        *_pair_rows(parts["pairs"], timed),
        *_busy_rows("snapshot", parts["snapshot"], pings),
        *_busy_rows("refresh", parts["refresh"], pings),
        *_reading_rows(parts["reading"], pings),
        _row("the disk alone, nothing else under way: longest synced write ms", _ms(disk, 1.0)),
        _row("  p99 ms", _ms(disk, 0.99)),
        _row("pings all the while: p99 ms", _ms([ping.ended - ping.begun for ping in pings], 0.99), 10, 5),
        _row("  longest ms", _ms([ping.ended - ping.begun for ping in pings], 1.0)),
        _row("start after kill -9: s", started),
        _row("memory of the server: bytes a page", held),
    ]


def _signal_rows(
    a_request: str, part: Measured, timed: Timed, cpu: tuple[float, float], rate: tuple[int, int]
) -> list[dict[str, Any]]:
    name, n = f"signals {a_request}", len(part.of("signals")) * int(a_request)
    each = 1e6 * part.cpu / n
    return [
        _row(f"signals, {a_request} a request: server's cpu us each", each, *cpu),
        _row("  times the frontier", each / timed.each(name)),
        _row("  a second", n / part.seconds, *rate),
        _row("  p50 ms", _ms(part.of("signals"), 0.5)),
        _row("  p99 ms", _ms(part.of("signals"), 0.99), 50, 20),
    ]


def _pair_rows(part: Measured, timed: Timed) -> list[dict[str, Any]]:
    each = 1e3 * part.cpu / max(len(part.of("complete")), 1)
    rows = [
        _row("lease + complete of 100: pairs a second", _a_second(part, "complete"), 150, 300),
        _row("  server's cpu ms a pair", each),
        _row("  times the frontier", 1e3 * each / timed.each("pairs")),
    ]
    for name in ("lease", "complete"):
        rows.append(_row(f"  {name} p50 ms", _ms(part.of(name), 0.5)))
        rows.append(_row(f"  {name} p99 ms", _ms(part.of(name), 0.99), 75, 40))
    return rows


def _busy_rows(what: str, part: Measured, pings: list[Timing]) -> list[dict[str, Any]]:
    took = [timing.ended - timing.begun for timing in part.timings]
    return [
        _row(f"a {what} under way, {part.seconds:.1f} s: longest request ms", _ms(took, 1.0), 100, 50),
        _row("  p99 ms", _ms(took, 0.99)),
        _row("  ping p99 ms", _ms(part.during(pings), 0.99), 10, 5),
    ]


def _reading_rows(part: Measured, pings: list[Timing]) -> list[dict[str, Any]]:
    return [
        _row("pages read all the while, 10,000 a request: signals p99 ms", _ms(part.of("signals"), 0.99), 50, 20),
        _row("  a request for pages p50 ms", _ms(part.of("pages"), 0.5)),
        _row("  ping p99 ms", _ms(part.during(pings), 0.99), 10, 5),
    ]


def _a_second(part: Measured, name: str) -> float:
    return len(part.of(name)) / part.seconds


def _ms(took: list[float], share: float) -> float:
    return 1e3 * float(np.quantile(took, share)) if took else math.nan


def _row(what: str, measured: float, must: float = math.nan, goal: float = math.nan) -> dict[str, Any]:
    return {"what": what, "measured": measured, "must": must, "goal": goal}
