"""Freshness lost by splitting the pages over N schedulers, from theory: the optimum of each shard at its own rate."""

from typing import Any, Literal

import numpy as np

from recrawl.bench.mix import paper_mix
from recrawl.model import Pages
from recrawl.optimal import optimum
from recrawl.shards import Shards

PAGES = 100_000
SHARDS = (1, 4, 16, 64, 256)
SEEDS = (0, 1, 2)

NOTES = (
    f"R = m/10, the paper's noisy mix, seeds {', '.join(map(str, SEEDS))}; keys are URLs that differ by seed",
    "lost: freshness (weighted by importance) below that of one optimum over all pages; se: standard error over seeds",
    "share optimum loses nothing by construction as long as the parameters are right: a check of the arithmetic",
    "not in it: the gap between a greedy schedule and its own optimum, which grows as shards get small",
)


def run(pages: int | None) -> list[dict[str, Any]]:
    """Freshness and losses by number of shards, means over the seeds."""
    m = pages or PAGES
    worlds = [_World(m, seed) for seed in SEEDS]
    return [_row(worlds, shards) for shards in SHARDS]


class _World:
    """The pages of one seed, their keys and their optimum."""

    def __init__(self, m: int, seed: int) -> None:
        self.pages = paper_mix(m, seed)
        self.keys = [f"https://example.org/{seed}/{i}" for i in range(m)]
        self.rate = m / 10
        self.best = optimum(self.pages, self.rate).freshness

    def freshness(self, shards: int, share: Literal["equal", "optimum"]) -> tuple[float, float]:
        """The freshness of all pages, each shard at its optimum, and how far a share is from R/N at most."""
        split = Shards(self.pages, self.keys, shards, self.rate, share)
        weights = [float(self.pages.importance[mine].sum()) for mine in split.members]
        fresh = [_best(self.pages[mine], rate) for mine, rate in zip(split.members, split.rates, strict=True)]
        spread = float(np.abs(split.rates * shards / self.rate - 1.0).max())
        return float(np.average(fresh, weights=weights)), spread


def _best(pages: Pages, rate: float) -> float:
    return optimum(pages, rate).freshness if len(pages) and rate > 0.0 else 0.0


def _row(worlds: list[_World], shards: int) -> dict[str, Any]:
    equal = [world.freshness(shards, "equal")[0] for world in worlds]
    shared = [world.freshness(shards, "optimum") for world in worlds]
    lost, lost_se = _mean([world.best - got for world, got in zip(worlds, equal, strict=True)])
    rest, rest_se = _mean([world.best - got for world, (got, _) in zip(worlds, shared, strict=True)])
    return {
        "shards": shards,
        "pages_a_shard": len(worlds[0].pages) // shards,
        "freshness_equal": float(np.mean(equal)),
        "lost_equal": lost,
        "se_equal": lost_se,
        "lost_optimum": rest,
        "se_optimum": rest_se,
        "widest_share_off": float(np.mean([spread for _, spread in shared])),
    }


def _mean(values: list[float]) -> tuple[float, float]:
    """Mean and standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5)
