"""The frontier on disk: cost of its calls, the longest of them, recovery and memory, beside the bare kernels."""

import gc
import math
import os
import resource
import tempfile
from typing import Any

from recrawl.bench.bare import BUSY, bare_costs, rounds
from recrawl.bench.timing import Timed
from recrawl.bench.world import A_HOST, BATCH, RATE, WorldOfUrls
from recrawl.clock import ManualClock
from recrawl.frontier import Frontier, warm_up
from recrawl.store import SqliteStore

PAGES = 1_000_000
A_GROUP = bytes(8 * BATCH + 130)
"""As many bytes as a call with a batch of signals writes."""
STORED, SYNCED = "  its bytes to the journal, no more", "  its bytes to a plain file, and fsync"
KERNELS_AND_SYNC = "  bare kernels + plain file, fsync; signal as times that"
COLUMNS = ("calls", "us_each", "times_bare", "p99_ms", "longest_ms", "most_cpu_ms", "bytes_a_page")
ENOUGH = 50
"""Fewer calls of a kind say nothing of what they cost."""

NOTES = (
    f"{A_HOST} pages a host, batches of {BATCH}, every call on the disk (fsync) before it returns; one process",
    "us: microseconds of CPU a page or signal; ms: by the clock, with what others do on the machine;",
    "most cpu: of one call, what others do does not count",
    "after a round of first visits pages change as in the paper's noisy setting; signals come evenly, in bursts",
    "and for whole sites at once",
    "refreshing: while the learner learns its priors anew and all pages get new beliefs, which begins when a tenth of",
    "the pages has been crawled, later every five rounds; that and snapshots are done bit by bit, by calls that come;",
    "here the second is put off, so that there are calls without",
    "bare: a Scheduler and a Learner of as many pages at the same work, without URLs, leases, sources and disk",
    "its bytes: what a call that signals writes, to another journal and to a plain file, in turn with these calls",
    "a signal costs the bare kernels less than its share of one fsync: so one line is beside both of them",
    "recovery: opening after a kill, the last snapshot and the events since; in this process, nothing to compile",
)


def run(pages: int | None) -> list[dict[str, Any]]:
    """The table."""
    m = pages or PAGES
    timed = Timed()
    with tempfile.TemporaryDirectory() as folder:
        rows = _drive(folder, m, timed)
    bare = bare_costs(m)
    signal = bare.each("signal")
    return [
        timed.row("add"),
        timed.row("first visit: lease"),
        timed.row("first visit: complete"),
        timed.row("signal", signal),
        timed.row(STORED, signal),
        timed.row(SYNCED, signal),
        _beside_both(timed, signal),
        timed.row("signal, burst"),
        timed.row("signal, whole sites"),
        *_both(timed, bare, ""),
        *_both(timed, bare, BUSY),
        *[timed.row(name) for name in ("any call, snapshot under way",) if name in timed.cpu],
        *rows,
    ]


def _beside_both(timed: Timed, signal: float) -> dict[str, Any]:
    """Signals beside the least that one could do with as much: the kernels, and a write that survives a crash."""
    least = signal + timed.each(SYNCED)
    return _line(KERNELS_AND_SYNC, us_each=least, times_bare=timed.each("signal") / least)


def _both(timed: Timed, bare: Timed, state: str) -> list[dict[str, Any]]:
    """Lease, complete, and both together."""
    names = [f"lease{state}", f"complete{state}"]
    if min(len(costs.calls.get(name, ())) for costs in (timed, bare) for name in names) < ENOUGH:
        return []
    alone = [bare.each(name) for name in names]
    each = sum(map(timed.each, names))
    return [
        *[timed.row(name, one) for name, one in zip(names, alone, strict=True)],
        _line(f"lease + complete{state}", us_each=each, times_bare=each / sum(alone)),
    ]


def _line(name: str, **fields: float) -> dict[str, Any]:
    empty = dict.fromkeys(COLUMNS, math.nan)
    return {"what": name, **empty, **fields}


