"""What a caller may set by hand in a learner: importance, intervals, the unit of time, a page that moved."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl._jit import jit
from recrawl.arguments import (
    Ids,
    above,
    all_different,
    at_least_0,
    between,
    finite_time,
    known_ids,
    times,
    whole_number,
)
from recrawl.arguments import counts as checked_counts
from recrawl.learn.online import observing
from recrawl.learn.online.importance import importance, request_scale, scale_back
from recrawl.learn.online.layout import (
    EXPLORE,
    HALF_LIFE,
    HOST_COUNT,
    LEAST_UNIT,
    MOST_UNIT,
    OUTCOMES,
    PACE,
    PACE_KNOWN,
    PAGE_COUNT,
    PAGES,
    PER_PAGE,
    REGIME,
    REQUEST_TIME,
    REQUESTS,
    REQUESTS_FROM,
    SIGNAL_RATE,
    TIME,
    Memory,
)
from recrawl.learn.online.refreshing import SLICE, Job
from recrawl.learn.online.type_likelihood import set_pace

Array = NDArray[np.float64]


@jit
def _importances(memory: Memory, ids: Ids, out: Array) -> None:
    for k in range(len(ids)):
        out[k] = importance(memory, ids[k])


class ByHand:
    """The part of `Learner` that takes what it is told."""

    _memory: Memory
    _job: Job

    @property
    def watches_requests(self) -> bool:
        """Whether importance is learned from requests."""
        return bool(self._memory.numbers[REQUESTS_FROM] < math.inf)

    def given_importance(self, ids: ArrayLike) -> Array:
        """Importance of pages as it was given or learned, without what curiosity adds.  O(1) a page."""
        given = self._known(ids)
        out = np.empty(len(given))
        _importances(self._memory, given, out)
        return out

    def reweigh(self, ids: ArrayLike, importance: ArrayLike, now: float) -> None:
        """Another importance for pages; requests since then count on top of it.  O(1) a page."""
        given = all_different(self._known(ids))
        weights = checked_counts("importance", importance, len(given))
        now = finite_time(now)
        numbers, scale = self._memory.numbers, 1.0
        if self.watches_requests:
            scale_back(self._memory, now)
            scale = request_scale(self._memory, now)
            self._memory.born[given] = np.minimum(self._memory.born[given], now)
        self._memory.sums[given, REQUESTS] = weights * numbers[REQUEST_TIME] * scale

    def expect_unit(self, unit: float) -> None:
        """Before the first outcome: an average page will be crawled once in this time."""
        unit = between("unit", unit, LEAST_UNIT, MOST_UNIT)
        numbers = self._memory.numbers
        if numbers[OUTCOMES] == 0.0:
            set_pace(self._memory, 1.0 / unit)
            numbers[SIGNAL_RATE] = numbers[PACE]
            numbers[PACE_KNOWN] = 1.0

    def retune(self, half_life: float, explore: float, refresh_slice: int | None) -> None:
        """Other settings from now on; see `Learner`."""
        half = above("half_life", half_life, least=0.0)
        rounds = at_least_0("explore", explore)
        a_call = math.inf if refresh_slice is None else whole_number("refresh_slice", refresh_slice, 1)
        self._memory.numbers[[HALF_LIFE, EXPLORE]] = half, rounds
        self._job.state[SLICE] = a_call

    def copy(self, page: int, to: int, host: int) -> None:
        """All that is known of a page is known of another one, which is of that host."""
        page, to = (int(i) for i in self._known([page, to]))
        for name in PER_PAGE:
            column = getattr(self._memory, name)
            column[to] = column[page]
        self._memory.host[to] = host
        self._memory.regime[to] = self._memory.watch[host + 1, REGIME]
        self._memory.watch[host + 1, PAGES] += float(self._memory.sums[to, TIME] > 0.0)

    def restart(self, ids: ArrayLike, at: ArrayLike, signals: ArrayLike = 0) -> None:
        """Have the intervals of these pages begin anew at `at`, with that number of signals since, and learn nothing.

        For crawls that compared nothing, such as a first copy; and for signals that came while a page was in flight:
        they belong to the interval that begins, not to the one that `observe` ended.  O(1) a page.
        """
        given = all_different(self._known(ids))
        moments = times("at", at, len(given))
        heard = checked_counts("signals", signals, len(given))
        self.restart_known(given, moments, heard)

    def restart_known(self, ids: Ids, at: Array, signals: Array) -> None:
        """`restart`, for a caller that has checked all of it."""
        self._memory.crawled[ids] = at
        self._memory.open[ids] = signals

    def hear(self, ids: Ids, now: float, weights: Array) -> None:
        """`signalled`, for a caller that has checked all of it; no weights where each signal counts as one."""
        observing.hear(self._memory, ids, weights, now)

    def heard(self, ids: ArrayLike) -> Array:
        """How many signals these pages have had in their present interval, each counted by its weight."""
        return self._memory.open[self._known(ids)].astype(np.float64)

    @property
    def rows_heard(self) -> tuple[NDArray[np.float32], NDArray[np.float32], Array]:
        """What `hear` reads, so that a caller can ask for rows ahead of need: two tables by page, one by host + 1."""
        return self._memory.open, self._memory.sums, self._memory.watch

    def heard_known(self, ids: Ids) -> Array:
        """`heard`, for a caller that has checked the ids."""
        return self._memory.open[ids].astype(np.float64)

    @property
    def memory(self) -> Memory:
        """What compiled loops read and write; it is another one after `add`."""
        return self._memory

    @property
    def host_count(self) -> int:
        """Hosts that pages are of, as far as they have numbers."""
        return int(self._memory.numbers[HOST_COUNT])

    @property
    def all_crawled(self) -> Array:
        """When the present intervals of all pages began, as it is kept: a view."""
        return self._memory.crawled

    def crawled(self, ids: ArrayLike) -> Array:
        """When the present intervals of these pages began."""
        return self._memory.crawled[self._known(ids)]

    def _known(self, ids: ArrayLike) -> Ids:
        return known_ids(ids, int(self._memory.numbers[PAGE_COUNT]))
