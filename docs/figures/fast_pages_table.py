"""The learner where pages change far more often than they are crawled: freshness as a share of the oracle's.

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


def share(low: float, high: float, policy: str, seed: int) -> float:
    """What a policy that learns reaches of one that knows, in the second half of a world."""
    rng = np.random.default_rng(seed)
    rates = np.exp(rng.uniform(np.log(low), np.log(high), size=PAGES))
    importance = rng.uniform(0.0, 1.0, size=PAGES)
    if policy == "greedy":
        pages = recrawl.Pages.from_rates(rates, importance)
    else:
        pages = recrawl.Pages.from_quality(rates, importance, QUALITY, QUALITY)
    world = World.draw(pages, float(ROUNDS), seed)
    learned, known = (
        recrawl.simulate(pages, name, rate=float(PAGES), world=world, warmup=ROUNDS / 2).freshness
        for name in (f"{policy}:learn", policy)
    )
    return learned / known


def main() -> None:
    """Print a row for each range of change rates: without signals, and with."""
    for low, high in RANGES:
        cells = []
        for policy in ("greedy", "greedy-ncis"):
            shares = np.array([share(low, high, policy, seed) for seed in range(WORLDS)])
            cells.append(f"{shares.mean():.1%} ± {shares.std(ddof=1) / np.sqrt(WORLDS):.1%}")
        sys.stdout.write(f"| {low:g} to {high:g} | {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()
