"""The table of docs/frontier.md: learning through a whole frontier, beside scheduler and learner alone.

python docs/figures/learning_in_frontier_table.py [SEEDS]    (two processes; four minutes a seed)
"""

import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from recrawl.paper.beyond.learning import LATE, WINDOWS
from recrawl.paper.trials import instances, learning_worlds
from recrawl.sim import Learning
from recrawl.sim.statistics import Estimate


def shares(task: tuple[int, int]) -> list[float]:
    """Late freshness as a share of the oracle's: of the pairing, and of a frontier, in the same world."""
    pages, seed = task
    drawn = learning_worlds.draw("paper", pages, seed, instances.HORIZON)
    runs = [learning_worlds.oracle(drawn)]
    runs += [learning_worlds.learned(drawn, Learning(frontier=frontier)) for frontier in (False, True)]
    late = [run.timeline(instances.HORIZON / WINDOWS).freshness[LATE].sum() for run in runs]
    return [late[1] / late[0], late[2] / late[0]]


def main(seeds: int) -> None:
    """Print the table."""
    sizes = (1000, 300)
    with ProcessPoolExecutor(2) as pool:
        found = np.array(list(pool.map(shares, [(m, seed) for m in sizes for seed in range(seeds)])))
    print("| pages | scheduler and learner | frontier | difference |\n|---|---|---|---|")  # noqa: T201
    for m, values in zip(sizes, found.reshape(len(sizes), seeds, 2), strict=True):
        cells = [Estimate.of(100.0 * column) for column in (*values.T, values[:, 1] - values[:, 0])]
        print(f"| {m:,} | " + " | ".join(f"{cell.mean:.2f} +- {cell.standard_error:.2f}%" for cell in cells) + " |")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
