"""How often 95% intervals hold the truth, on the appendix's setting.

    python docs/figures/coverage_table.py 400 100000

Arguments: pages, horizon.  Seed 1.
"""

import sys

import numpy as np

from recrawl.learn import fit
from recrawl.learn.fit.fit import QUANTITIES
from recrawl.paper.trials import appendix

SEED = 1


def main(pages: int, horizon: float) -> None:
    """Print the share of pages whose interval holds the truth, by quantity."""
    rng = np.random.default_rng(SEED)
    held = dict.fromkeys(QUANTITIES, 0)
    for k in range(pages):
        trial = appendix.draw(rng, appendix.CRAWL_RATIOS[k % len(appendix.CRAWL_RATIOS)], horizon)
        for name, (low, high) in fit(trial.elapsed, trial.signals, trial.changed).interval(0.95).items():
            held[name] += low <= getattr(trial.page, name).item() <= high
    for name, count in held.items():
        sys.stdout.write(f"{name:<18}{count / pages:8.4f}  of {pages:,} pages, horizon {horizon:,.0f}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
