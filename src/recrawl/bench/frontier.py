"""The frontier on disk: cost of its calls, the longest of them, recovery and memory, beside the bare kernels."""

import gc
import math
import os
import resource
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from recrawl import clock
from recrawl.bench.mix import paper_mix
from recrawl.clock import ManualClock
from recrawl.engine import Scheduler
from recrawl.frontier import Frontier, warm_up
from recrawl.learn import Learner

PAGES = 1_000_000
A_HOST = 100
BATCH = 100
RATE = 10_000.0
SEED = 0

NOTES = (
    f"{A_HOST} pages a host, batches of {BATCH}, every call on the disk (fsync) before it returns; one process",
    "us: microseconds of CPU a page or signal; ms: by the clock, with what others do on the machine",
    "after a round of first visits pages change as in the paper's noisy setting; signals come evenly, in bursts",
    "and for whole sites at once",
    "refreshing: while the learner learns its priors anew and all pages get new beliefs, which begins when a tenth of",
    "the pages has been crawled, later every five rounds; that and snapshots are done bit by bit, by calls that come",
    "bare: the same calls to a Scheduler and a Learner of as many pages, without URLs, leases, sources and disk",
    "recovery: opening after a kill, the last snapshot and the events since; in this process, nothing to compile",
)


class Timed:
    """CPU and the longest call, by name."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.items: dict[str, int] = {}
        self.calls: dict[str, list[float]] = {}

    def call(self, name: str, items: int, what: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Call it, and take the time."""
        start, begun = clock.seconds(), clock.cpu_seconds()
        answer = what(*args, **named)
        self.cpu[name] = self.cpu.get(name, 0.0) + clock.cpu_seconds() - begun
        self.items[name] = self.items.get(name, 0) + items
        self.calls.setdefault(name, []).append(clock.seconds() - start)
        return answer

    def each(self, name: str) -> float:
        """CPU a page or signal, in microseconds."""
        return 1e6 * self.cpu[name] / max(self.items[name], 1)

    def row(self, name: str, bare: float = math.nan) -> dict[str, Any]:
        """A line of the table."""
        calls = np.array(self.calls[name])
        return {
            "what": name,
            "calls": len(calls),
            "us_each": self.each(name),
            "times_bare": self.each(name) / bare,
            "p99_ms": 1e3 * float(np.quantile(calls, 0.99)),
            "longest_ms": 1e3 * float(calls.max()),
        }


def run(pages: int | None) -> list[dict[str, Any]]:
    """The table."""
    m = pages or PAGES
    timed = Timed()
    with tempfile.TemporaryDirectory() as folder:
        rows = _drive(folder, m, timed)
    bare = _bare(m)
    return [
        timed.row("add"),
        timed.row("first visit: lease"),
        timed.row("first visit: complete"),
        timed.row("signal", bare["signal"]),
        timed.row("signal, burst"),
        timed.row("signal, whole sites"),
        timed.row("lease", bare["lease"]),
        timed.row("complete", bare["complete"]),
        _sum(timed, "lease + complete", ("lease", "complete"), bare["lease"] + bare["complete"]),
        *[timed.row(name, bare["refreshing"]) for name in ("complete, refreshing",) if name in timed.cpu],
        *[timed.row(name) for name in ("any call, snapshot under way",) if name in timed.cpu],
        *rows,
    ]


def _sum(timed: Timed, name: str, parts: tuple[str, ...], bare: float) -> dict[str, Any]:
    each = sum(timed.each(part) for part in parts)
    return _line(name, us_each=each, times_bare=each / bare)


def _line(name: str, **fields: float) -> dict[str, Any]:
    empty = dict.fromkeys(("calls", "us_each", "times_bare", "p99_ms", "longest_ms"), math.nan)
    return {"what": name, **empty, **fields}


class World:
    """Pages that change, as the paper's noisy mix does, once a round or so."""

    def __init__(self, m: int, round_seconds: float) -> None:
        self.rng = np.random.default_rng(SEED)
        self.m = m
        self.urls = [f"https://host{k // A_HOST}.example/page/{k:07d}.html" for k in range(m)]
        self.number = {url: k for k, url in enumerate(self.urls)}
        self.rate = paper_mix(m, SEED).change_rate / round_seconds
        self.fetched = np.zeros(m)
        self.version = np.zeros(m, dtype=np.int64)

    def fetch(self, urls: tuple[str, ...], now: float) -> list[str]:
        """Digests of what is there now."""
        ids = np.array([self.number[url] for url in urls])
        expected = self.rate[ids] * (now - self.fetched[ids])
        self.version[ids] += self.rng.random(len(ids)) < -np.expm1(-expected)
        self.fetched[ids] = now
        return [str(v) for v in self.version[ids].tolist()]

    def some(self, n: int) -> list[str]:
        """URLs at random."""
        return [self.urls[k] for k in self.rng.integers(0, self.m, n).tolist()]


