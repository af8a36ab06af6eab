"""What the dashboard remembers of a frontier, in memory and bounded; it is lost when the process ends."""

import math
import threading
from weakref import WeakKeyDictionary

import numpy as np

from recrawl.clock import seconds
from recrawl.errors import RecrawlError
from recrawl.frontier import Frontier
from recrawl.frontier.kept.book import NEW
from recrawl.frontier.state import State
from recrawl.model import Pages
from recrawl.model.functions import threshold
from recrawl.optimal import optimum
from recrawl.server.views import estimate
from recrawl.server.views.events import Events
from recrawl.server.views.host_table import HostTable
from recrawl.server.views.reference import Reference, reference
from recrawl.server.views.samples import Sample, Samples

REFERENCE_LASTS = 300.0
"""Seconds of the machine's clock after which the optima are computed anew; they take a second or two of one core."""
USED_OVER = 600.0
"""Seconds of the frontier over which the rate is measured."""
LEAST_SPAN = 20.0
"""Seconds below which a measured rate says nothing."""
LEAST_RATE = 1e-12
"""Pages a second: one in thirty thousand years.  To less there is nothing to compare."""


class Memory:
    """What is remembered of one frontier."""

    def __init__(self, state: State) -> None:
        self.events = Events(state)
        self.samples = Samples()
        self.hosts = HostTable()
        self.reference: Reference | None = None
        self._computed = -math.inf
        self._computing = threading.Lock()
        state.watch = self.events

    def used_rate(self) -> float | None:
        """Pages leased a second of late, None where it is too early to say."""
        last = self.samples.last
        first = None if last is None else self.samples.before(last.time - USED_OVER)
        if last is None or first is None or last.time - first.time < LEAST_SPAN:
            return None
        return (last.leases - first.leases) / (last.time - first.time)

    def rate(self, frontier: Frontier) -> float | None:
        """The rate to compare at: that which is used, else that which is allowed, else None."""
        rate = self.used_rate() or frontier.rate or 0.0
        return rate if rate > LEAST_RATE else None

    @property
    def computing(self) -> bool:
        """Whether the optima are being computed."""
        return self._computing.locked()

    def refresh(self, frontier: Frontier, lasts: float = REFERENCE_LASTS) -> None:
        """Compute the optima now, where those there are have become old."""
        with self._computing:
            rate = self.rate(frontier)
            old, many = self.reference, len(frontier)
            same = old is not None and rate is not None and 0.8 < old.rate / rate < 1.25 and many < 1.25 * old.pages
            if rate is None or not many or seconds() - self._computed < (lasts if same else min(lasts, 20.0)):
                return
            self._computed = seconds()
            found = reference(frontier, rate)
            self.reference = old if found is None else found

    def refresh_aside(self, frontier: Frontier) -> None:
        """The same in a thread of its own."""
        if not self.computing and seconds() - self._computed > 20.0:
            threading.Thread(target=self._try_refresh, args=(frontier,), name="dashboard", daemon=True).start()

    def _try_refresh(self, frontier: Frontier) -> None:
        try:
            self.refresh(frontier)
        except RecrawlError:  # the frontier was closed meanwhile, or no page matters; the next attempt may do better
            return


_memories: WeakKeyDictionary[Frontier, Memory] = WeakKeyDictionary()
_guard = threading.Lock()


def watch(frontier: Frontier) -> Memory:
    """Begin to remember, or what is remembered so far."""
    with _guard:
        found = _memories.get(frontier)
        if found is None:
            _warm_up()
            found = _memories[frontier] = frontier.look(lambda state, _: Memory(state))
        return found


def _warm_up() -> None:
    """Compile what else would be compiled by the first view, while the frontier waits."""
    one = Pages([1.0], [1.0], [1.0], [1.0])
    threshold(one, 0.1)
    optimum(one, 1.0)


def tick(frontier: Frontier) -> Memory:
    """Take a sample where it is time for one, and see to it that the optima are not too old."""
    memory = watch(frontier)
    if frontier.look(lambda _, now: memory.samples.due(now)):
        memory.samples.add(frontier.look(lambda state, now: _sample(state, now, memory.reference)))
    memory.refresh_aside(frontier)
    return memory


def _sample(state: State, now: float, known: Reference | None) -> Sample:
    fresh, counted = estimate.fresh(state, now), state.counters.get
    best = (math.nan, math.nan, math.nan) if known is None else known.here
    budget = state.limit.rate
    return Sample(
        now,
        *fresh,
        *best,
        budget=math.inf if budget is None else budget,
        pages=len(state.urls),
        new=int(np.count_nonzero(state.book.state == NEW)),
        leases=counted("leases", 0),
        changed=counted("changed", 0),
        unchanged=counted("unchanged", 0),
        unknown=counted("unknown", 0),
        failed=counted("failed", 0),
        gone=counted("gone", 0),
        signals=counted("signals", 0),
        dropped=counted("signals_dropped", 0),
    )
