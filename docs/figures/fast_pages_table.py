"""The learner where pages change far more often than they are crawled: beside the oracle and equal intervals.

python docs/figures/fast_pages_table.py
"""

import sys

import numpy as np

import recrawl
from recrawl.sim import World

PAGES, WORLDS = 100, 5
ROUNDS = 200
"""A round is one unit of time: as many crawls as pages."""

RANGES = ((0.1, 1.0), (1.0, 10.0), (3.0, 30.0), (10.0, 100.0), (30.0, 300.0))
QUALITY = 0.6
"""Precision and recall, where there are signals."""


def beside(low: float, high: float, policy: str, seed: int) -> tuple[float, float]:
    """What a policy that learns reaches of one that knows, and has more than equal intervals, in the second half."""
    rng = np.random.default_rng(seed)
    rates = np.exp(rng.uniform(np.log(low), np.log(high), size=PAGES))
    importance = rng.uniform(0.0, 1.0, size=PAGES)
    if policy == "greedy":
        pages = recrawl.Pages.from_rates(rates, importance)
    else:
        pages = recrawl.Pages.from_quality(rates, importance, QUALITY, QUALITY)
    world = World.draw(pages, float(ROUNDS), seed)
    learned, known, in_turn = (
        recrawl.simulate(pages, name, rate=float(PAGES), world=world, warmup=ROUNDS / 2).freshness
        for name in (f"{policy}:learn", policy, "uniform")
    )
    return learned / known, learned - in_turn


def main() -> None:
    """Print a row for each range of change rates: without signals, and with."""
    for low, high in RANGES:
        cells = []
        for policy in ("greedy", "greedy-ncis"):
            found = np.array([beside(low, high, policy, seed) for seed in range(WORLDS)])
            (share, more), (error, of_more) = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(WORLDS)
            cells.append(f"{share:.1%} ± {error:.1%} | {more:+.4f} ± {of_more:.4f}")
        sys.stdout.write(f"| {low:g} to {high:g} | {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()