def _drive(folder: str, m: int, timed: Timed) -> list[dict[str, Any]]:
    warm_up()
    gc.collect()
    gc.freeze()  # as a service would: else Python looks through all that numba has made, in the middle of a call
    time = ManualClock(1.7e9)
    world = World(m, m / RATE)
    data = os.path.join(folder, "data")
    f = Frontier.open(data, rate=RATE, clock=time, lease=3600.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for begin in range(0, m, 1000):
        some = world.urls[begin : begin + 1000]
        timed.call("add", len(some), f.add, some)
    _round(f, time, world, timed, "first visit: ", m // BATCH, signals=False)
    _round(f, time, world, timed, "", max(m // BATCH // 4, 50), signals=True)
    f.snapshot()
    events = _events(f, time, world, m)
    text = f._state.urls.text_bytes
    held = {name: size / m for name, size in f.nbytes.items()}
    rss = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024.0
    kill(f)
    again = timed.call("recovery", 1, Frontier.open, data, clock=time, lease=3600.0)
    assert len(again) == m
    again.close()
    return [
        _line(f"recovery: {m:,} pages, {events:,} events", calls=1, longest_ms=1e3 * timed.calls["recovery"][0]),
        _line("memory, bytes a page without URLs", us_each=sum(held.values()) - text / m),
        *[_line(f"  {name}", us_each=size - (text / m if name == "urls" else 0.0)) for name, size in held.items()],
        _line("peak of the process, bytes a page, less its start", us_each=rss / m),
    ]


def kill(f: Frontier) -> None:
    """Drop a frontier as a killed process would: nothing is written down any more."""
    f._store.close()
    f._closed = True


def _round(
    f: Frontier, time: ManualClock, world: World, timed: Timed, prefix: str, batches: int, signals: bool
) -> None:
    validators = {"etag": '"0123456789abcdef"'}
    for k in range(batches):
        time.advance(BATCH / RATE)
        batch = timed.call(_named(f, f"{prefix}lease"), BATCH, f.lease, BATCH)
        digests = world.fetch(batch.urls, time.wall())
        busy = f._state.pairing.learner.refreshing or f._state.pairing.waiting
        name = f"{prefix}complete, refreshing" if busy and not prefix else f"{prefix}complete"
        timed.call(_named(f, name), len(batch), f.complete, batch.tokens, digest=digests, validators=validators)
        if signals:
            _signals(f, world, timed, k)


def _named(f: Frontier, name: str) -> str:
    """Calls that go on with a snapshot are counted by themselves."""
    return "any call, snapshot under way" if f._snapshotting is not None else name


def _signals(f: Frontier, world: World, timed: Timed, k: int) -> None:
    some = world.some(BATCH)
    timed.call(_named(f, "signal"), BATCH, f.signal, some, "sitemap")
    if k % 20 == 0:
        burst = world.some(1) * 1000
        timed.call("signal, burst", len(burst), f.signal, burst, "indexnow")
    if k % 50 == 0:
        first = int(world.rng.integers(0, max(world.m - 20 * A_HOST, 1)))
        sites = world.urls[first : first + 20 * A_HOST]
        timed.call("signal, whole sites", len(sites), f.signal, sites, "sitemap")


def _events(f: Frontier, time: ManualClock, world: World, m: int) -> int:
    """As many events since the snapshot as there are pages: half signals, a quarter leases, a quarter outcomes."""
    events = 0
    while events < m:
        time.advance(BATCH / RATE)
        batch = f.lease(BATCH)
        f.complete(batch.tokens, digest=world.fetch(batch.urls, time.wall()))
        f.signal(world.some(2 * BATCH), "sitemap")
        events += 2 * len(batch) + 2 * BATCH
    return events


def _bare(m: int) -> dict[str, float]:
    """The same work for a scheduler and a learner by themselves: microseconds of CPU each."""
    rng = np.random.default_rng(SEED)
    hosts = np.arange(m) // A_HOST
    learner = Learner(m, hosts, now=0.0, unit=m / RATE, refresh_slice=500)
    scheduler = Scheduler(learner.pages(), now=0.0, hosts=hosts)
    timed = Timed()
    now = m / RATE
    scheduler.lease(1, now)
    for _ in range(max(min(m // BATCH, 2500), 50)):
        now += BATCH / RATE
        ids = timed.call("lease", BATCH, scheduler.lease, BATCH, now)
        changed = rng.random(len(ids)) < 0.5
        name = "refreshing" if learner.refreshing else "complete"
        timed.call(name, len(ids), _complete, scheduler, learner, ids, changed, now)
        timed.call("signal", BATCH, _signal, scheduler, learner, rng.integers(0, m, BATCH), now)
    return {"refreshing": math.nan, **{name: timed.each(name) for name in timed.cpu}}


def _complete(scheduler: Scheduler, learner: Learner, ids: Any, changed: Any, now: float) -> None:
    scheduler.crawled(ids, now)
    learner.observe(ids, None, None, changed, now, scheduler.level)
    scheduler.update(ids, learner.pages(ids), now)


def _signal(scheduler: Scheduler, learner: Learner, ids: Any, now: float) -> None:
    scheduler.signal(ids, now)
    learner.signalled(ids, now)
