"""Limits that decisions keep to: gaps and pages in flight of hosts, greatest ages of pages, time that goes forward."""

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import SPARE_LABELS, all_different, finite_time, per_page, real, whole_number
from recrawl.engine import growth
from recrawl.engine.answers import Answers
from recrawl.engine.core import actions
from recrawl.engine.core.layout import GAP, MOST_IN_FLIGHT, NOW, PAGES, READY
from recrawl.engine.core.places import MOST_HOSTS
from recrawl.engine.core.pools import place_pool
from recrawl.errors import InputError


class Limits(Answers):
    """The part of `Scheduler` that sets limits."""

    def set_max_age(self, ids: ArrayLike, max_age: ArrayLike, now: float) -> None:
        """Greatest ages of pages, past which they outrank all values; infinite for none.  O(log pages) a page."""
        given = all_different(self._ids(ids))
        ages = per_page("max_age", max_age, len(given), positive=True)
        now = self._advance(now)
        if np.any(ages < np.inf):
            self._core = growth.with_pages(self._core, 0, aged=True)
        if len(self._core.max_age):
            actions.set_max_age(self._core, given, ages, now)

    def set_host(self, host: int, gap: float = 0.0, max_in_flight: int | None = None) -> None:
        """From now on, crawls of this host keep `gap` apart, and at most `max_in_flight` are leased at once."""
        pool = self._pool(host)
        most = np.iinfo(np.int32).max
        if max_in_flight is not None:
            most = min(whole_number("max_in_flight", max_in_flight, 1), most)
        seconds = real(gap)
        if seconds is None or not seconds >= 0.0:
            raise InputError(f"gap must be a number >= 0, got {gap!r:.80}", argument="gap")
        self._core.pool_numbers[pool, GAP] = seconds
        self._core.pool_links[pool, MOST_IN_FLIGHT] = most
        place_pool(self._core, pool, self._core.pool_numbers[0, NOW])

    def host_ready(self, host: int, when: float) -> None:
        """The host may be crawled from `when` on (earlier or later than its gap would say)."""
        pool = self._pool(host)
        self._core.pool_numbers[pool, READY] = finite_time(when, name="when")
        place_pool(self._core, pool, self._core.pool_numbers[0, NOW])

    def _advance(self, now: float) -> float:
        """Let it be `now`, as a float: kernels are compiled for no other kind of number."""
        now = finite_time(now, float(self._core.pool_numbers[0, NOW]))
        self._core.pool_numbers[0, NOW] = now
        return now

    def _pool(self, host: int) -> int:
        host = whole_number("host", host, 0)
        most = min(len(self._core.pool_links) + int(self._core.rest[PAGES]) + SPARE_LABELS, MOST_HOSTS)
        if host >= most:
            raise InputError(f"host must be numbered without gaps, 0, 1, 2, ..., got {host}", argument="host")
        self._core = growth.with_pools(self._core, host + 2)
        return host + 1
