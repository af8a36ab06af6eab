"""Cost of a decision under real traffic: bursts, pauses, pages all alike, limits; beside an even pace, one core."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from recrawl import clock
from recrawl.bench.engine import full_scan
from recrawl.bench.load import Load
from recrawl.bench.mix import paper_mix
from recrawl.bench.patterns import BATCH, SINGLE, Scene, all_patterns, even, even_batch
from recrawl.bench.timing import best_of
from recrawl.engine import Scheduler

PAGES = 1_000_000

NOTES = (
    "the paper's noisy mix from its steady state at rate = pages/10, six signals a decision unless it says more",
    "times: against as many decisions and signals at an even pace in the same run, singly or by lease(100)",
    "slowest: the longest single call that decides or updates, wall clock; goal 50 ms at 1e6 pages",
    "scans: against a compiled pass over all pages that keeps the best; add, remove, update: 100,000 pages in one call",
)


def run(pages: int | None) -> list[dict[str, Any]]:
    """One row a pattern, for a tenth of the pages and for all of them."""
    most = pages or PAGES
    return [row for m in (most // 10, most) for row in _rows(max(m, 20_000))]


def _rows(m: int) -> Iterator[dict[str, Any]]:
    scene = Scene(m)
    even(scene, 2_000)
    even_batch(scene)
    _compile_the_rest(scene)
    bases = {SINGLE: even(scene), BATCH: even_batch(scene)}
    yield _row(m, "even: six signals, one decision", bases[SINGLE], bases[SINGLE], "1")
    yield _row(m, "even: lease(100) and its signals", bases[BATCH], bases[BATCH], "1")
    for pattern in all_patterns():
        load = pattern.run(scene)
        yield _row(m, pattern.name, load, bases[pattern.beside], f"{pattern.most:g}")
    yield from _in_scans(scene)
    yield from _in_bulk(scene)


def _compile_the_rest(scene: Scene) -> None:
    """Make every kind of call once, so that no pattern is charged for its compilation."""
    scheduler, now = scene.steady().scheduler, scene.steady().now
    ids = scheduler.lease(2, now)
    scheduler.release(ids, now, now + 1.0)
    scheduler.update(ids, scene.mix[ids], now)
    scheduler.remove(scheduler.add(scene.mix[ids], now))
    scheduler.advance(now, 1)
    scheduler.update(np.arange(scene.m), scene.mix, now)  # of very many pages, which asks where the level will be


def _row(m: int, name: str, load: Load, base: Load, goal: str) -> dict[str, Any]:
    """A pattern against what as many signals and decisions cost at an even pace."""
    deciding = (base.seconds - base.hearing) / base.decisions
    hearing = base.hearing / base.signals
    expected = deciding + hearing * load.signals / max(load.decisions, 1)
    return {
        "pattern": name,
        "pages": m,
        "us": load.a_decision * 1e6,
        "values": load.values / max(load.decisions, 1),
        "slowest_ms": load.slowest * 1e3,
        "times": load.a_decision / expected,
        "goal": goal,
    }


def _in_scans(scene: Scene) -> Iterator[dict[str, Any]]:
    """What may cost as much as looking at all pages: the first decision after construction, or after a night."""
    night = scene.steady()
    (scan,) = best_of(2, lambda: full_scan(night.scheduler, night.now))
    night.now += 8.0
    night.take()
    yield _scans(scene.m, "first decision after a night", night, scan, "1.5 scans")
    for policy in ("greedy-ncis", "greedy"):
        start = clock.cpu_seconds()
        scheduler = Scheduler(scene.mix, policy)
        new = Load(scheduler, scene.mix, scene.rate)
        new.pass_time()
        new.take()
        new.seconds = clock.cpu_seconds() - start
        yield _scans(scene.m, f"construction and first decision, {policy}", new, scan, "5 scans")
        new.restart()
        new.even(2_000)
        yield _row(scene.m, f"the next 2,000 decisions, {policy}", new, even(scene, 2_000), "3")


def _scans(m: int, name: str, load: Load, scan: float, goal: str) -> dict[str, Any]:
    seconds = load.seconds
    return {
        "pattern": name,
        "pages": m,
        "us": seconds * 1e6,
        "values": load.values,
        "slowest_ms": load.slowest * 1e3,
        "times": seconds / scan,
        "goal": goal,
    }


def _in_bulk(scene: Scene) -> Iterator[dict[str, Any]]:
    """Many pages in one call, in microseconds a page."""
    load = scene.steady()
    n = min(100_000, scene.m // 2)
    pages, ids = paper_mix(n, seed=1), np.arange(n)
    calls = {
        "add": lambda: load.scheduler.add(pages, load.now),
        "update": lambda: load.scheduler.update(ids, pages, load.now),
        "remove": lambda: load.scheduler.remove(ids + scene.m),
    }
    for name, call in calls.items():
        load.restart()
        spent = load.timed(call)
        yield {
            "pattern": f"{name} of {n:,} pages, a page",
            "pages": scene.m,
            "us": spent / n * 1e6,
            "values": load.values / n,
            "slowest_ms": load.slowest * 1e3,
            "times": "",
            "goal": "1 us",
        }
