"""Policies side by side: each repetition is one world, in which every policy runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.model.latencies import DrawnLatency
from recrawl.optimal import optimum
from recrawl.sim.progress import part
from recrawl.sim.repeat import repeat
from recrawl.sim.rules import Policy, find_learning
from recrawl.sim.simulation import RATE, latency_of, make_world, simulate
from recrawl.sim.statistics import Estimate, paired_difference
from recrawl.sim.trace import Trace

MakePages = Callable[[int], Pages]
"""Draws the pages of a repetition from its seed."""


@dataclass(frozen=True)
class Comparison:
    """Freshness by repetition (rows) and policy (columns), accuracy, and the share of crawls that found no change.

    `optimum` is the best possible freshness of each repetition's pages at this rate, NaN where a `bandwidth` schedule
    changes it; over a short horizon chance may lift a policy above it.  Accuracy is NaN unless it was asked for.
    """

    policies: tuple[str, ...]
    seeds: tuple[int, ...]
    freshness: np.ndarray
    accuracy: np.ndarray
    redundant: np.ndarray
    optimum: np.ndarray

    def of(self, policy: str) -> Estimate:
        """Mean freshness of a policy."""
        return Estimate.of(self.freshness[:, self._place(policy)])

    def difference(self, policy: str, other: str) -> Estimate:
        """By how much a policy is fresher than another in the same worlds."""
        first, second = (self.freshness[:, self._place(name)] for name in (policy, other))
        return paired_difference(first, second)

    def share_of_optimum(self, policy: str) -> Estimate:
        """Freshness over the best possible, repetition by repetition."""
        return Estimate.of(self.freshness[:, self._place(policy)] / self.optimum)

    def accuracy_of(self, policy: str) -> Estimate:
        """Mean accuracy of a policy."""
        return Estimate.of(self.accuracy[:, self._place(policy)])

    def redundant_share(self, policy: str) -> Estimate:
        """Share of the crawls that found no change."""
        return Estimate.of(self.redundant[:, self._place(policy)])

    def _place(self, policy: str) -> int:
        if policy not in self.policies:
            raise InputError(f"policy must be one of {', '.join(self.policies)}, got {policy!r}", argument="policy")
        return self.policies.index(policy)


def compare(
    pages: Pages | MakePages,
    policies: Sequence[Policy],
    rate: float = RATE,
    horizon: float | None = None,
    repetitions: int = 10,
    seed: int = 0,
    warmup: float = 0.0,
    latency: DrawnLatency | None = None,
    trace: Trace | None = None,
    accuracy: bool = False,
    workers: int | None = None,
    **settings: Any,
) -> Comparison:
    """Run every policy in the same worlds, of seeds `seed`, `seed + 1`, ..., at `rate` crawls per unit of time.

    `pages` are the same in all repetitions, or drawn for each from its seed.  A trace is one world: it takes one
    repetition.  `accuracy` asks for requests, which are many.  `settings` are further ones of `simulate`: discard,
    bandwidth, believed, hosts, believed_latency.

    >>> pages = Pages.from_rates(change_rate=[1.0, 2.0, 0.5], importance=1.0, recall=0.5, false_signal_rate=0.2)
    >>> both = compare(pages, ["greedy-ncis", "greedy"], rate=3.0, repetitions=3, workers=1)
    >>> both.difference("greedy-ncis", "greedy").mean > 0.02
    True
    """
    if trace is not None and repetitions != 1:
        raise InputError(f"repetitions must be 1 with a trace, which is one world, got {repetitions}", "repetitions")
    names = _names(policies)
    settings |= {"rate": rate, "warmup": warmup}
    if "believed_latency" in settings:
        settings["believed_latency"] = latency_of(settings["believed_latency"], latency)
    one = partial(_one, pages, tuple(policies), (horizon, latency, trace), settings, accuracy)
    done = repeat(one, repetitions, seed, workers, "worlds")
    freshness, met, redundant = np.moveaxis(np.array([row for row, _ in done]), -1, 0)
    best = [row[1] for row in done]
    if isinstance(pages, Pages):
        best = [_best(pages, settings)] * repetitions
    seeds = tuple(range(seed, seed + repetitions))
    return Comparison(names, seeds, freshness, met, redundant, np.array(best))


def _names(policies: Sequence[Policy]) -> tuple[str, ...]:
    """Results are told apart by these."""
    if isinstance(policies, str) or not policies:
        raise InputError(f"policies must be a list of at least one, got {policies!r}", argument="policies")
    names = [find_learning(policy)[0] for policy in policies]
    for k, name in enumerate(names):
        if name in names[:k]:
            raise InputError(
                f"policies must have different names, got {name} twice; a function goes by its __name__", "policies"
            )
    return tuple(names)


def _one(
    pages: Pages | MakePages,
    policies: Sequence[Policy],
    setting: tuple[float | None, DrawnLatency | None, Trace | None],
    settings: dict[str, Any],
    accuracy: bool,
    seed: int,
) -> tuple[list[tuple[float, float, float]], float]:
    """Freshness, accuracy and redundant share by policy; the optimum where the pages are this repetition's own."""
    horizon, latency, trace = setting
    drawn = pages if isinstance(pages, Pages) else pages(seed)
    parts = len(policies) + 1
    with part(0, parts):
        world = make_world(drawn, horizon, seed, latency, trace)
    figures = []
    for k, policy in enumerate(policies):
        # What others are told, a policy that learns finds out.
        told = settings if not find_learning(policy)[2] else {**settings, "believed": _learning(settings)}
        with part(k + 1, parts):
            run = simulate(drawn, policy, world=world, **told)
            share = run.redundant / max(int(run.crawls.sum()), 1)
            figures.append((run.freshness, run.accuracy if accuracy else np.nan, share))
    return figures, np.nan if isinstance(pages, Pages) else _best(drawn, settings)


def _learning(settings: dict[str, Any]) -> Any:
    believed = settings.get("believed")
    return None if isinstance(believed, Pages) else believed


def _best(pages: Pages, settings: dict[str, Any]) -> float:
    return float(np.nan) if settings.get("bandwidth") is not None else optimum(pages, settings["rate"]).freshness
