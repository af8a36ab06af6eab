"""`Run`: what a policy did in a world, and how fresh it kept the copies."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import InputError
from recrawl.sim import score
from recrawl.sim.events import Events, Ids, Times
from recrawl.sim.world import World

Flags = NDArray[np.bool_]


class Timeline(NamedTuple):
    """Freshness over time: a window ends at each of `times`; accuracy is NaN in a window without requests."""

    times: Times
    accuracy: Times
    freshness: Times


class Outcomes(NamedTuple):
    """What each crawl saw: time and signals since the crawl before, and whether the page had changed since."""

    elapsed: Times
    signals: Ids
    changed: Flags


@dataclass(frozen=True, repr=False)
class Run:
    """The crawls of one policy in one world.

    `crawl_times` and `crawl_pages` are all crawls, in order; `idle` is how many more there was bandwidth for while no
    page could be crawled.  What is measured is measured from `warmup` to the horizon.
    """

    policy: str
    world: World
    importance: Times
    crawl_times: Times
    crawl_pages: Ids
    warmup: float = 0.0
    idle: int = 0

    def __repr__(self) -> str:
        return (
            f"Run(policy={self.policy!r}, pages={len(self.world)}, crawls={len(self.crawl_times)}, "
            f"horizon={self.horizon:g}, freshness={self.freshness:.4f})"
        )

    @property
    def horizon(self) -> float:
        """When the run ends."""
        return self.world.horizon

    # -- how fresh -------------------------------------------------------------------------------------------------

    @cached_property
    def freshness(self) -> float:
        """Share of the time that copies are fresh, weighted by importance: accuracy, less the chance of requests."""
        weights = self.weights
        total = weights.sum()
        return min(float(weights @ self.page_freshness / total), 1.0) if total > 0.0 else 1.0

    @cached_property
    def weights(self) -> Times:
        """What each page counts in `freshness`: its importance, times how long it is there where pages come and go."""
        weights = self.importance if self.importance.any() else np.ones(len(self.importance))
        there = self.world.presence
        return weights if there is None else weights * there.days(self.warmup, self.horizon)

    @cached_property
    def page_freshness(self) -> Times:
        """Share of the time that the copy of each page is fresh, while the page is there; 1 where it never is."""
        out = np.empty(len(self.world))
        there = self.world.presence
        if there is None:
            score.fresh_time(*self._crawls_and_changes, self.warmup, self.horizon, out)
            return np.minimum(out / (self.horizon - self.warmup), 1.0)
        columns = (there.born, there.removed, there.announced)
        score.fresh_time_there(*self._crawls_and_changes, *columns, self.warmup, self.horizon, out)
        days = there.days(self.warmup, self.horizon)
        return np.minimum(np.divide(out, days, out=np.ones_like(out), where=days > 0.0), 1.0)

    @cached_property
    def accuracy(self) -> float:
        """Share of the requests that met a fresh copy; NaN where there were none."""
        measured = self.world.requests.times >= self.warmup
        return float(self.met_fresh[measured].mean()) if measured.any() else math.nan

    @cached_property
    def met_fresh(self) -> Flags:
        """Whether each of `world.requests` met a fresh copy."""
        requests = self.world.requests
        out = np.empty(len(requests), dtype=np.bool_)
        score.meet_fresh(*self._crawls_and_changes, requests.start, requests.times, out)
        return out

    def timeline(self, window: float) -> Timeline:
        """Accuracy and freshness in windows of this length, from time 0 on, warm-up included."""
        self._refuse_coming("timeline")
        if not 0.0 < window <= self.horizon:
            raise InputError(f"window must be in (0, {self.horizon:g}], got {window}", argument="window")
        edges = np.append(np.arange(math.ceil(self.horizon / window * (1.0 - 1e-12))) * window, self.horizon)
        weights = self.importance if self.importance.any() else np.ones(len(self.importance))
        fresh = np.zeros(len(edges) - 1)
        score.fresh_in_windows(*self._crawls_and_changes, weights, edges, fresh)
        asked, _ = np.histogram(self.world.requests.times, edges)
        met, _ = np.histogram(self.world.requests.times[self.met_fresh], edges)
        with np.errstate(invalid="ignore"):
            accuracy = met / asked
        return Timeline(edges[1:], accuracy, fresh / (weights.sum() * np.diff(edges)))

    def recent_accuracy(self, requests: int = 1000) -> tuple[Times, Times]:
        """Accuracy over the last `requests` requests, and when each of them came: the paper's figure on bandwidth."""
        if requests < 1:
            raise InputError(f"requests must be >= 1, got {requests}", argument="requests")
        order = np.argsort(self.world.requests.times, kind="stable")
        met = np.concatenate(([0], np.cumsum(self.met_fresh[order])))
        return self.world.requests.times[order][requests - 1 :], (met[requests:] - met[:-requests]) / requests

    # -- what was crawled ------------------------------------------------------------------------------------------

    @cached_property
    def crawls(self) -> Ids:
        """Crawls of each page."""
        return np.bincount(self.crawl_pages[self.crawl_times > self.warmup], minlength=len(self.world))

    @property
    def rates(self) -> Times:
        """Crawls of each page per unit of time."""
        return self.crawls / (self.horizon - self.warmup)

    @property
    def redundant(self) -> int:
        """Crawls that found no change."""
        return int(np.count_nonzero(~self.outcomes.changed[self.crawl_times > self.warmup]))

    @cached_property
    def outcomes(self) -> Outcomes:
        """What each of all crawls saw, in their order."""
        self._refuse_coming("outcomes")
        n = len(self.crawl_times)
        seen = Outcomes(np.empty(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.bool_))
        world = self.world
        score.outcomes(
            self.crawl_times,
            self.crawl_pages,
            world.changes.start,
            world.changes.times,
            world.signal_times,
            world.signal_pages,
            *seen,
        )
        return seen

    def summary(self) -> dict[str, str | float | int]:
        """The main figures by name."""
        return {
            "policy": self.policy,
            "freshness": self.freshness,
            "accuracy": self.accuracy,
            "crawls": int(self.crawls.sum()),
            "redundant": self.redundant,
            "idle": self.idle,
        }

    def _refuse_coming(self, what: str) -> None:
        if self.world.presence is not None:
            raise InputError(f"{what} must be of a world whose pages are there throughout", argument="world")

    @cached_property
    def _crawls_and_changes(self) -> tuple[Ids, Times, Ids, Times]:
        by_page = Events.grouped(self.crawl_pages, self.crawl_times, len(self.world))
        return by_page.start, by_page.times, self.world.changes.start, self.world.changes.times
