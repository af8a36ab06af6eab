"""A scheduler and a learner as one: what one hears the other hears, and what is learned reaches the decisions.

Theory of operation
-------------------
1. Both number pages alike.  The scheduler gives out ids, those of removed pages first; the learner follows.
2. A signal counts for the interval it falls into.  While a page is in flight nobody knows whether the fetch comes
   before the change that the signal tells of, so the signal is kept for the next interval, in both.
3. An interval ends at a fetch that compared.  A fetch that failed changes nothing but when the page is offered again; a
   first copy, which has nothing to be compared with, begins an interval and teaches nothing.
4. An outcome changes what is believed of its page at once.  Now and then the learner finds that *all* pages are to be
   seen differently.  All at once that would stop the world, so new beliefs are spread over the outcomes that follow, up
   to `spread` pages a call: first those whose value is near the level, then all.  Decisions in between are exact for
   what is believed then.
5. With `neighbours`, a change found on a page is news for the other pages of its folder (learn/neighbours/news.py):
   scheduler and learner both count ages by it.
6. The same calls give the same beliefs, also to a pairing that was rebuilt.  The level is the one thing that depends on
   how the scheduler came to where it is; so a caller that replays a journal hands it over as it was.
"""

import math
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl import roomy
from recrawl.arguments import (
    Ids,
    Values,
    all_different,
    at_least_0,
    finite_time,
    folder_numbers,
    known_ids,
    times,
    whole_number,
)
from recrawl.engine import Scheduler
from recrawl.engine.core.layout import ALPHA, KAPPA
from recrawl.errors import InputError
from recrawl.learn import Hints, Learner
from recrawl.learn.neighbours.neighbours import Neighbours
from recrawl.model import Pages
from recrawl.spreading import Spreading, next_pages, spread_from

if TYPE_CHECKING:
    from collections.abc import Callable

ALL_AT_ONCE = 1 << 62
A_CALL, AN_OUTCOME = 16, 2
"""Pages that get new beliefs in a call, and for each outcome in it; but no more than `spread`."""


