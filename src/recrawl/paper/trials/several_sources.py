"""Two sources of signals a page, and five ways to listen to them in the same world.

Recall and false signals of each source are drawn as the paper's noisy setting draws those of its one source.
"""

from dataclasses import dataclass

import numpy as np

from recrawl.engine import Scheduler
from recrawl.model import Pages
from recrawl.model.sources import Sources
from recrawl.paper.trials import instances
from recrawl.sim import Run, World, simulate
from recrawl.sim.permits import permits

COUNT = 2
CONTENDERS = ("greedy", "better source", "merged", "multiplied", "sources")


@dataclass(frozen=True)
class Case:
    """An instance and its world, both drawn from ``seed``."""

    m: int
    seed: int
    horizon: float
    warmup: float


def draw(case: Case) -> tuple[Pages, Sources]:
    """Pages without signals of their own, and a class of sources for each."""
    silent = instances.silent(case.m, case.seed)
    rng = np.random.default_rng([case.seed, COUNT])
    recall, false = rng.beta(0.25, 0.25, (case.m, COUNT)), rng.uniform(0.1, 0.6, (case.m, COUNT))
    return silent, Sources.from_rates(silent.change_rate, recall, false)


def freshness(case: Case) -> list[float]:
    """Freshness of each contender, in their order."""
    pages, sources = draw(case)
    world = World.draw(pages, case.horizon, case.seed, sources=sources)
    return [
        _run(pages, world, case, "greedy"),
        _run(*_better(pages, sources, world), case),
        _run(_merged(pages, sources), world.of_sources(~_repeated(world)), case),
        _multiplied(pages, sources, world, case),
        simulate(pages, rate=instances.RATE, warmup=case.warmup, sources=sources, world=world).freshness,
    ]


def _run(pages: Pages, world: World, case: Case, policy: str = "greedy-ncis") -> float:
    return simulate(pages, policy, instances.RATE, warmup=case.warmup, world=world).freshness


def _better(pages: Pages, sources: Sources, world: World) -> tuple[Pages, World]:
    """Each page with the source of higher recall alone."""
    best, row = sources.recall.argmax(axis=1), np.arange(len(pages))
    false = sources.false_per_change[row, best] * pages.change_rate
    alone = Pages.from_rates(pages.change_rate, pages.importance, sources.recall[row, best], false)
    return alone, world.of_sources(best[world.signal_pages] == world.signal_sources)


def _merged(pages: Pages, sources: Sources) -> Pages:
    """All sources as one: a change is signalled where any of them signals it."""
    false = sources.false_per_change.sum(axis=1) * pages.change_rate
    return Pages.from_rates(pages.change_rate, pages.importance, 1.0 - sources.unsignalled_share, false)


def _repeated(world: World) -> np.ndarray:
    """Which signals only repeat one of the same page and moment."""
    order = np.lexsort((world.signal_times, world.signal_pages))
    same = (np.diff(world.signal_pages[order]) == 0) & (np.diff(world.signal_times[order]) == 0.0)
    repeated = np.zeros(len(order), dtype=np.bool_)
    repeated[order[1:]] = same
    return repeated


def _multiplied(pages: Pages, sources: Sources, world: World, case: Case) -> float:
    """Every signal with the weight its source alone would give it, as if changes were told by one source each."""
    weights = np.log1p(sources.recall / sources.false_per_change)
    moments = permits(instances.RATE, world.horizon)
    scheduler = Scheduler(_merged(pages, sources), sources=weights)
    assert world.signal_sources is not None
    taken = scheduler.replay(moments, world.signal_times, world.signal_pages, world.signal_sources)
    return Run("multiplied", world, pages.importance, moments, taken, case.warmup).freshness
