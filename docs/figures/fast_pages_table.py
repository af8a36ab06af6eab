"""The learner where pages change far more often than they are crawled: freshness as a share of the oracle's.

python docs/figures/fast_pages_table.py [PAGES] [WORLDS]
"""

import sys

import numpy as np

import recrawl
from recrawl.sim import World

ROUNDS = 200
"""A round is one unit of time: as many crawls as pages."""


def share(low: float, high: float, pages: int, seed: int) -> float:
    """What a policy that learns reaches of one that knows, in the second half of a world."""
    rng = np.random.default_rng(seed)
    rates = np.exp(rng.uniform(np.log(low), np.log(high), size=pages))
    drawn = recrawl.Pages.from_rates(rates, importance=rng.uniform(0.0, 1.0, size=pages))
    world = World.draw(drawn, float(ROUNDS), seed)
    runs = [
        recrawl.simulate(drawn, policy, rate=float(pages), world=world, warmup=ROUNDS / 2).freshness
        for policy in ("greedy:learn", "greedy")
    ]
    return runs[0] / runs[1]


def main() -> None:
    """Print a row for each range of change rates."""
    pages, worlds = (int(given) for given in (sys.argv[1:] + ["100", "5"][len(sys.argv) - 1 :]))
    for low, high in ((0.1, 1.0), (1.0, 10.0), (3.0, 30.0), (10.0, 100.0), (30.0, 300.0)):
        shares = np.array([share(low, high, pages, seed) for seed in range(worlds)])
        print(f"{low:>5g} to {high:<5g} {shares.mean():.1%} +- {shares.std(ddof=1) / np.sqrt(worlds):.1%}", flush=True)


if __name__ == "__main__":
    main()
