"""Signals that collapse at half-time: freshness before and after, of who learns with them, who is deaf, who is told.

    python docs/figures/collapse_table.py [SEEDS] [WORLD ...]    (one process; two minutes a seed)

500 pages with importance and change rates U(0, 1), 100 crawls per unit of time: a round is 5.  Signals are the paper's
noisy mix, or of precision .6 and recall .5.  At half-time

spam      false signals come 20 times as often
early     the same, 10 rounds after the start
frozen    no signals come any more
builds    signals are bumps of all pages at each build, one a round; builds4, 12, 30: as many a round
hawkes    nothing collapses, but half of all changes follow another one, most within a tenth of a round

Windows are in rounds after half-time.  Differences are paired by seed, +- standard error.
"""

import sys
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from recrawl.engine import Scheduler
from recrawl.model import Pages
from recrawl.paper.trials import instances
from recrawl.paper.trials.learning_worlds import joined
from recrawl.sim import Events, Run, World, simulate
from recrawl.sim.permits import permits
from recrawl.sim.statistics import Estimate

PAGES, RATE = 500, 100.0
ROUND = PAGES / RATE
AFTER = 200
EDGES = (0, 5, 10, 20, 60, 200)
FIRST = 3
SPANS = tuple(pairwise(EDGES))
SPAM = 20.0
BRANCHING, DECAY = 0.5, 10.0
"""Hawkes: changes that each change causes, and how fast that fades, per round."""


class Case(NamedTuple):
    """What happens, the quality of signals before, rounds before it, and builds a round."""

    kind: str
    mix: str = "noisy"
    before: int = 100
    builds: float = 0.0


CASES = {
    "spam": Case("spam"),
    "spam .6/.5": Case("spam", "fair"),
    "early spam": Case("spam", before=10),
    "frozen": Case("frozen"),
    "frozen .6/.5": Case("frozen", "fair"),
    "builds": Case("builds", builds=1.0),
    "builds .6/.5": Case("builds", "fair", builds=1.0),
    "builds4 .6/.5": Case("builds", "fair", builds=4.0),
    "builds12 .6/.5": Case("builds", "fair", builds=12.0),
    "builds30 .6/.5": Case("builds", "fair", builds=30.0),
    "hawkes": Case("hawkes"),
    "hawkes .6/.5": Case("hawkes", "fair"),
}


class Drawn(NamedTuple):
    """Pages, what is true of their signals from the break on, when that is, and the events."""

    pages: Pages
    later: Pages
    half: float
    world: World


def draw(case: Case, seed: int) -> Drawn:
    """A world from its seed."""
    pages = instances.with_quality(PAGES, seed, 0.6, 0.5) if case.mix == "fair" else instances.noisy(PAGES, seed)
    half, rest = case.before * ROUND, AFTER * ROUND
    silent = Pages.from_rates(pages.change_rate, pages.importance)
    if case.kind == "hawkes":
        return Drawn(pages, pages, half, exciting(pages, half + rest, seed))
    later = silent
    if case.kind == "spam":
        later = Pages.from_rates(pages.change_rate, pages.importance, pages.recall, SPAM * pages.false_signal_rate)
    after = World.draw(later, rest, seed + 2**32)
    if case.kind == "builds":
        times = np.repeat(np.arange(ROUND / case.builds, rest, ROUND / case.builds), PAGES)
        after = replace(after, signal_times=times, signal_pages=np.arange(len(times)) % PAGES)
    return Drawn(pages, later, half, joined(World.draw(pages, half, seed), after))


def exciting(pages: Pages, horizon: float, seed: int) -> World:
    """Changes that excite each other, at the same mean rates; signals as if they did not."""
    rng = np.random.default_rng([seed, 14])
    born = Events.poisson(pages.change_rate * (1.0 - BRANCHING), horizon, rng)
    whose, when = [born.pages], [born.times]
    while len(when[-1]):
        children = rng.poisson(BRANCHING, size=len(when[-1]))
        later = np.repeat(when[-1], children) + rng.exponential(ROUND / DECAY, size=int(children.sum()))
        whose.append(np.repeat(whose[-1], children)[later < horizon])
        when.append(later[later < horizon])
    page, time = np.concatenate(whose), np.concatenate(when)
    order = np.argsort(time, kind="stable")
    page, time = page[order], time[order]
    told = rng.random(len(time)) < pages.recall[page]
    false = Events.poisson(pages.false_signal_rate, horizon, rng)
    signals, heard = np.concatenate((time[told], false.times)), np.concatenate((page[told], false.pages))
    order = np.argsort(signals, kind="stable")
    none = Events.grouped(np.empty(0, dtype=np.int64), np.empty(0), PAGES)
    return World(horizon, Events.grouped(page, time, PAGES), signals[order], heard[order], given_requests=none)


def told(drawn: Drawn) -> Run:
    """The policy that knows the parameters, and at once that they are others."""
    world, half = drawn.world, drawn.half
    moments = permits(RATE, world.horizon)
    begun = int(np.searchsorted(moments, half, side="right"))
    heard = int(np.searchsorted(world.signal_times, moments[begun - 1], side="right"))
    scheduler = Scheduler(drawn.pages)
    first = scheduler.replay(moments[:begun], world.signal_times[:heard], world.signal_pages[:heard])
    scheduler.update(np.arange(PAGES), drawn.later, half)
    second = scheduler.replay(moments[begun:], world.signal_times[heard:], world.signal_pages[heard:])
    return Run("told", world, drawn.pages.importance, moments, np.concatenate((first, second)))


def windows(run: Run, half: float) -> np.ndarray:
    """Freshness in the ten rounds before the break, in each of the first rounds after it, and in the windows."""
    fine = run.timeline(ROUND).freshness
    at = round(half / ROUND)
    spans = [(at - 10, at), *((at + a, at + a + 1) for a in range(FIRST)), *((at + a, at + b) for a, b in SPANS)]
    return np.array([fine[max(a, 0) : b].mean() for a, b in spans])


def fresh(case: Case, seed: int) -> np.ndarray:
    """Of the learner, the learner in the same world without signals, and the told policy, in each window."""
    drawn = draw(case, seed)
    silence = drawn.world.of_sources(np.zeros(len(drawn.world.signal_times), dtype=np.bool_))
    runs = [simulate(drawn.pages, "greedy-ncis:learn", RATE, world=world) for world in (drawn.world, silence)]
    return np.array([windows(run, drawn.half) for run in (*runs, told(drawn))])


def main(seeds: int, names: list[str]) -> None:
    """Print the table."""
    heads = ["before", *(f"{a + 1}." for a in range(FIRST)), *(f"{a} to {b}" for a, b in SPANS)]
    print("| world | | " + " | ".join(heads) + " |\n|---|---|" + "---|" * len(heads))  # noqa: T201
    for name in names:
        found = np.array([fresh(CASES[name], seed) for seed in range(seeds)])
        for k, who in enumerate(("learned", "deaf", "told")):
            print(f"| {name} | {who} | " + " | ".join(f"{x:.3f}" for x in found[:, k].mean(axis=0)) + " |")  # noqa: T201
        for k, who in ((1, "learned - deaf"), (2, "learned - told")):
            cells = [Estimate.of(100.0 * column) for column in (found[:, 0] - found[:, k]).T]
            text = " | ".join(f"{cell.mean:+.1f} +- {cell.standard_error:.1f}" for cell in cells)
            print(f"| {name} | {who}, points | {text} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    given = sys.argv[2:] or list(CASES)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5, given)
