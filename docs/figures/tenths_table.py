"""The learner by tenths of a run, as a share of the freshness of an oracle that knows all parameters, in percent.

    python docs/figures/tenths_table.py [PAGES [SEEDS [FIRST [EXPLORE]]]]    (one process; half a minute for 12 seeds)

The paper's noisy mix, 100 crawls per unit of time, 1,000 units; seeds are FIRST (100), FIRST + 1, ...  Printed are the
ten tenths, the second half and the whole run: means, and standard errors over seeds.
"""

import sys

import numpy as np

from recrawl.paper.trials.learning_worlds import draw, learned, oracle
from recrawl.sim import Learning

TENTHS = 10


def shares(pages: int, seed: int, learning: Learning) -> list[float]:
    """One world."""
    drawn = draw("paper", pages, seed)
    window = drawn.world.horizon / TENTHS
    best, ours = (run.timeline(window).freshness for run in (oracle(drawn), learned(drawn, learning)))
    half = TENTHS // 2
    return [*(100.0 * ours / best), 100.0 * ours[half:].sum() / best[half:].sum(), 100.0 * ours.sum() / best.sum()]


def main(pages: int = 1000, seeds: int = 12, first: int = 100, explore: int = 100) -> None:
    """Print a row of means and one of errors."""
    if seeds < 2:
        sys.exit("SEEDS must be >= 2, for without that there is no standard error")
    found = np.array([shares(pages, first + k, Learning(explore=float(explore))) for k in range(seeds)])
    error = found.std(axis=0, ddof=1) / np.sqrt(seeds)
    names = [f"{10 * k}%" for k in range(1, TENTHS + 1)] + ["late", "whole run"]
    for row in (names, [f"{x:.1f}" for x in found.mean(axis=0)], [f"± {x:.1f}" for x in error]):
        sys.stdout.write(f"| {' | '.join(row)} |\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # EXPLORE is a whole number, too