def _drive(folder: str, m: int, timed: Timed) -> list[dict[str, Any]]:
    warm_up()
    gc.collect()
    gc.freeze()  # as a service would: else Python looks through all that numba has made, in the middle of a call
    time = ManualClock(1.7e9)
    world = WorldOfUrls(m)
    data = os.path.join(folder, "data")
    f = Frontier.open(data, rate=RATE, clock=time, lease=3600.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for begin in range(0, m, 1000):
        some = world.urls[begin : begin + 1000]
        timed.call("add", len(some), f.add, some)
    for _ in range(m // BATCH):
        _crawl(f, time, world, timed, "first visit: ")
    writes = Writes(folder)
    for k in rounds(m, timed, f._state.pairing.learner):
        _crawl(f, time, world, timed, "")
        _signals(f, world, timed, k)
        writes.repeat(timed)
    writes.close()
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
        _line("memory, without the URLs' own bytes", bytes_a_page=sum(held.values()) - text / m),
        *[_line(f"  {name}", bytes_a_page=size - (text / m if name == "urls" else 0.0)) for name, size in held.items()],
        _line("peak of the process, less its start", bytes_a_page=rss / m),
    ]


def kill(f: Frontier) -> None:
    """Drop a frontier as a killed process would: nothing is written down any more."""
    f._store.close()
    f._closed = True


def _crawl(f: Frontier, time: ManualClock, world: WorldOfUrls, timed: Timed, prefix: str) -> None:
    time.advance(BATCH / RATE)
    busy = not prefix and (f._state.pairing.learner.refreshing or f._state.pairing.waiting)
    state = BUSY if busy else ""
    batch = timed.call(_named(f, f"{prefix}lease{state}"), BATCH, f.lease, BATCH)
    digests = world.digests(batch.urls, time.wall())
    validators = {"etag": '"0123456789abcdef"'}
    name = _named(f, f"{prefix}complete{state}")
    timed.call(name, len(batch), f.complete, batch.tokens, digest=digests, validators=validators)


def _named(f: Frontier, name: str) -> str:
    """Calls that go on with a snapshot are counted by themselves."""
    return "any call, snapshot under way" if f._snapshotting is not None else name


def _signals(f: Frontier, world: WorldOfUrls, timed: Timed, k: int) -> None:
    some = world.named(world.some(BATCH))
    timed.call(_named(f, "signal"), BATCH, f.signal, some, "sitemap")
    if k % 20 == 0:
        burst = world.named(world.some(1)) * 1000
        timed.call("signal, burst", len(burst), f.signal, burst, "indexnow")
    if k % 50 == 0:
        sites = world.named(world.sites(20))
        timed.call("signal, whole sites", len(sites), f.signal, sites, "sitemap")


class Writes:
    """Writes of as many bytes as a call with signals makes, by themselves: what no such call can cost less than."""

    def __init__(self, folder: str) -> None:
        self._store = SqliteStore(os.path.join(folder, "writes"))
        self._file = os.open(os.path.join(folder, "plain"), os.O_WRONLY | os.O_CREAT)

    def repeat(self, timed: Timed) -> None:
        """One of each."""
        timed.call(STORED, BATCH, self._store.append, A_GROUP)
        timed.call(SYNCED, BATCH, self._sync)

    def _sync(self) -> None:
        os.write(self._file, A_GROUP)
        os.fsync(self._file)

    def close(self) -> None:
        """No more of them."""
        self._store.close()
        os.close(self._file)


def _events(f: Frontier, time: ManualClock, world: WorldOfUrls, m: int) -> int:
    """As many events since the snapshot as there are pages: half signals, a quarter leases, a quarter outcomes."""
    events = 0
    while events < m:
        time.advance(BATCH / RATE)
        batch = f.lease(BATCH)
        f.complete(batch.tokens, digest=world.digests(batch.urls, time.wall()))
        f.signal(world.named(world.some(2 * BATCH)), "sitemap")
        events += 2 * len(batch) + 2 * BATCH
    return events
