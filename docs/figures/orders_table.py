"""The learner and equal intervals in other orders of the pages: how much on a real history is the luck of phases.

python docs/figures/orders_table.py HISTORY BUDGET

HISTORY is the stem of a history's files.  Each line is one of the windows of real_windows_table.py, with equal
importance, and signals or none.  First in the usual order of the pages, then over 20 random orders (mean, and standard
deviation of one): freshness of equal intervals, and what the learner has more than those and than the best rule as
shipped.
"""

import sys

import numpy as np
from real_windows_table import MONTH, OF_SIGNALS, RULES, SIGNALS, WARMUP_SHARE, chance, draw, windows

from recrawl.histories import History
from recrawl.histories.importance import equal
from recrawl.sim import Events, Learning, World, simulate
from recrawl.sim.coming_and_going import run
from recrawl.sim.histories import true_pages, world_of
from recrawl.urls.folders import folder_ids

ORDERS, SEED = 20, 0


def in_order(world: World, order: np.ndarray) -> World:
    """The same world with its pages numbered anew."""
    changes = Events.grouped(order[world.changes.pages], world.changes.times, len(world))
    return World(world.horizon, changes, world.signal_times, order[world.signal_pages])


def row(history: History, signals: str, budget: float, order: np.ndarray) -> tuple[float, float, float]:
    """Freshness of equal intervals, and what the learner has more than those and than the best rule."""
    quality, weights = SIGNALS[signals], equal(history)
    heard = quality and draw(history, quality, chance(SEED, OF_SIGNALS, list(SIGNALS).index(signals)))
    world = in_order(world_of(history, heard) if heard else world_of(history), order)
    rate, warmup = budget * len(history) / MONTH, WARMUP_SHARE * history.end
    rules = [run(rule, world, weights, rate, warmup, "rule").freshness for rule in RULES]
    pages = true_pages(history, weights, None)
    folders = np.empty(len(history), dtype=np.int64)
    folders[order] = folder_ids(history.paths)
    learning = Learning(folders=folders)
    learned = simulate(pages, "greedy-ncis", rate, world=world, warmup=warmup, believed=learning).freshness
    return rules[0], learned - rules[0], learned - max(rules)


def main(stem: str, budget: str) -> None:
    """Print a line for each window and kind of signals."""
    for signals in ("none", "fair"):
        for history in windows(stem):
            rng, n = np.random.default_rng(SEED), len(history)
            usual = row(history, signals, float(budget), np.arange(n))
            others = np.array([row(history, signals, float(budget), rng.permutation(n)) for _ in range(ORDERS)])
            cells = [f"{usual[0]:.4f} {usual[1]:+.4f} {usual[2]:+.4f}"]
            cells += [f"{x:+.4f} ± {sd:.4f}" for x, sd in zip(others.mean(0), others.std(0, ddof=1), strict=True)]
            sys.stdout.write(f"{signals} | {' | '.join(cells)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
