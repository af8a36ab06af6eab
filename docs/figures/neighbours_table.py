"""What news of neighbours give and cost: the learner with folders, less the same learner without.

    python docs/figures/neighbours_table.py worlds [SEEDS]             (6; where folders mean nothing; minutes)
    python docs/figures/neighbours_table.py HISTORY BUDGET [SEEDS]     (5; a history by its stem; one process)

Worlds are those of docs/learning.md and of odd_worlds_table.py with folders of SIZES pages at random.  Of a history
each line is an importance and signals: freshness, told the true mean rates less the learner with folders, and what
folders give, over four windows of four years and SEEDS samples of 800 pages.  The error is over windows (means over
samples); for worlds it is over seeds.  Differences are in units of 1e-4.
"""

import sys

import numpy as np
import odd_worlds_table as odd
import real_windows_table as windows_table

from recrawl.histories import History
from recrawl.histories.importance import equal, pareto
from recrawl.histories.signals import draw
from recrawl.paper.trials import instances
from recrawl.paper.trials.learning_worlds import KINDS
from recrawl.paper.trials.learning_worlds import draw as draw_world
from recrawl.real.settings import MONTH, SIGNALS, WARMUP_SHARE
from recrawl.real.stage import OF_IMPORTANCE, OF_SIGNALS, chance
from recrawl.sim import Learning, simulate
from recrawl.sim.histories import true_pages, world_of
from recrawl.urls.folders import folder_ids

SIZES = (3, 10, 40)
CELLS = (("equal", "none"), ("pareto", "none"), ("equal", "fair"), ("pareto", "fair"))


def gains(history: History, budget: float, importance: str, signals: str, seed: int) -> list[float]:
    """Freshness with folders, told less that, and that less without folders."""
    quality = SIGNALS[signals]
    weights = equal(history) if importance == "equal" else pareto(history, chance(seed, OF_IMPORTANCE))
    stream = chance(seed, OF_SIGNALS, list(SIGNALS).index(signals))
    world = world_of(history, None if quality is None else draw(history, quality, stream))
    rate, warmup = budget * len(history) / MONTH, WARMUP_SHARE * history.end
    pages = true_pages(history, weights, quality)
    without, with_folders, told = (
        simulate(pages, "greedy-ncis", rate, world=world, warmup=warmup, believed=believed).freshness
        for believed in (Learning(), Learning(folders=folder_ids(history.paths)), None)
    )
    return [with_folders, told - with_folders, with_folders - without]


def of_history(stem: str, budget: str, seeds: str = "5") -> None:
    """Print a line for each importance and signals."""
    for cell in CELLS:
        rows = []
        for seed in range(int(seeds)):
            windows_table.SEED = seed
            rows.append([gains(history, float(budget), *cell, seed) for history in windows_table.windows(stem)])
        found = np.array(rows).mean(axis=0)
        mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
        told, gain = (f"{1e4 * mean[k]:+.0f} ± {1e4 * error[k]:.0f}" for k in (1, 2))
        sys.stdout.write(f"{budget} {' '.join(cell)} | {mean[0]:.4f} | told {told} | folders give {gain}\n")
        sys.stdout.flush()


def of_worlds(seeds: str = "6") -> None:
    """Print a line for each world and size of folders."""
    for kind, pages in [(kind, m) for kind in KINDS for m in (300, 1000)]:
        found = []
        for seed in range(int(seeds)):
            drawn = draw_world(kind, pages, seed)
            hosts = drawn.hosts if kind == "host" else None
            runs = [
                simulate(
                    drawn.pages,
                    rate=instances.RATE,
                    world=drawn.world,
                    warmup=0.1 * drawn.world.horizon,
                    believed=Learning(hosts=hosts, folders=folders),
                ).freshness
                for folders in (None, *(at_random(pages, size, seed) for size in SIZES))
            ]
            found.append(np.array(runs[1:]) - runs[0])
        say(f"{kind}, {pages} pages", np.array(found))
    for name, rounds in odd.WORLDS.items():
        found = []
        for seed in range(int(seeds)):
            horizon = rounds * odd.ROUND
            runs = [
                simulate(
                    odd.pages_of(name, seed),
                    rate=odd.RATE,
                    horizon=horizon,
                    seed=seed,
                    warmup=horizon / 4.0,
                    believed=Learning(folders=folders),
                ).freshness
                for folders in (None, *(at_random(odd.PAGES, size, seed) for size in SIZES))
            ]
            found.append(np.array(runs[1:]) - runs[0])
        say(name, np.array(found))


def at_random(pages: int, size: int, seed: int) -> np.ndarray:
    """Folders of about that many pages which have nothing in common."""
    return np.random.default_rng([seed, 77]).permutation(pages) // size


def say(name: str, found: np.ndarray) -> None:
    """A line."""
    mean, error = 1e4 * found.mean(axis=0), 1e4 * found.std(axis=0, ddof=1) / np.sqrt(len(found))
    cells = [f"{size} a folder: {a:+.1f} ± {b:.1f}" for size, a, b in zip(SIZES, mean, error, strict=True)]
    sys.stdout.write(f"{name} | {' | '.join(cells)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    (of_worlds if sys.argv[1] == "worlds" else lambda *words: of_history(sys.argv[1], *words))(*sys.argv[2:])
