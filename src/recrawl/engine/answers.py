"""What a scheduler can be asked: values, pages, the level, counters; nothing here changes it."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import Ids, Values, finite_time, whole_ids
from recrawl.engine.beliefs import Beliefs, ids_of_pages
from recrawl.engine.check import check_core
from recrawl.engine.core.layout import (
    ALPHA,
    DEAD,
    DECISIONS,
    EVALUATIONS,
    IN_FLIGHT,
    LEVEL,
    MOST_IN_FLIGHT,
    NOW,
    PAGES,
    PLACE,
    READY,
    SIZE,
    WOKEN,
    Core,
)
from recrawl.engine.core.logical import read_free
from recrawl.engine.core.places import states
from recrawl.engine.core.value import stalenesses_at, values_at
from recrawl.policies import ValuePolicy


class Answers:
    """The half of `Scheduler` that only looks."""

    _core: Core
    _beliefs: Beliefs

    def value(self, ids: ArrayLike, now: float) -> Values:
        """Crawl values of pages at `now`, as the policy sees them."""
        ids = self._ids(ids)
        out = np.empty(len(ids))
        values_at(self._core.numbers, self._core.tables, ids, finite_time(now), self._beliefs.terms, out)
        return out

    def staleness(self, ids: ArrayLike, now: float) -> Values:
        """Stalenesses of pages at `now`, as the policy sees them."""
        ids = self._ids(ids)
        out = np.empty(len(ids))
        stalenesses_at(self._core.numbers, self._core.tables, ids, finite_time(now), out)
        return out

    def known(self, ids: ArrayLike) -> NDArray[np.bool_]:
        """Which of these ids are those of pages."""
        given = whole_ids(ids)
        inside = (given >= 0) & (given < int(self._core.rest[PAGES]))
        found = np.zeros(len(given), dtype=np.bool_)
        found[inside] = states(self._core.links[given[inside], PLACE]) != DEAD
        return found

    def next_free(self, n: int) -> Ids:
        """The ids of removed pages that `add` would give to the next n pages.  O(n)."""
        out = np.empty(n, dtype=np.int64)
        return out[: int(read_free(self._core, out))]

    def unsignalled_rates(self, ids: ArrayLike) -> Values:
        """The unsignalled change rates that are believed of pages."""
        return self._core.numbers[self._ids(ids), ALPHA]

    @property
    def rows(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """The two tables that hold a row for each page, so that a caller can ask for rows ahead of need."""
        return self._core.numbers, self._core.links

    def host_state(self, host: int) -> tuple[float, int, int]:
        """From when on a host may be crawled, how many of its pages are in flight, and how many may be."""
        if not 0 <= host < len(self._core.pool_links) - 1:
            return -math.inf, 0, 1
        links = self._core.pool_links[host + 1]
        return float(self._core.pool_numbers[host + 1, READY]), int(links[IN_FLIGHT]), int(links[MOST_IN_FLIGHT])

    def __repr__(self) -> str:
        now = float(self._core.pool_numbers[0, NOW])
        decisions = int(self._core.rest[DECISIONS])
        return f"<Scheduler {self.policy.name}: {len(self):,} pages, {decisions:,} decisions, now {now:g}>"

    def __len__(self) -> int:
        return int(self._core.pool_links[:, SIZE].sum())

    @property
    def ids_given(self) -> int:
        """How many ids there have been so far, from 0 on, those of removed pages included."""
        return int(self._core.rest[PAGES])

    @property
    def policy(self) -> ValuePolicy:
        """The policy that gives pages their value."""
        return self._beliefs.policy

    @property
    def level(self) -> float:
        """The value around which pages are taken: the current estimate of the multiplier (0 before the first)."""
        common = float(self._core.pool_numbers[0, LEVEL])
        return common if common > 0.0 else float(self._core.pool_numbers[:, LEVEL].max())

    @property
    def statistics(self) -> dict[str, int]:
        """Decisions made, values computed, sleepers woken because the level fell, and pages aside for their hosts."""
        counters = self._core.rest
        return {
            "decisions": int(counters[DECISIONS]),
            "evaluations": int(counters[EVALUATIONS]),
            "woken": int(counters[WOKEN]),
            "aside": int(self._core.pool_links[1:, SIZE].sum()),
        }

    def check(self) -> None:
        """Assert every invariant; AssertionError says which one broke.  O(pages)."""
        check_core(self._core)

    def _ids(self, ids: ArrayLike) -> Ids:
        return ids_of_pages(self._core, ids)
