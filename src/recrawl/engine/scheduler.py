"""`Scheduler`: exactly the best page, at next to no cost.

Theory of operation
-------------------
`scan.py` defines what is right: look at every page, take the best.  This gives the same answers without looking.

1. V only grows while nothing happens to a page, and no faster than is known.  So each page stands under a promise:
   worth at most a bound (promise.py) until some time, which is kept in a timing wheel (wheel.py).
2. A decision looks at pages in order of their bounds until the best found beats the next bound (pick.py).  What it
   returns is then the best of all, and ties go to the lowest id, as in the scan.
3. Bounds near the level are ranked in a heap; those below lie in buckets and need no order (settle.py).  What a burst
   of signals lifts is ranked, and moves nothing else.
4. Pages that wait for their host live in a pool of its own; pools compete by bounds as pages do (pools.py).
5. Nothing depends on the crawl rate: bandwidth is how often `take` is called.
6. State is arrays of numbers (layout.py): 92 bytes a page, saved and loaded as they are (snapshot.py).

Time is an argument, never read; it may stand still but not go back.
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import (
    all_different,
    finite_time,
    is_plain,
    known_ids,
    numbers,
    per_page,
    times,
    unknown_id,
    whole_number,
)
from recrawl.engine import growth, logical, replay, snapshot
from recrawl.engine.beliefs import Beliefs, check_hosts, classes_in, source_weights
from recrawl.engine.core import actions, coincidence
from recrawl.engine.core.checks import first_leased, first_not_leased
from recrawl.engine.core.layout import (
    NOW,
    PAGES,
    Core,
    empty_core,
)
from recrawl.engine.levels import MANY, SAMPLE, lower_levels
from recrawl.engine.limits import Limits
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.model.latencies import KnownLatency
from recrawl.model.pages import some_pages
from recrawl.model.sources import Sources
from recrawl.policies import ValuePolicy

Ids = NDArray[np.int64]
Values = NDArray[np.float64]


_NONE = np.empty(0)
_AHEAD = 500.0
"""Crawls may be reported from ahead of the last decision, but not with times this many times as large: milliseconds for
seconds would put a page to sleep for good."""
_NO_CLASSES = np.empty(0, dtype=np.int64)


class Scheduler(Limits):
    """Who is crawled next.

    `pages` are all crawled at `now` to begin with.  `hosts` gives each page a host number (-1: none; see `set_host`);
    `max_age` a greatest age past which a page outranks all values, oldest first; `discard` a window after each crawl in
    which signals are dropped (the paper's NCIS-D); `sources` the weight of a signal by source, of shape (sources,) or
    (pages, sources), and `source_discard` windows by source.

    `latency` is how late signals come, a distribution (`sim.Exponential(0.5)`, `learn.latency(...)`): signals weigh by
    their age at arrival, and pages age by what may be under way.  `sources` may also be `Sources`, classes of pages by
    the quality of their sources; `source_class` then says which page is of which (-1: none), and signals of two sources
    within `coincidence` of each other are one change for certain.

    >>> from recrawl import Pages, Scheduler
    >>> s = Scheduler(Pages.from_rates(change_rate=[1.0, 3.0, 2.0], importance=1.0, recall=0.5, false_signal_rate=0.1))
    >>> s.take(1, now=1.0).tolist()
    [1]
    >>> s.signal([0, 0], now=1.1)
    0
    >>> s.take(2, now=1.2).tolist()
    [0, 2]
    """

    def __init__(
        self,
        pages: Pages,
        policy: str | ValuePolicy = "greedy-ncis",
        now: float = 0.0,
        *,
        hosts: ArrayLike | None = None,
        max_age: ArrayLike = np.inf,
        discard: ArrayLike = 0.0,
        sources: ArrayLike | Sources | None = None,
        source_discard: ArrayLike = 0.0,
        latency: KnownLatency | None = None,
        source_class: ArrayLike | None = None,
        coincidence: float = 0.0,
    ) -> None:
        some_pages(pages)
        self._beliefs = Beliefs(policy, sources)
        aged = bool(np.any(numbers("max_age", max_age) < np.inf))
        tables = self._beliefs.tables(latency)
        self._core = empty_core(max(len(pages), 16), 1, self._beliefs.terms, finite_time(now), aged, tables)
        self._discard = np.zeros(0)
        weights = None if isinstance(sources, Sources) else sources
        self._weights = np.zeros((0, 1)) if weights is None else source_weights(weights, len(pages))[:0]
        self._source_discard = per_page("source_discard", source_discard, np.size(source_discard), positive=False)
        several = self._beliefs.sources if weights is None else self._weights.shape[1]
        if len(self._source_discard) not in (1, several):
            raise InputError(f"source_discard must be one window or {several}", argument="source_discard")
        self._quantum_pages = 0
        self._heard = np.zeros((0, 2))
        self._coincidence = per_page("coincidence", coincidence, 1, positive=False)[0]
        self.add(pages, now, hosts=hosts, max_age=max_age, discard=discard, sources=weights, source_class=source_class)

    # -- deciding ------------------------------------------------------------------------------------------------

    def take(self, n: int, now: float) -> Ids:
        """Ids of the n pages of highest crawl value at `now`, best first, which count as crawled at `now`.

        Fewer where fewer may be crawled.  A handful of values a page, whatever the number of pages.
        """
        return self._decide(actions.take, n, now)

    def peek(self, n: int, now: float) -> Ids:
        """The same without marking."""
        return self._decide(actions.peek, n, now)

    def lease(self, n: int, now: float) -> Ids:
        """Like `take`, but held: in flight, not offered again until `crawled` or `release`."""
        return self._decide(actions.lease, n, now)

    def hold(self, ids: ArrayLike, now: float) -> None:
        """Lease these very pages, as `lease` would have: for a caller that knows, from a journal, who was leased.

        Neither values nor hosts are asked; hosts take note.  O(log pages) a page.
        """
        ids = all_different(self._ids(ids))
        bad = first_leased(self._core.links, ids)
        if bad >= 0:
            raise InputError(f"ids must not be leased, got {ids[bad]}, which is", argument="ids")
        now = self._advance(now)
        if len(ids):
            actions.hold(self._core, now, ids)

    def replay(
        self, times: ArrayLike, signal_times: ArrayLike, signal_ids: ArrayLike, signal_sources: ArrayLike = 0
    ) -> Ids:
        """What `take(1)` at each of `times` gives, -1 where no page may be crawled, at compiled speed.

        Signals come in order of time, those up to a moment before it; those after the last moment stay unheard.
        """
        return replay.replay(self, times, signal_times, signal_ids, signal_sources)

    def advance(self, now: float, limit: int) -> int:
        """Do up to `limit` pages' worth of the work that the next decision at `now` or later would find.

        For idle moments: after a pause in which nothing was crawled, most promises have ended, and the first decision
        would look at all pages.  Returns how many pages were looked at; fewer than `limit` means that all is done.
        """
        limit = min(whole_number("limit", limit, 0), 1 << 62)
        now = self._advance(now)
        return int(actions.advance(self._core, now, limit))

    def _decide(self, action: Any, n: int, now: float) -> Ids:
        core = self._core
        if type(n) is not int or n != 1:
            n = min(whole_number("n", n, 0), int(core.rest[PAGES]))
            core = self._core = growth.with_batch(core, n)
        now = self._advance(now)
        out = np.empty(n, dtype=np.int64)
        done = action(core, now, n, out) if n else 0
        return out if done == n else out[:done]

    def crawled(self, ids: ArrayLike, at: ArrayLike) -> None:
        """Pages were fetched at time `at` (one, or one each), by lease or by someone else: their state restarts there.

        Signals since the lease are kept, for the fetch may have come before the change they tell of.  O(1) a page.
        """
        if not is_plain(ids):
            ids = self._ids(ids)  # the kernel checks the others
        moments = times("at", at, len(ids))
        now = float(self._core.pool_numbers[0, NOW])
        if len(moments) and moments.max() > _AHEAD * max(abs(now), 1000.0):
            wrong = moments.max()
            raise InputError(f"at must be near the present, {now}, got {wrong}; are both in one unit?", argument="at")
        self.crawled_known(ids, moments)

    def crawled_known(self, ids: Ids, at: Values) -> None:
        """`crawled`, for a caller that has checked the times."""
        now = float(self._core.pool_numbers[0, NOW])
        bad = actions.crawled(self._core, ids, at, now) if len(ids) else 0
        if bad < 0:
            raise unknown_id(int(ids[-1 - bad]), int(self._core.rest[PAGES]))

    def release(self, ids: ArrayLike, now: float, not_before: ArrayLike | None = None) -> None:
        """The fetch failed: leased pages are back as they were, signals since included, from `not_before` on.

        O(1) a page, O(log pages) with `not_before`.
        """
        ids = self._ids(ids)
        bad = first_not_leased(self._core.links, all_different(ids))
        if bad >= 0:
            raise InputError(f"ids must be leased, got {ids[bad]}, which is not", argument="ids")
        moments = times("not_before", -np.inf if not_before is None else not_before, len(ids), ever=True)
        now = self._advance(now)
        if len(ids):
            actions.release(self._core, ids, moments, now)

    # -- what the world says ---------------------------------------------------------------------------------------

    def signal(
        self,
        ids: ArrayLike,
        now: float,
        source: int = 0,
        weight: ArrayLike | None = None,
        scale: ArrayLike | None = None,
    ) -> int:
        """Signals of `source` for these ids (an id may occur several times); how many the discard windows dropped.

        Each adds its weight to the staleness: `weight` where given (one, or one each), else the source's, else the
        page's own, times `scale` (one, or one each) where that is given: a hint that says less than others do.  Less
        soon after a crawl where signals are `latency`.  O(1) a signal.
        """
        if not is_plain(ids):
            ids = self._ids(ids)  # the kernel checks the others
        core = self._core
        weights = scales = _NONE
        if scale is not None:
            scales = self._beliefs.scales(scale, len(ids), weight)
        if source != 0:
            self._check_source(source)
        if weight is not None or self._beliefs.several_sources:
            self._ids(ids)
            weights = self._beliefs.weights(core.numbers, self._weights, ids, source, weight)
        window = self._source_discard[source if len(self._source_discard) > 1 else 0]
        time = finite_time(now)
        # Pages find their places as of the last decision: one after a signal stamped ahead of it may come before it.
        clock = float(core.pool_numbers[0, NOW])
        if self._beliefs.classes is not None and weight is None:
            of = np.array([source])
            dropped = int(
                coincidence.signal(core, ids, of, self._heard, self._coincidence, self._discard, window, clock, time)
            )
        else:
            own = weight is None
            dropped = int(actions.signal(core, ids, weights, scales, own, self._discard, window, clock, time))
        if dropped < 0:
            raise unknown_id(int(ids[-1 - dropped]), int(core.rest[PAGES]))
        return dropped

    def signal_known(self, ids: Ids, now: float, scales: Values) -> None:
        """`signal` with the pages' own weights times `scales` (none: 1), for a caller that has checked all of it."""
        core = self._core
        window, clock = float(self._source_discard[0]), float(core.pool_numbers[0, NOW])
        actions.signal(core, ids, _NONE, scales, True, self._discard, window, clock, now)

    def lift_known(self, ids: Ids, weights: Values) -> None:
        """Add to the staleness of pages, for a caller that has checked all of it.

        For what others say of a page's past, and not of what is being fetched: a page in flight is none the staler for
        it once it is crawled, and as much staler as others if the fetch fails.  O(1) a page.
        """
        core = self._core
        actions.lift(core, ids, weights, float(core.pool_numbers[0, NOW]))

    def _check_source(self, source: int) -> None:
        known = max(self._weights.shape[1], self._beliefs.sources)
        if not isinstance(source, (int, np.integer)) or not 0 <= source < known:
            rule = f"from 0 to {known - 1}" if known > 1 else "0, for there is one source only (see `sources`)"
            raise InputError(f"source must be {rule}, got {source!r:.80}", argument="source")

    def add(
        self,
        pages: Pages,
        now: float,
        *,
        hosts: ArrayLike | None = None,
        max_age: ArrayLike = np.inf,
        discard: ArrayLike = 0.0,
        sources: ArrayLike | None = None,
        source_class: ArrayLike | None = None,
    ) -> Ids:
        """New pages, crawled at `now`; their ids.  Ids of removed pages are used again, the last removed first.

        O(1) a page; no call takes longer for the pages that are there.
        """
        some_pages(pages)
        chosen = check_hosts(hosts, len(pages), len(self._core.pool_links) - 1)
        ages = per_page("max_age", max_age, len(pages), positive=True)
        windows = per_page("discard", discard, len(pages), positive=False)
        if (sources is not None) != self._beliefs.several_sources:
            raise InputError("sources must be given for all pages or for none", argument="sources")
        given = None if sources is None else source_weights(sources, len(pages))
        if given is not None and given.shape[1] != self._weights.shape[1]:
            raise InputError(
                f"sources must be as many as before, {self._weights.shape[1]}, got {given.shape[1]}", argument="sources"
            )
        columns = self._beliefs.columns(pages, self._beliefs.check_classes(source_class, len(pages)))
        now = self._advance(now)
        self._core = growth.with_pages(self._core, len(pages), bool(np.any(ages < np.inf)))
        self._core = growth.with_pools(self._core, int(chosen.max(initial=-1)) + 2)
        ids = np.empty(len(pages), dtype=np.int64)
        actions.add(self._core, columns, chosen + 1, ages, now, ids)
        self._store(ids, windows, given)
        self._tune(len(ids))
        return ids

    def remove(self, ids: ArrayLike) -> None:
        """Forget pages.  O(log pages) a page."""
        actions.remove(self._core, all_different(self._ids(ids)))

    def update(self, ids: ArrayLike, pages: Pages, now: float) -> None:
        """New parameters for pages; elapsed time and what signals added so far stay.  One value a page."""
        some_pages(pages)
        ids = self._ids(ids)
        if len(pages) not in (1, len(ids)):
            raise InputError(f"pages must be one or {len(ids)}, got {len(pages)}", argument="pages")
        if len(pages) != len(ids):
            pages = pages[np.zeros(len(ids), dtype=np.int64)]
        classes = _NO_CLASSES if self._beliefs.classes is None else classes_in(self._core.numbers, ids)
        columns = self._beliefs.columns(pages, classes)
        now = self._advance(now)
        if len(ids) >= max(self._core.rest[PAGES] // MANY, 4 * SAMPLE):
            lower_levels(self._core, ids, columns, now)
        actions.update(self._core, ids, columns, now)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(a.nbytes for a in (*self._core, self._discard, self._weights, self._source_discard, self._heard))

    # -- keeping -----------------------------------------------------------------------------------------------------

    def save(self, path: str) -> None:
        """Write everything to one file, atomically."""
        snapshot.save(path, self)

    @classmethod
    def load(cls, path: str) -> Self:
        """The scheduler that was saved; a damaged file, and one of another format, older or newer, is refused."""
        return snapshot.load(path, cls)

    def columns(self, start: int = 0, stop: int | None = None) -> dict[str, NDArray[Any]]:
        """What decisions depend on, by page, ids from `start` to `stop` (logical.py); copies.  O(ids), 10 ns each."""
        return logical.of_pages(self, start, stop)

    def columns_of(self, ids: ArrayLike) -> dict[str, NDArray[Any]]:
        """The same for these ids, which must have been given out.  O(ids)."""
        return logical.of_ids(self, known_ids(ids, int(self._core.rest[PAGES])))

    def common_columns(self) -> dict[str, NDArray[Any]]:
        """The part of that which is not kept by page: hosts, free ids, the time, the level.  O(hosts + free ids)."""
        return logical.beside_pages(self)

    @classmethod
    def from_columns(cls, columns: Mapping[str, ArrayLike], policy: str | ValuePolicy = "greedy-ncis") -> Self:
        """The scheduler that `columns` and `common_columns`, together, were read from: it decides the same.

        >>> from recrawl import Pages, Scheduler
        >>> s = Scheduler(Pages.from_rates(change_rate=[1.0, 3.0, 2.0], importance=1.0))
        >>> Scheduler.from_columns({**s.columns(), **s.common_columns()}).take(1, now=1.0).tolist()
        [2]
        """
        return logical.rebuilt(columns, policy, cls)

    @classmethod
    def _of(cls, beliefs: Beliefs, core: Core) -> Self:
        """A scheduler around a core that has pages in it, without the settings that only some have."""
        scheduler = cls.__new__(cls)
        scheduler._beliefs, scheduler._core = beliefs, core
        scheduler._discard, scheduler._weights = np.zeros(0), np.zeros((0, 1))
        scheduler._source_discard, scheduler._heard = np.zeros(1), np.zeros((0, 2))
        scheduler._coincidence = np.float64(0.0)
        scheduler._quantum_pages = int(core.rest[PAGES])
        return scheduler

    # -- inside ------------------------------------------------------------------------------------------------------

    def _store(self, ids: Ids, windows: Values, given: Values | None) -> None:
        """Keep what only some pages have; nothing is held for it until one does."""
        if len(ids) == 0:
            return
        size = len(self._core.links)
        if len(self._discard) or np.any(windows > 0.0):
            self._discard = growth.lengthened(self._discard, size)
            self._discard[ids] = windows
        if self._beliefs.classes is not None:
            self._heard = growth.lengthened(self._heard, size)
            self._heard[ids] = -np.inf, -1.0
        if given is not None:
            held = self._weights if len(self._weights) else np.zeros((0, given.shape[1]))
            self._weights = growth.lengthened(held, size)
            self._weights[ids] = given

    def _tune(self, new: int) -> None:
        """Set the length of the wheel's tick anew when the pages have doubled."""
        known = int(self._core.rest[PAGES])
        if known >= 2 * self._quantum_pages and known:
            self._quantum_pages = known if growth.tune(self._core, new) else known // 2