class Pairing:
    """Pages that are scheduled and learned about at the same time.

    `spread` is how many pages get new beliefs in each call after the learner has found that all need some.
    `neighbours` knows the folders of the pages; without it what is found on one page says nothing of another.

    >>> pairing = Pairing(Scheduler(Learner(2, now=0.0).pages()), Learner(2, now=0.0))
    >>> page = pairing.lease(1, now=1.0)
    >>> pairing.crawled(page, [True], at=1.2, now=1.2)
    >>> pairing.learner.outcomes
    1
    """

    def __init__(
        self, scheduler: Scheduler, learner: Learner, spread: int = ALL_AT_ONCE, neighbours: Neighbours | None = None
    ) -> None:
        if len(scheduler) != len(learner) or not scheduler.known(np.arange(len(learner))).all():
            message = f"scheduler must have the learner's {len(learner)} pages, got {len(scheduler)} of its own"
            raise InputError(message, argument="scheduler")
        self._set(scheduler, learner, spread, neighbours)

    def _set(self, scheduler: Scheduler, learner: Learner, spread: int, neighbours: Neighbours | None) -> None:
        self.scheduler = scheduler
        self.learner = learner
        self.neighbours = neighbours
        if neighbours is not None:
            neighbours.make_room(len(learner), learner.host_count)
        self.spread = whole_number("spread", spread, 1)
        self.muted = np.zeros(0, dtype=np.bool_)
        """Pages the scheduler shall think nothing of, for someone else decides when they are crawled; none if empty."""
        self.before: Callable[[Ids], None] | None = None
        """Told of pages about to change for no reason of their own: because beliefs are spread."""
        self._in_flight: dict[int, float] = {}
        self.spreading: Spreading | None = None
        """How far new beliefs have come, None where none are waiting."""

    @classmethod
    def start(cls, learner: Learner, policy: str = "greedy-ncis", spread: int = ALL_AT_ONCE) -> Self:
        """A pairing of all pages of a learner, crawled when it began."""
        return cls(Scheduler(learner.pages(), policy, learner.now), learner, spread)

    @classmethod
    def rebuilt(
        cls,
        scheduler: Scheduler,
        learner: Learner,
        spread: int,
        in_flight: dict[int, float],
        spreading: Spreading | None,
        neighbours: Neighbours | None = None,
    ) -> Self:
        """A pairing that goes on where another one was: see `in_flight` and `spreading`."""
        pairing = cls.__new__(cls)
        pairing._set(scheduler, learner, spread, neighbours)
        pairing._in_flight, pairing.spreading = dict(in_flight), spreading
        return pairing

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
        folders: ArrayLike | None = None,
    ) -> Ids:
        """New pages; their ids.  They count as crawled at `now`, or as certainly stale where there is no copy yet.

        `folders`: a whole number for each, equal for pages of one folder and 0 for pages of none; without it all are of
        none.
        """
        n = whole_number("n", n, 0)
        self.learner.check_new(n, hosts, kinds, prior, importance)  # before the scheduler changes anything
        keys = folder_numbers(np.zeros(n, dtype=np.uint64) if folders is None else folders, n)
        nobody = Pages(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))
        ids = self.scheduler.add(nobody, now, hosts=hosts, max_age=max_age)
        known = ids < len(self.learner)
        self._learn_of(ids, known, now, hosts, kinds, prior, importance)
        if 0 < len(self.muted) < len(self.learner):
            self.muted = roomy.longer(self.muted, len(self.learner))
        if self.neighbours is not None:
            self.neighbours.make_room(len(self.learner), self.learner.host_count)
            self._join(self.neighbours, ids, keys)
        self.believe(ids, now)
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
        if self.neighbours is not None:
            self._about_to_change(gone)
            self.neighbours.leave(gone)
        for i in gone.tolist():
            self._in_flight.pop(i, None)

    def move(self, page: int, host: int, now: float, folder: int = 0) -> int:
        """Have a page live on as another one, of another host; its id.  The old one is to be removed.

        `folder`: the number of its new folder, 0 for none.
        """
        was = self.scheduler.columns_of([page])
        new = int(self.add(1, now, hosts=[host], max_age=was["max_age"], folders=[folder])[0])
        self.learner.copy(page, new, host)
        self.scheduler.crawled([new], float(was["crawled"][0]))
        if was["jumps"][0] > 0.0:
            self.scheduler.signal([new], now, weight=float(was["jumps"][0]))
        return new

    def refolder(self, ids: ArrayLike, folders: ArrayLike, now: float) -> None:
        """Pages are in other folders from now on."""
        given = whole(self, ids)
        keys = folder_numbers(folders, len(given))
        self.scheduler.staleness(given, now)  # refuses ids of no page
        self.scheduler.peek(0, now)  # and a time that went back
        if self.neighbours is not None:
            self._join(self.neighbours, given, keys)
            self.believe(given, now)

    def _join(self, neighbours: Neighbours, ids: Ids, keys: NDArray[np.uint64]) -> None:
        if self.before is not None:
            self.before(neighbours.changed_by_joining(ids, keys))
        neighbours.join(ids, keys)

    # -- the circle ----------------------------------------------------------------------------------------------------

    def signal(self, ids: ArrayLike, now: float, weights: ArrayLike | None = None) -> None:
        """Signals for these pages; an id may occur several times.  `weights`: what each counts, in usual signals."""
        if weights is None:
            self.scheduler.signal(ids, now)
            self.learner.signalled(ids, max(now, self.learner.now))
        else:
            self.scheduler.signal(ids, now, scale=weights)
            self.learner.signalled(ids, max(now, self.learner.now), weights)

    def signal_known(self, ids: Ids, now: float, weights: Values) -> None:
        """`signal`, for a caller that has checked ids, time and weights; no weights where each signal counts as one."""
        self.scheduler.signal_known(ids, now, weights)
        self.learner.hear(ids, max(now, self.learner.now), weights)

    def take(self, n: int, now: float) -> Ids:
        """The n best pages, which count as crawled at `now`; `found` is to be called with what they had."""
        return self.scheduler.take(n, now)

    def lease(self, n: int, now: float) -> Ids:
        """The n best pages, held until `crawled` or `failed`."""
        ids = self.scheduler.lease(n, now)
        self._depart(ids)
        return ids

    def hold(self, ids: ArrayLike, now: float) -> None:
        """Lease these very pages."""
        self.scheduler.hold(ids, now)
        self._depart(known_ids(ids, len(self.learner)))

    def crawled(
        self, ids: ArrayLike, changed: ArrayLike, at: ArrayLike, now: float, level: float | None = None
    ) -> None:
        """Pages were fetched at `at` and had `changed` since their copy or not; NaN: there was nothing to compare.

        `level` is the scheduler's as it was then, for a caller that replays; None for the present one.
        """
        given = whole(self, ids)
        outcome, moments = _outcomes(changed, len(given)), np.broadcast_to(times("at", at, len(given)), len(given))
        finite_time(now, self.learner.now)
        level = self.scheduler.level if level is None else at_least_0("level", level)
        self.scheduler.crawled(given, moments)
        self._learn(given, outcome, np.array(moments), now, level)

    def crawled_known(self, ids: Ids, changed: Values, at: Values, now: float, level: float) -> None:
        """`crawled`, for a caller that has checked all of it: pages that differ, and one time for each."""
        self.scheduler.crawled_known(ids, at)
        self._learn(ids, changed, at, now, level)

    def failed(self, ids: ArrayLike, now: float, not_before: ArrayLike | None = None) -> None:
        """Fetches failed: pages are as they were, signals since included, and offered again from `not_before` on."""
        given = whole(self, ids)
        self.scheduler.release(given, now, not_before)
        for i in given.tolist():
            self._in_flight.pop(i, None)

    def found(self, ids: ArrayLike, changed: ArrayLike, now: float) -> None:
        """What pages that were taken at `now` had: the scheduler knows already that they were crawled."""
        given = whole(self, ids)
        moments = np.full(len(given), finite_time(now))
        self._learn(given, _outcomes(changed, len(given)), moments, now, self.scheduler.level)

    # -- inside --------------------------------------------------------------------------------------------------------

    def in_flight(self) -> dict[int, float]:
        """Pages in flight, with the signals that belong to the intervals that their fetches end."""
        return dict(self._in_flight)

    def depart_late(self, page: int, heard: float) -> None:
        """A page that was given up is about to be `crawled` after all: so many signals had come when it left."""
        self._in_flight[page] = heard

    def _depart(self, ids: Ids) -> None:
        """Remember how many signals belong to the intervals that end now."""
        self._in_flight.update(zip(ids.tolist(), self.learner.heard_known(ids).tolist(), strict=True))

    def _learn(self, ids: Ids, changed: Values, at: Values, now: float, level: float) -> None:
        heard = self.learner.heard_known(ids)
        departed = map(self._in_flight.pop, ids.tolist(), heard.tolist())
        before = np.fromiter(departed, dtype=np.float64, count=len(ids))
        kept = np.maximum(heard - before, 0.0)
        compared = changed == changed  # not NaN
        outcomes: Outcomes | None = None
        if compared.any():
            every = bool(compared.all())  # as is usual
            which, signals = (ids, before) if every else (ids[compared], before[compared])
            ends, found = (at, changed == 1.0) if every else (at[compared], changed[compared] == 1.0)
            elapsed = np.maximum(ends - self.learner.all_crawled[which], 0.0)
            outcomes = Outcomes(which, ends, elapsed, found)
            aged = self._aged(outcomes, signals)
            if self.learner.observe_known(which, elapsed, aged, signals, found, now, level):
                self._spread_from_here(level)
        self.learner.restart_known(ids, at, kept)
        if self.neighbours is not None:
            if outcomes is not None:
                self.neighbours.begin(outcomes.ids, outcomes.elapsed, outcomes.changed)
            self.neighbours.begin_anew(ids[~compared])
        self.believe(ids, now)
        if self.spreading is not None:
            self._spread(now, min(self.spread, A_CALL + AN_OUTCOME * len(ids)))
        if outcomes is not None:
            self._tell(outcomes)

    def _aged(self, outcomes: "Outcomes", signals: Values) -> Values:
        """Elapsed times as neighbours count them; how far these are to be believed is judged."""
        if self.neighbours is None:
            return outcomes.elapsed
        numbers, (ids, _, elapsed, found) = self.scheduler.rows[0], outcomes
        alphas, kappas = numbers[:, ALPHA], numbers[:, KAPPA]
        return self.neighbours.counted(self.learner, ids, elapsed, signals, found, alphas, kappas)

    def _tell(self, outcomes: "Outcomes") -> None:
        """Neighbours of pages that had changed hear of it."""
        if self.neighbours is None or not outcomes.changed.any():
            return
        self._about_to_change(outcomes.ids[outcomes.changed])
        ids, jumps = self.neighbours.tell(self.learner, *outcomes, self.scheduler.rows[0][:, ALPHA])
        if len(ids):
            self.scheduler.lift_known(ids, jumps)

    def _about_to_change(self, ids: Ids) -> None:
        """The neighbours of these pages are."""
        if self.before is not None and self.neighbours is not None:
            self.before(np.unique(self.neighbours.mates(ids)))

    def believe(self, ids: Ids, now: float) -> None:
        """Have the scheduler believe what the learner does of these pages."""
        if len(ids):
            pages = self.learner.pages(ids)
            if len(self.muted):
                alpha, kappa, gamma, mu = pages.columns
                pages = Pages(alpha, kappa, gamma, np.where(self.muted[ids], 0.0, mu))
            if self.neighbours is not None:
                pages = Pages.trusted(tuple(self.neighbours.believe(self.learner, ids, pages.columns)))
            self.scheduler.update(ids, pages, now)

    def spread_anew(self) -> None:
        """Something changed for all pages: spread what is believed of them over the outcomes to come."""
        self._spread_from_here(0.0)

    def _spread_from_here(self, level: float) -> None:
        """All pages need new beliefs: those near the level, if there is one, and then the others in turn."""
        self.spreading = spread_from(self.spreading, level, len(self.learner))

    def _spread(self, now: float, room: int) -> None:
        """New beliefs for the next pages that wait for them."""
        pages = len(self.learner)
        if self.spread == ALL_AT_ONCE:
            self._renew(np.arange(pages), now)
            self.spreading = None
            return
        while self.spreading is not None and room > 0:
            chosen, after, room = next_pages(self.spreading, self.scheduler, pages, now, room)
            self.spreading = after
            self._renew(chosen, now)

    def _renew(self, ids: Ids, now: float) -> None:
        alive = ids[self.scheduler.known(ids)]
        if self.before is not None:
            self.before(alive)
        self.believe(alive, now)

    @property
    def waiting(self) -> int:
        """Pages that still wait for new beliefs."""
        return 0 if self.spreading is None else self.spreading.left


class Outcomes(NamedTuple):
    """Crawls that compared: of which pages, when, how long after the crawl before, and whether they had changed."""

    ids: Ids
    at: Values
    elapsed: Values
    changed: NDArray[np.bool_]


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
