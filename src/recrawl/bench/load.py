"""A scheduler under load: signals and decisions are counted and timed, the slowest call is kept."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recrawl import clock
from recrawl.engine import Scheduler
from recrawl.engine.core.layout import with_room
from recrawl.model import Pages

Ids = NDArray[np.int64]


def twin_of(scheduler: Scheduler) -> Scheduler:
    """A scheduler in the same state with memory of its own."""
    twin = copy.copy(scheduler)
    core = scheduler._core
    arrays = {name: array.copy() for name, array in core._asdict().items()}
    arrays |= {"numbers": with_room(core.numbers, 0, 0.0), "links": with_room(core.links, 0, 0)}
    twin._core = core._replace(**arrays)
    return twin


@dataclass
class Load:
    """What happens to a scheduler, at which pace, and what it costs."""

    scheduler: Scheduler
    pages: Pages
    rate: float
    now: float = 0.0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    seconds: float = 0.0
    slowest: float = 0.0
    decisions: int = 0
    signals: int = 0
    hearing: float = 0.0
    """Seconds of those that signals took."""
    besides: float = 0.0
    """Seconds a decision for what happens far less often than decisions."""

    def __post_init__(self) -> None:
        self._signalled = np.cumsum(self.pages.signal_rate)
        self._values = self.scheduler.statistics["evaluations"]

    @property
    def values(self) -> int:
        """Values computed so far."""
        return self.scheduler.statistics["evaluations"] - self._values

    def restart(self) -> None:
        """Count from here on."""
        self.seconds = self.hearing = self.slowest = 0.0
        self.decisions = self.signals = 0
        self._values = self.scheduler.statistics["evaluations"]

    @property
    def a_decision(self) -> float:
        """Seconds a decision, with all that comes with it."""
        return self.seconds / max(self.decisions, 1) + self.besides

    def timed(self, call: Callable[[], object]) -> float:
        """Make a call, count what it costs, and say how many seconds that was."""
        start, begun = clock.seconds(), clock.cpu_seconds()
        call()
        spent = clock.cpu_seconds() - begun
        self.seconds += spent
        self.slowest = max(self.slowest, clock.seconds() - start)
        return spent

    def random_ids(self, n: int) -> Ids:
        """Pages as often as they are signalled; none where pages have no signals."""
        if not self._signalled[-1] > 0.0:
            return np.empty(0, dtype=np.int64)
        return np.asarray(np.searchsorted(self._signalled, self.rng.random(n) * self._signalled[-1]))

    def hear(self, ids: Ids) -> None:
        """Signals for these pages."""
        start = clock.cpu_seconds()
        self.scheduler.signal(ids, self.now)
        spent = clock.cpu_seconds() - start
        self.seconds += spent
        self.hearing += spent
        self.signals += len(ids)

    def take(self, n: int = 1) -> Ids:
        """Take n pages now."""
        return self._decide(self.scheduler.take, n)

    def lease(self, n: int) -> Ids:
        """Lease n pages now."""
        return self._decide(self.scheduler.lease, n)

    def _decide(self, method: Callable[[int, float], Ids], n: int) -> Ids:
        start, begun = clock.seconds(), clock.cpu_seconds()
        ids = method(n, self.now)
        self.seconds += clock.cpu_seconds() - begun
        self.slowest = max(self.slowest, clock.seconds() - start)
        self.decisions += len(ids)
        return ids

    def crawled(self, ids: Ids) -> None:
        """These pages have been fetched."""
        start = clock.cpu_seconds()
        self.scheduler.crawled(ids, self.now)
        self.seconds += clock.cpu_seconds() - start

    def pass_time(self, pages: float = 1.0) -> None:
        """As long as it takes to crawl that many pages."""
        self.now += pages / self.rate

    def even(self, n: int, signals: int = 6) -> None:
        """n decisions, that many signals before each."""
        ids = self.random_ids(n * signals).reshape(n, -1)
        for k in range(n):
            self.pass_time()
            if ids.shape[1]:
                self.hear(ids[k])
            self.take()

    def bursts(self, size: int, n: int, signals: int = 6) -> None:
        """n decisions, the signals of `size` of them at once before each `size` of them."""
        for _ in range(max(n // size, 1)):
            self.pass_time()
            self.hear(self.random_ids(size * signals))
            for k in range(size):
                if k:
                    self.pass_time()
                self.take()
