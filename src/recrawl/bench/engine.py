"""Cost of a decision: exact, beside a full scan, from 1e5 to 1e7 pages, one core."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl import clock
from recrawl._jit import jit
from recrawl.bench.mix import paper_mix, steady_state_parts
from recrawl.bench.timing import best_of
from recrawl.engine import Scheduler
from recrawl.engine.core.value import staleness_at, value_of
from recrawl.model import Pages
from recrawl.model.functions import Array
from recrawl.optimal import optimum

PAGES = 10_000_000

NOTES = (
    "the paper's noisy mix in its steady state, rate = pages/10; six signals before each decision, timed together",
    "scan: a compiled pass over the same pages that keeps the best; the goal is 5,000 scans a decision at 1e6 pages",
    "from 1e5 to 1e7 pages a decision may cost 5 times as much, and its evaluations 1.5 times",
    "take(1000): decisions a second against take(1), goal 5; signals: 10,000 a call against np.add.at, goal 1/60",
    "worst take: the slowest single take(1) after warm-up, goal 50 ms at 1e6 pages; memory: goal 96 bytes a page",
)

TURNS = 9
"""Stretches of batches and of single decisions, by turns."""
DECISIONS = 200_000
"""Decisions timed at each number of pages."""


@jit
def _scan(numbers: Array, tables: Array, now: float) -> int:
    best, best_id = -1.0, -1
    for i in range(len(numbers)):
        value = value_of(numbers, tables, i, staleness_at(numbers, tables, i, now), 0)
        if value > best:
            best, best_id = value, i
    return best_id


def full_scan(scheduler: Scheduler, now: float) -> int:
    """The best page by looking at all of them."""
    return _scan(scheduler._core.numbers, scheduler._core.tables, now)


def in_steady_state(pages: Pages, now: float, hosts: NDArray[np.int64] | None = None) -> Scheduler:
    """A scheduler in the state a long run would leave it in, at rate pages/10 and without limits of hosts."""
    return at_thresholds(pages, now, optimum(pages, len(pages) / 10).thresholds, hosts)


def at_thresholds(pages: Pages, now: float, thresholds: Array, hosts: NDArray[np.int64] | None = None) -> Scheduler:
    """The same for pages that are crawled whenever they reach their thresholds."""
    elapsed, jumps = steady_state_parts(pages, thresholds)
    scheduler = Scheduler(pages, now=now, hosts=hosts)
    everyone = np.arange(len(pages))
    scheduler.crawled(everyone, now - elapsed)
    scheduler.signal(everyone, now, weight=jumps)
    return scheduler


def run(pages: int | None) -> list[dict[str, Any]]:
    """One row for each number of pages, a hundredth, a tenth and all of `pages`."""
    most = pages or PAGES
    return [_row(max(m, 1000)) for m in (most // 100, most // 10, most)]


def _row(m: int) -> dict[str, Any]:
    mix = paper_mix(m)
    scheduler = in_steady_state(mix, now=0.0)
    rng = np.random.default_rng(0)
    signalled = np.cumsum(mix.signal_rate)
    rate = m / 10
    now, _ = decide(scheduler, 0.0, rate, signalled, rng, DECISIONS // 4)
    before = scheduler.statistics
    now, (seconds, worst) = decide(scheduler, now, rate, signalled, rng, DECISIONS)
    after = scheduler.statistics
    (scan,) = best_of(2, lambda: full_scan(scheduler, now))
    gain, now = _batch_gain(scheduler, now, rate, signalled, rng)
    return {
        "pages": m,
        "decision_us": seconds / DECISIONS * 1e6,
        "scan_ms": scan * 1e3,
        "scans_a_decision": scan * DECISIONS / seconds,
        "evaluations": (after["evaluations"] - before["evaluations"]) / DECISIONS,
        "worst_take_ms": worst * 1e3,
        "take_1000_gain": gain,
        "signals_to_add_at": _signals(scheduler, m, now, rng),
        "bytes_a_page": scheduler.nbytes / m,
    }


def decide(
    scheduler: Scheduler, now: float, rate: float, signalled: Array, rng: np.random.Generator, n: int
) -> tuple[float, tuple[float, float]]:
    """Make n decisions with six signals before each; the time then, the seconds it took and the slowest take."""
    ids = np.searchsorted(signalled, rng.random((n, 6)) * signalled[-1])
    worst = 0.0
    begun = clock.cpu_seconds()
    for k in range(n):
        now += 1.0 / rate
        scheduler.signal(ids[k], now)
        start = clock.seconds()
        scheduler.take(1, now)
        worst = max(worst, clock.seconds() - start)
    return now, (clock.cpu_seconds() - begun, worst)


def _batch_gain(
    scheduler: Scheduler, now: float, rate: float, signalled: Array, rng: np.random.Generator
) -> tuple[float, float]:
    """Decisions a second when a thousand are taken at once, their signals before, against one at a time; the time then.

    Both by turns, and the median of the ratios: memory is shared with other work, whose bursts last a second or so.
    """
    gains = []
    for _ in range(TURNS):
        ids = np.searchsorted(signalled, rng.random((50, 6000)) * signalled[-1])
        for k in range(50):
            if k == 20:
                begun = clock.cpu_seconds()
            now += 1000.0 / rate
            scheduler.signal(ids[k], now)
            scheduler.take(1000, now)
        batch = (clock.cpu_seconds() - begun) / 30_000
        now, _ = decide(scheduler, now, rate, signalled, rng, 2_000)
        now, (seconds, _) = decide(scheduler, now, rate, signalled, rng, 5_000)
        gains.append(seconds / 5_000 / batch)
    return float(np.median(gains)), now


def _signals(scheduler: Scheduler, m: int, now: float, rng: np.random.Generator) -> float:
    """Signals a second for 10,000 random pages a call, as a share of what np.add.at adds to a plain array."""
    plain = np.ones(m)  # touched, so that no page faults are timed
    signalling = adding = 0.0
    for _ in range(20):
        ids = rng.integers(0, m, 10_000)
        start = clock.cpu_seconds()
        scheduler.signal(ids, now)
        middle = clock.cpu_seconds()
        ids = rng.integers(0, m, 10_000)
        begun = clock.cpu_seconds()
        np.add.at(plain, ids, 1.0)
        adding += clock.cpu_seconds() - begun
        signalling += middle - start
    return adding / signalling
