"""The learner on several windows of real histories: beside who is told the rates, today's rules and itself.

python docs/figures/real_windows_table.py HISTORY [BUDGET ...]

HISTORY is the stem of a history's files.  Each line is a budget, an importance and signals or none: freshness, and its
differences, as mean ± standard error over four windows of four years and the difference in the last of them.
"""

import sys
from dataclasses import replace

import numpy as np

from recrawl.histories import History
from recrawl.histories.files import read_history
from recrawl.histories.importance import equal, pareto
from recrawl.histories.last_years import DAYS_A_YEAR
from recrawl.histories.signals import draw
from recrawl.real.settings import BUDGETS, MONTH, SIGNALS, WARMUP_SHARE
from recrawl.real.stage import OF_IMPORTANCE, OF_SAMPLE, OF_SIGNALS, chance
from recrawl.sim import Learning, World, simulate
from recrawl.sim.coming_and_going import run
from recrawl.sim.due_loop import nutch_rule, stormcrawler_rule, uniform
from recrawl.sim.histories import true_pages, world_of
from recrawl.urls.folders import folder_ids

YEARS, PAGES, SEED = 4.0, 800, 0
ENDS = (0.0, 0.35, 0.8, 1.4)
"""Years from the end of a window to the end of the history."""
CELLS = (("pareto", "none"), ("pareto", "fair"), ("equal", "none"), ("equal", "fair"))
RULES = (uniform, nutch_rule, stormcrawler_rule)
COLUMNS = ("learned", "- told", "- best rule", "- not curious", "- deaf")


def windows(stem: str) -> list[History]:
    """The pages that are there throughout each window."""
    whole = read_history(stem)
    ends = [whole.end - years * DAYS_A_YEAR for years in ENDS]
    cut = [whole.between(max(end - YEARS * DAYS_A_YEAR, 0.0), end).alive_throughout() for end in ends]
    return [one.sample(PAGES, chance(SEED, OF_SAMPLE)) for one in cut]


def row(history: History, budget: float, importance: str, signals: str) -> list[float]:
    """Freshness of the learner, and by how much it is above the others."""
    quality = SIGNALS[signals]
    weights = equal(history) if importance == "equal" else pareto(history, chance(SEED, OF_IMPORTANCE))
    stream = (OF_SIGNALS, list(SIGNALS).index(signals))
    silent = world_of(history)
    world = silent if quality is None else world_of(history, draw(history, quality, chance(SEED, *stream)))
    pages, rate, warmup = (
        true_pages(history, weights, quality),
        budget * len(history) / MONTH,
        WARMUP_SHARE * history.end,
    )

    def ours(where: World, believed: Learning | None) -> float:
        return simulate(pages, "greedy-ncis", rate, world=where, warmup=warmup, believed=believed).freshness

    learning = Learning(folders=folder_ids(history.paths))
    learned = ours(world, learning)
    rules = max(run(rule, silent, weights, rate, warmup, "rule").freshness for rule in RULES)
    others = (ours(world, None), rules, ours(world, replace(learning, explore=0.0)), ours(silent, learning))
    return [learned, *(learned - other for other in others)]


def main(stem: str, *budgets: str) -> None:
    """Print a line for each cell."""
    sys.stdout.write(f"budget importance signals {' '.join(COLUMNS)}\n")
    cut = windows(stem)
    for budget in map(float, budgets or map(str, BUDGETS)):
        for importance, signals in CELLS:
            found = np.array([row(history, budget, importance, signals) for history in cut])
            mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
            cells = [f"{mean[0]:.4f}"]
            cells += [f"{mean[k]:+.4f} ± {error[k]:.4f} ({found[0, k]:+.4f})" for k in range(1, len(mean))]
            sys.stdout.write(f"{budget:g} {importance} {signals} | {' | '.join(cells)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
