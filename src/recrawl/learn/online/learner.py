"""`Learner`: parameters of pages while they are crawled.

Theory of operation
-------------------
1. A page is one of 84 types (layout.py).  Each outcome multiplies the likelihood of every type by the probability it
   gave to what was seen (type_likelihood.py).
2. What is expected of a page before that comes from the other pages: from those with its signal rate, and from the
   pools of its host and of its kind (prior.py), learned anew every few rounds (population.py).  A round is the time in
   which an average page is crawled once; the learner finds out how long that is.
3. `pages` gives the means over types that make decisions good, which are not those that predict best, and lifts pages
   worth knowing better (estimate.py, exploring.py).
4. With a half-life, what was seen fades, and drift is followed.

Time is an argument, never read.  The same calls give the same bytes.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import (
    Ids,
    above,
    all_different,
    at_least_0,
    between,
    finite_time,
    flags,
    known_ids,
    whole_number,
)
from recrawl.arguments import counts as checked_counts
from recrawl.errors import InputError
from recrawl.learn.hints import Hints
from recrawl.learn.online import adding, observing, snapshot
from recrawl.learn.online.adding import NewPages, as_hints
from recrawl.learn.online.by_hand import ByHand
from recrawl.learn.online.importance import record
from recrawl.learn.online.layout import (
    ADRIFT,
    BEGAN,
    CLOCK,
    CLOCK_BEFORE,
    CRAWL_LEVEL,
    EXPLORE,
    FADE,
    HALF_LIFE,
    HOST_DOUBT,
    IMPORTANCE_FLOOR,
    KIND_DOUBT,
    LEAST_UNIT,
    MOST_UNIT,
    OUTCOMES,
    PACE,
    PACE_KNOWN,
    PAGE_COUNT,
    REFRESH_AT,
    REQUEST_HALF_LIFE,
    REQUEST_TIME,
    REQUESTS_FROM,
    SIGNAL_RATE,
    TILT,
    Memory,
    empty_memory,
    set_types,
)
from recrawl.learn.online.refreshing import IDLE, PHASE, SOONEST, Job, at_once, idle_job, work
from recrawl.model import Pages

Array = NDArray[np.float64]

MOST_TILT = 10.0
"""Decisions only get worse from 3 on (docs/learning.md); far beyond this only the slowest type would weigh anything."""


class Uncertainty(NamedTuple):
    """Means and standard deviations of what outcomes leave open."""

    change_rate: Array
    change_rate_error: Array
    precision: Array
    precision_error: Array


class Learner(ByHand):
    """Change rates and signal quality of pages, from the outcomes of their crawls as they come.

    ===================== ====================================================================================
    `hosts`, `kinds`      two numbers of each page, -1 for none: its host, and its kind (say a section of the site, or
                          where its signals come from).  Pages with a number in common help each other
    `prior`               `Hints`, or expected change rates
    `importance`          of pages; it is taken as it is until `requested` is called
    `half_life`           of what outcomes say, in units of time; for pages whose rates drift
    `explore`             rounds for which what a look teaches is expected to pay, at most (hardly any at first, 50 from
                          the fifth round on, and more from the 32nd on); 0 is never curious
    `explore_rounds`      rounds after which a page is no longer new, and curiosity fades
    `unit`                time between two crawls of an average page, where it is known; it is learned
    `now`                 the time pages begin at; all count as crawled then.  Unless given it is that of the first
                          call, or a little before it where that has crawls
    `refresh_slice`       pages looked at in each call while priors are learned anew; all at once unless given
    ===================== ====================================================================================

    >>> learner = Learner(2, now=0.0)
    >>> for day in range(1, 41):
    ...     _ = learner.observe([0, 1], [1.0, 1.0], [0, 0], [day % 2 == 0, day % 10 == 0], now=float(day))
    >>> learner.pages().change_rate.round(1).tolist()
    [0.8, 0.1]
    """

    def __init__(
        self,
        n_pages: int,
        hosts: ArrayLike | None = None,
        kinds: ArrayLike | None = None,
        prior: Hints | ArrayLike | None = None,
        half_life: float = math.inf,
        *,
        importance: ArrayLike = 1.0,
        explore: float = 100.0,
        explore_rounds: float = 30.0,
        tilt: float = 1.0,
        request_half_life: float = math.inf,
        importance_floor: float = 0.01,
        unit: float | None = None,
        now: float | None = None,
        refresh_slice: int | None = None,
    ) -> None:
        a_call = math.inf if refresh_slice is None else whole_number("refresh_slice", refresh_slice, 1)
        self._memory: Memory = empty_memory()
        self._job: Job = idle_job(a_call)
        numbers = self._memory.numbers
        begun = 0.0 if now is None else finite_time(now)
        numbers[[CLOCK, BEGAN, CLOCK_BEFORE]] = begun
        numbers[[HOST_DOUBT, KIND_DOUBT, REQUESTS_FROM]] = math.inf
        numbers[HALF_LIFE] = above("half_life", half_life, least=0.0)
        numbers[REQUEST_HALF_LIFE] = above("request_half_life", request_half_life, least=0.0)
        numbers[FADE] = above("explore_rounds", explore_rounds, least=0.0)
        for name, index, given in (
            ("explore", EXPLORE, explore),
            ("importance_floor", IMPORTANCE_FLOOR, importance_floor),
        ):
            numbers[index] = at_least_0(name, given)
        numbers[TILT] = between("tilt", tilt, 0.0, MOST_TILT)
        numbers[PACE_KNOWN] = unit is not None
        numbers[PACE] = 1.0 / between("unit", 1.0 if unit is None else unit, LEAST_UNIT, MOST_UNIT)
        n_pages = whole_number("n_pages", n_pages, 0)
        given_importance = checked_counts("importance", importance, n_pages)
        mean = float(given_importance.mean()) if n_pages else 1.0
        numbers[REQUEST_TIME] = 1.0 / mean if mean > 0.0 else 1.0
        hints = as_hints(prior)
        if hints is not None and unit is None and not math.isnan(hints.typical(n_pages)):
            numbers[PACE] = np.clip(hints.typical(n_pages), 1.0 / MOST_UNIT, 1.0 / LEAST_UNIT)
        numbers[PACE] = np.float32(numbers[PACE])
        numbers[SIGNAL_RATE] = numbers[PACE]
        set_types(self._memory.types, float(numbers[PACE]))
        self.add(n_pages, begun, hosts, kinds, hints, importance=given_importance)
        numbers[REFRESH_AT] = max(SOONEST * n_pages, 8.0)
        numbers[ADRIFT] = now is None

    # -- what the world says ---------------------------------------------------------------------------------------

    def observe(
        self,
        ids: ArrayLike,
        elapsed: ArrayLike | None,
        signals: ArrayLike | None,
        changed: ArrayLike,
        now: float,
        level: float | None = None,
    ) -> bool:
        """Take in what crawls found: each of these pages was crawled at `now` and had `changed`, or had not.

        `elapsed` is the time since the crawl before of each page, and `signals` how many came in between.  Give None
        for what the learner shall count itself.  `level` is that of the scheduler that chose the pages
        (`Scheduler.level`); without it the learner computes the value of each page crawled, which takes longer than
        all the rest.

        Returns True where what is expected of *all* pages has changed: then hand all of `pages()` to the scheduler, not
        only these.  O(1) a page, and every few rounds O(pages), or of a sample of 10,000, or 16 a host: at once, or
        `refresh_slice` a call.
        """
        memory, given = self._memory, known_ids(ids, len(self))
        told = None if elapsed is None else checked_counts("elapsed", elapsed, len(given))
        held = memory.open[given].astype(np.float64)
        heard = held if signals is None else checked_counts("signals", signals, len(given))
        found = flags("changed", changed, len(given))
        known_level = math.nan if level is None else at_least_0("level", level)
        # Where the beginning is not known: if all pages are crawled as often as these, their crawls took this long.
        now = self._time(now, 0.0 if told is None else float(told.sum()) / max(len(self), 1))
        if len(given) == 0:
            return False
        taken = np.maximum(now - memory.crawled[given], 0.0) if told is None else told
        if elapsed is None or signals is None:
            again = np.ones(len(given), dtype=np.bool_)
            again[np.unique(given, return_index=True)[1]] = False  # a page's second crawl at this moment
            taken, heard = (np.where(again & (x is None), 0.0, y) for x, y in ((elapsed, taken), (signals, heard)))
        return self.observe_known(given, taken, taken, heard, found, now, known_level)

    def observe_known(
        self,
        ids: Ids,
        elapsed: Array,
        aged: Array,
        signals: Array,
        changed: NDArray[np.bool_],
        now: float,
        level: float,
    ) -> bool:
        """`observe`, for a caller that has checked all but the time; a level of NaN where it is not known.

        `aged`: elapsed times as the decisions counted them, which are others where neighbours had news.
        """
        now = self._time(now, float(elapsed.sum()) / max(len(self), 1) if self._memory.numbers[ADRIFT] else 0.0)
        observing.ask_for(self._memory, ids)
        return bool(observing.observe(self._memory, self._job, ids, elapsed, aged, signals, changed, now, level))

    def signalled(self, ids: ArrayLike, now: float, weights: ArrayLike | None = None) -> None:
        """Signals for these pages (an id may occur several times).  O(1) a signal.

        `weights`, one or one for each, is how many signals each counts as: say 0.5 from a source that is wrong more
        often than the others.  A page's signals are kept in 32 bits, and stand still at 16 million of weight 1.
        """
        given = known_ids(ids, len(self))
        counted = np.empty(0) if weights is None else checked_counts("weights", weights, len(given))
        self.hear(given, self._time(now), counted)

    def requested(self, ids: ArrayLike, counts: ArrayLike, now: float, since: float | None = None) -> None:
        """Take in requests: `counts` of them for these pages since the last call of this method.

        From the first call on, importance is the rate of requests.  The counts of the first call are those since
        `since`, or since the learner began (its `now`).  Without a `request_half_life` a page's count stands still at
        16 million.  O(1) a page.
        """
        given = known_ids(ids, len(self))
        asked = checked_counts("counts", counts, len(given))
        if since is None and self._memory.numbers[ADRIFT]:
            raise InputError("since must be given, for nobody said when the learner began", argument="since")
        begun = float(self._memory.numbers[BEGAN]) if since is None else finite_time(since, name="since")
        if begun > finite_time(now):
            raise InputError(f"since must not be after now, {now}, got {since}", argument="since")
        now = self._time(now, now - begun)
        self._memory.numbers[CLOCK] = now
        record(self._memory, given, asked, now, begun)

    def add(
        self,
        n: int,
        now: float,
        hosts: ArrayLike | None = None,
        kinds: ArrayLike | None = None,
        prior: Hints | ArrayLike | None = None,
        *,
        importance: ArrayLike | None = None,
    ) -> Ids:
        """New pages, crawled at `now`; their ids.  They start from the pools of their host and kind.

        Importance is that of an average page unless given.  O(1) a page.
        """
        n = whole_number("n", n, 0)
        before = len(self)
        ids = np.arange(before, before + n)
        self._begin(ids, self.check_new(n, hosts, kinds, prior, importance), now)
        return ids

    def renew(
        self,
        ids: ArrayLike,
        now: float,
        hosts: ArrayLike | None = None,
        kinds: ArrayLike | None = None,
        prior: Hints | ArrayLike | None = None,
        *,
        importance: ArrayLike | None = None,
    ) -> None:
        """Have these ids stand for new pages, as `add` would make them: what was known of the old ones is forgotten.

        For callers whose ids are used again (docs/decisions/0005-reuse-of-ids.md).  O(1) a page.
        """
        given = all_different(known_ids(ids, len(self)))
        self._begin(given, self.check_new(len(given), hosts, kinds, prior, importance), now)

    def check_new(
        self,
        n: int,
        hosts: ArrayLike | None = None,
        kinds: ArrayLike | None = None,
        prior: Hints | ArrayLike | None = None,
        importance: ArrayLike | None = None,
    ) -> NewPages:
        """What `add` and `renew` would take for n pages; refused where they would."""
        return adding.checked(self._memory, n, hosts, kinds, prior, importance)

    def _begin(self, ids: Ids, new: NewPages, now: float) -> None:
        """Begin with pages, under ids that are new or used again."""
        now = self._time(now)
        self._memory = adding.begun(self._memory, ids, new, now)

    def refresh(self, now: float) -> None:
        """Learn the priors anew, at once and not when it is due.  O(pages), or of a sample of 10,000, or 16 a host."""
        self._memory.numbers[CLOCK] = self._time(now)
        if len(self):
            at_once(self._memory, self._job)

    def work(self, now: float) -> bool:
        """Go on with learning the priors anew, by `refresh_slice` pages, where that is under way.

        `observe` does so, too; this is for times without outcomes.  Returns True where all pages are to be seen
        differently now, as `observe` does.
        """
        self._memory.numbers[CLOCK] = self._time(now)
        return bool(work(self._memory, self._job))

    @property
    def refreshing(self) -> bool:
        """Whether priors are being learned anew, and not done yet."""
        return bool(self._job.state[PHASE] != IDLE)

    def _time(self, now: float, before: float = 0.0) -> float:
        """`now`, checked; where nobody said when the learner began, it is `before` that."""
        if not self._memory.numbers[ADRIFT]:
            return finite_time(now, self.now)
        now = finite_time(now)
        adding.begin(self._memory, now - before)
        return now

    # -- asking ------------------------------------------------------------------------------------------------------

    def pages(self, ids: ArrayLike | None = None) -> Pages:
        """The parameters with which a scheduler decides best now, of these pages or of all.  O(1) a page.

        They are not the best guesses: pages that are hardly worth a crawl lean to slow change (`tilt`), and pages worth
        knowing better have a higher importance than they were given (`explore`).  For guesses and how sure they are see
        `uncertainty`.
        """
        given = np.arange(len(self)) if ids is None else known_ids(ids, len(self))
        columns = np.empty((4, len(given)))
        observing.estimates(self._memory, given, columns)
        return Pages.trusted(tuple(columns))

    def uncertainty(self, ids: ArrayLike | None = None) -> Uncertainty:
        """How sure the learner is of these pages: means and standard deviations, the signal rate taken as known.

        These means predict; those of `pages` decide, and lean to slow change (`tilt`).
        """
        given = np.arange(len(self)) if ids is None else known_ids(ids, len(self))
        columns = np.empty((4, len(given)))
        observing.all_moments(self._memory, given, columns)
        return Uncertainty(*columns)

    def unsignalled_rates(self, ids: Ids) -> Array:
        """Means of the unsignalled rates of pages, for a caller that has checked the ids: what predicts (see above)."""
        rates = np.empty(len(ids))
        observing.mean_alphas(self._memory, ids, rates)
        return rates

    def __len__(self) -> int:
        return int(self._memory.numbers[PAGE_COUNT])

    def __repr__(self) -> str:
        numbers = self._memory.numbers
        unit = f"{self.unit:.6g}" if numbers[PACE_KNOWN] else "?"
        now = "?" if numbers[ADRIFT] else repr(self.now)
        return f"Learner(pages={len(self)}, outcomes={self.outcomes}, unit={unit}, now={now})"

    @property
    def now(self) -> float:
        """The latest time seen."""
        return float(self._memory.numbers[CLOCK])

    @property
    def outcomes(self) -> int:
        """Crawls observed."""
        return int(self._memory.numbers[OUTCOMES])

    @property
    def unit(self) -> float:
        """Time between two crawls of an average page, as far as known: a round."""
        return 1.0 / float(self._memory.numbers[PACE])

    @property
    def level(self) -> float:
        """The value around which pages were crawled lately."""
        return float(self._memory.numbers[CRAWL_LEVEL])

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in (*self._memory, *self._job))

    # -- keeping -----------------------------------------------------------------------------------------------------

    def save(self, path: str) -> None:
        """Write everything to one file, atomically."""
        snapshot.save(path, self.columns())

    @classmethod
    def load(cls, path: str) -> Self:
        """The learner that was saved; a damaged file, and one of another format, older or newer, is refused."""
        return cls.from_columns(snapshot.load(path))

    def columns(self) -> dict[str, NDArray[Any]]:
        """All that it knows, by name: views, to be read before the next call.  O(1).

        A refresh that is under way is among it, and goes on where it was.
        """
        return snapshot.columns(self._memory, self._job)

    @classmethod
    def from_columns(cls, columns: Mapping[str, NDArray[Any]]) -> Self:
        """The learner whose `columns` these are; they are copied.  Others are refused."""
        learner = cls.__new__(cls)
        learner._memory, learner._job = snapshot.restored(columns)
        return learner
