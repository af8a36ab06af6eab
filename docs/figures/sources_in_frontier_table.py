"""The table of docs/signals.md: three sources a page, one of them late, learned through a whole frontier.

python docs/figures/sources_in_frontier_table.py [PAGES] [SEEDS] [HORIZON]    (two minutes a seed and 300 pages)
"""

import sys

import numpy as np

from recrawl.paper.trials.sources_in_frontier import WAYS, draw, late_freshness, learned, oracle
from recrawl.sim.statistics import Estimate


def shares(pages: int, seed: int, horizon: float) -> list[float]:
    """Late freshness of the oracle, and that of each of WAYS as a share of it, in percent."""
    case = draw(pages, seed, horizon)
    best = late_freshness(oracle(case))
    return [100.0 * best] + [100.0 * late_freshness(learned(case, way)) / best for way in WAYS]


def main(pages: int, seeds: int, horizon: float) -> None:
    """Print the table, a row at a time."""
    found = []
    print(f"| {pages:,} pages | oracle | " + " | ".join(WAYS) + " |", flush=True)  # noqa: T201
    for seed in range(seeds):
        found.append(shares(pages, seed, horizon))
        print(f"| seed {seed} | " + " | ".join(f"{value:.2f}" for value in found[-1]) + " |", flush=True)  # noqa: T201
    columns = [Estimate.of(column) for column in np.array(found).T]
    print("| mean | " + " | ".join(f"{c.mean:.2f} ± {c.standard_error:.2f}" for c in columns) + " |")  # noqa: T201
    less = [Estimate.of(np.array(found)[:, 1] - column) for column in np.array(found).T[2:]]
    cells = " | ".join(f"{c.mean:.2f} ± {c.standard_error:.2f}" for c in less)
    print(f"| below ours | | | {cells} |")  # noqa: T201


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    main(*(int(each) for each in (given + [300, 3][len(given) :])[:2]), given[2] if len(given) > 2 else 1000.0)
