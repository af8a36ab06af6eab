"""A scheduler and a learner as one: what one hears the other hears, and what is learned reaches the decisions.

Theory of operation
-------------------
1. Both number pages alike.  The scheduler gives out ids, those of removed pages first; the learner follows.
2. A signal counts for the interval it falls into.  While a page is in flight nobody knows whether the fetch comes
   before the change that the signal tells of, so the signal is kept for the next interval, in both.
3. An interval ends at a fetch that compared.  A fetch that failed changes nothing but when the page is offered again; a
   first copy, which has nothing to be compared with, begins an interval and teaches nothing.
4. An outcome changes what is believed of its page at once.  Now and then the learner finds that *all* pages are to be
   seen differently.  All at once that would stop the world, so new beliefs are spread over the calls that follow,
   `spread` pages each, pages near the level first.  Decisions in between are exact for what is believed then.
"""

import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import Ids, Values, all_different, finite_time, known_ids, times, whole_number
from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.learn import Hints, Learner
from recrawl.model import Pages

ALL_AT_ONCE = 1 << 62


class Pairing:
    """Pages that are scheduled and learned about at the same time.

    `spread` is how many pages get new beliefs in each call after the learner has found that all need some.

    >>> pairing = Pairing(Scheduler(Learner(2, now=0.0).pages()), Learner(2, now=0.0))
    >>> page = pairing.lease(1, now=1.0)
    >>> pairing.crawled(page, [True], at=1.2, now=1.2)
    >>> pairing.learner.outcomes
    1
    """

    def __init__(self, scheduler: Scheduler, learner: Learner, spread: int = ALL_AT_ONCE) -> None:
        if len(scheduler) != len(learner) or not scheduler.known(np.arange(len(learner))).all():
            message = f"scheduler must have the learner's {len(learner)} pages, got {len(scheduler)} of its own"
            raise InputError(message, argument="scheduler")
        self.scheduler = scheduler
        self.learner = learner
        self.spread = whole_number("spread", spread, 1)
        self._in_flight: dict[int, float] = {}
        self._waiting: list[Ids] = []

    @classmethod
    def start(cls, learner: Learner, policy: str = "greedy-ncis", spread: int = ALL_AT_ONCE) -> Self:
        """A pairing of all pages of a learner, crawled when it began."""
        return cls(Scheduler(learner.pages(), policy, learner.now), learner, spread)

    def __len__(self) -> int:
        return len(self.scheduler)

    # -- pages ---------------------------------------------------------------------------------------------------------

    def add(
        self,
        n: int,
        now: float,
        *,
        hosts: ArrayLike | None = None,
        kinds: ArrayLike | None = None,
        prior: Hints | ArrayLike | None = None,
        importance: ArrayLike | None = None,
        max_age: ArrayLike = np.inf,
        fetched: bool = True,
    ) -> Ids:
        """New pages; their ids.  They count as crawled at `now`, or as certainly stale where there is no copy yet."""
        n = whole_number("n", n, 0)
        self.learner.check_new(n, hosts, kinds, prior, importance)  # before the scheduler changes anything
        nobody = Pages(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))
        ids = self.scheduler.add(nobody, now, hosts=hosts, max_age=max_age)
        known = ids < len(self.learner)
        self._learn_of(ids, known, now, hosts, kinds, prior, importance)
        self._believe(ids, now)
        if not fetched and n:
            self.scheduler.signal(ids, now, weight=math.inf)
        return ids

    def _learn_of(
        self,
        ids: Ids,
        known: np.ndarray[tuple[int], np.dtype[np.bool_]],
        now: float,
        hosts: ArrayLike | None,
        kinds: ArrayLike | None,
        prior: Hints | ArrayLike | None,
        importance: ArrayLike | None,
    ) -> None:
        """Ids that were used before stand for other pages now; those that were not are the next of the learner's."""
        new = np.sort(ids[~known])
        if len(new):
            self.learner.add(len(new), now)
        self.learner.renew(ids, now, hosts, kinds, prior, importance=importance)

    def remove(self, ids: ArrayLike) -> None:
        """Forget pages; their ids will be given to others."""
        gone = whole(self, ids)
        self.scheduler.remove(gone)
        for i in gone.tolist():
            self._in_flight.pop(i, None)

    # -- the circle ----------------------------------------------------------------------------------------------------

    def signal(self, ids: ArrayLike, now: float) -> None:
        """Signals for these pages; an id may occur several times."""
        self.scheduler.signal(ids, now)
        self.learner.signalled(ids, max(now, self.learner.now))

    def take(self, n: int, now: float) -> Ids:
        """The n best pages, which count as crawled at `now`; `found` is to be called with what they had."""
        self._spread(now)
        return self.scheduler.take(n, now)

    def lease(self, n: int, now: float) -> Ids:
        """The n best pages, held until `crawled` or `failed`."""
        self._spread(now)
        ids = self.scheduler.lease(n, now)
        self._depart(ids)
        return ids

    def hold(self, ids: ArrayLike, now: float) -> None:
        """Lease these very pages."""
        self.scheduler.hold(ids, now)
        self._depart(known_ids(ids, len(self.learner)))

    def crawled(self, ids: ArrayLike, changed: ArrayLike, at: ArrayLike, now: float) -> None:
        """Pages were fetched at `at` and had `changed` since their copy or not; NaN: there was nothing to compare."""
        given = whole(self, ids)
        outcome, moments = _outcomes(changed, len(given)), np.broadcast_to(times("at", at, len(given)), len(given))
        finite_time(now, self.learner.now)
        self.scheduler.crawled(given, np.array(moments))
        self._learn(given, outcome, np.array(moments), now)

    def failed(self, ids: ArrayLike, now: float, not_before: ArrayLike | None = None) -> None:
        """Fetches failed: pages are as they were, signals since included, and offered again from `not_before` on."""
        given = whole(self, ids)
        self.scheduler.release(given, now, not_before)
        for i in given.tolist():
            self._in_flight.pop(i, None)

    def found(self, ids: ArrayLike, changed: ArrayLike, now: float) -> None:
        """What pages that were taken at `now` had: the scheduler knows already that they were crawled."""
        given = whole(self, ids)
        self._learn(given, _outcomes(changed, len(given)), np.full(len(given), finite_time(now)), now)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _depart(self, ids: Ids) -> None:
        """Remember how many signals belong to the intervals that end now."""
        self._in_flight.update(zip(ids.tolist(), self.learner.heard(ids).tolist(), strict=True))

    def _learn(self, ids: Ids, changed: Values, at: Values, now: float) -> None:
        heard = self.learner.heard(ids)
        before = np.array([self._in_flight.pop(i, h) for i, h in zip(ids.tolist(), heard.tolist(), strict=True)])
        kept = np.maximum(heard - before, 0.0) if len(ids) else heard
        compared = ~np.isnan(changed)
        which = ids[compared]
        of_all = False
        if len(which):
            elapsed = np.maximum(at[compared] - self.learner.crawled(which), 0.0)
            level = self.scheduler.level
            of_all = self.learner.observe(which, elapsed, before[compared], changed[compared] == 1.0, now, level)
        self.learner.restart(ids, at, kept)
        self._believe(ids, now)
        if of_all:
            self._waiting = self._in_order()
            self._spread(now)

    def _believe(self, ids: Ids, now: float) -> None:
        """Have the scheduler believe what the learner does of these pages."""
        if len(ids):
            self.scheduler.update(ids, self.learner.pages(ids), now)

    def _in_order(self) -> list[Ids]:
        """All pages, those the scheduler has its eye on before the others."""
        near, rest = self.scheduler.near_and_far()
        return [part for part in (near, rest) if len(part)]

    def _spread(self, now: float) -> None:
        """New beliefs for the next pages that wait for them."""
        room = self.spread
        while self._waiting and room > 0:
            part, self._waiting[0] = self._waiting[0][:room], self._waiting[0][room:]
            if not len(self._waiting[0]):
                self._waiting.pop(0)
            room -= len(part)
            alive = part[self.scheduler.known(part)]  # some may have been removed meanwhile
            self._believe(alive, now)

    @property
    def waiting(self) -> int:
        """Pages that still wait for new beliefs."""
        return sum(map(len, self._waiting))


def whole(pairing: Pairing, ids: ArrayLike) -> Ids:
    """Ids of pages, each once."""
    return all_different(known_ids(ids, len(pairing.learner)))


def _outcomes(changed: ArrayLike, n: int) -> Values:
    """One outcome for each of n pages: 1, 0, or NaN where there was nothing to compare."""
    try:
        given = np.atleast_1d(np.asarray(changed, dtype=np.float64))
    except (TypeError, ValueError):
        given = np.empty((0, 0))
    if given.shape != (n,) or not np.all(np.isnan(given) | (given == 0.0) | (given == 1.0)):
        raise InputError(f"changed must be 0, 1 or NaN for each of {n}, got {changed!r:.80}", argument="changed")
    return given
