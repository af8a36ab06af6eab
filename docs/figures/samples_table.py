"""The learner beside today's rules on several windows and samples of pages of real histories.

    python docs/figures/samples_table.py HISTORY BUDGET [SEEDS]    (one process, minutes)

HISTORY is the stem of a history's files.  Each line is an importance and signals or none: the difference of freshness
to that rule beside which the learner is worst on average, over four windows of four years and SEEDS samples of 800
pages (5).  The first error is over windows (means over samples), the second over samples (means over windows).
Windows overlap, and samples of few pages are nearly the same, so neither is the whole error.
"""

import sys

import numpy as np
import real_windows_table as windows_table

from recrawl.histories import History
from recrawl.histories.importance import equal, pareto
from recrawl.histories.signals import draw
from recrawl.real.settings import MONTH, SIGNALS, WARMUP_SHARE
from recrawl.real.stage import OF_IMPORTANCE, OF_SIGNALS, chance
from recrawl.sim import Learning, simulate
from recrawl.sim.coming_and_going import run
from recrawl.sim.histories import true_pages, world_of
from recrawl.urls.folders import folder_ids


def leads(history: History, budget: float, importance: str, signals: str, seed: int) -> list[float]:
    """The learner's freshness, less that of each rule."""
    quality = SIGNALS[signals]
    weights = equal(history) if importance == "equal" else pareto(history, chance(seed, OF_IMPORTANCE))
    silent = world_of(history)
    stream = chance(seed, OF_SIGNALS, list(SIGNALS).index(signals))
    world = silent if quality is None else world_of(history, draw(history, quality, stream))
    rate, warmup = budget * len(history) / MONTH, WARMUP_SHARE * history.end
    pages = true_pages(history, weights, quality)
    learning = Learning(folders=folder_ids(history.paths))
    learned = simulate(pages, "greedy-ncis", rate, world=world, warmup=warmup, believed=learning).freshness
    return [learned - run(rule, silent, weights, rate, warmup, "rule").freshness for rule in windows_table.RULES]


def main(stem: str, budget: str, seeds: str = "5") -> None:
    """Print a line for each cell."""
    found: dict[tuple[str, str], list[list[list[float]]]] = {cell: [] for cell in windows_table.CELLS}
    for seed in range(int(seeds)):
        windows_table.SEED = seed
        cut = windows_table.windows(stem)
        for cell, rows in found.items():
            rows.append([leads(history, float(budget), *cell, seed) for history in cut])
    for cell, rows in found.items():
        samples_windows_rules = np.array(rows)
        worst = samples_windows_rules.mean(axis=(0, 1)).argmin()
        lead = samples_windows_rules[:, :, worst]
        over = [lead.mean(axis=k).std(ddof=1) / np.sqrt(lead.shape[1 - k]) for k in (0, 1)]
        name = windows_table.RULES[worst].__name__
        sys.stdout.write(f"{budget} {' '.join(cell)}: {lead.mean():+.4f} ± {over[0]:.4f} ± {over[1]:.4f}, {name}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
