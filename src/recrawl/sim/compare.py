"""Policies side by side: each repetition is one world, in which every policy runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from recrawl.model import Pages
from recrawl.optimal import optimum
from recrawl.sim.delays import Delay
from recrawl.sim.repeat import repeat
from recrawl.sim.rules import Policy, find
from recrawl.sim.simulation import simulate
from recrawl.sim.statistics import Estimate, mean_and_error, paired_difference
from recrawl.sim.world import World

MakePages = Callable[[int], Pages]
"""Draws the pages of a repetition from its seed."""


@dataclass(frozen=True)
class Comparison:
    """Freshness by repetition (rows) and policy (columns), and the share of crawls that found no change.

    `optimum` is the best possible freshness of each repetition's pages at this rate.
    """

    policies: tuple[str, ...]
    seeds: tuple[int, ...]
    freshness: np.ndarray
    redundant: np.ndarray
    optimum: np.ndarray

    def of(self, policy: str) -> Estimate:
        """Mean freshness of a policy."""
        return mean_and_error(self.freshness[:, self.policies.index(policy)])

    def difference(self, policy: str, other: str) -> Estimate:
        """By how much a policy is fresher than another in the same worlds."""
        first, second = (self.freshness[:, self.policies.index(name)] for name in (policy, other))
        return paired_difference(first, second)

    def share_of_optimum(self, policy: str) -> Estimate:
        """Freshness over the best possible, repetition by repetition."""
        return mean_and_error(self.freshness[:, self.policies.index(policy)] / self.optimum)

    def redundant_share(self, policy: str) -> Estimate:
        """Share of the crawls that found no change."""
        return mean_and_error(self.redundant[:, self.policies.index(policy)])


def compare(
    pages: Pages | MakePages,
    policies: Sequence[Policy],
    rate: float = 100.0,
    horizon: float = 1000.0,
    repetitions: int = 10,
    seed: int = 0,
    warmup: float = 0.0,
    delay: Delay | None = None,
    cores: int | None = None,
    **settings: Any,
) -> Comparison:
    """Run every policy in the same worlds, of seeds `seed`, `seed + 1`, ...

    `pages` are the same in all repetitions, or drawn for each from its seed.  `settings` are further ones of
    `simulate`: discard, bandwidth, believed, hosts.

    >>> pages = Pages.from_rates(change_rate=[1.0, 2.0, 0.5], importance=1.0, recall=0.5, false_signal_rate=0.2)
    >>> both = compare(pages, ["greedy-ncis", "greedy"], rate=3.0, repetitions=3, cores=1)
    >>> both.difference("greedy-ncis", "greedy").mean > 0.02
    True
    """
    settings |= {"rate": rate, "warmup": warmup}
    world = {"horizon": horizon, "delay": delay}
    names = tuple(find(policy)[0] for policy in policies)
    done = repeat(partial(_one, pages, tuple(policies), world, settings), repetitions, seed, cores, "worlds")
    best = [row[2] for row in done]
    if isinstance(pages, Pages):
        best = [optimum(pages, rate).freshness] * repetitions
    return Comparison(
        names,
        tuple(range(seed, seed + repetitions)),
        np.array([row[0] for row in done]),
        np.array([row[1] for row in done]),
        np.array(best),
    )


def _one(
    pages: Pages | MakePages,
    policies: Sequence[Policy],
    world_settings: dict[str, Any],
    settings: dict[str, Any],
    seed: int,
) -> tuple[list[float], list[float], float]:
    """Freshness and redundant shares by policy, and the optimum where the pages are this repetition's own."""
    drawn = pages if isinstance(pages, Pages) else pages(seed)
    world = World.draw(drawn, seed=seed, **world_settings)
    runs = [simulate(drawn, policy, world=world, **settings) for policy in policies]
    best = np.nan if isinstance(pages, Pages) else optimum(drawn, settings["rate"]).freshness
    shares = [run.redundant / max(int(run.crawls.sum()), 1) for run in runs]
    return [run.freshness for run in runs], shares, best
