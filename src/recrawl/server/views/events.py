"""The last fetches and signals, by the numbers of their pages: for the history of a page, and for calibration.

Theory of operation
-------------------
1. `State.watch` tells of facts before they happen.  Then the scheduler still knows how stale it took the page to be,
   which is the prediction that the outcome is compared with.
2. Events and predictions are kept in rings of fixed size, so that memory is bounded whatever happens.
3. Numbers of pages are used again.  Where a page is forgotten or moves away, an event says so, and what came before it
   is another page's.  Where a page moves here, an event says which number it had.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recrawl.arguments import Ids
from recrawl.frontier.facts import Fact
from recrawl.frontier.kept.book import COPY
from recrawl.frontier.kept.copies import UNKNOWN
from recrawl.frontier.numbers import MERGED
from recrawl.frontier.outcomes import MOVED, RESULTS
from recrawl.frontier.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_EVENTS = 1 << 19
MOST_PREDICTIONS = 1 << 15
SIGNAL, LEFT, CAME = 6, 7, 8
"""Kinds of events beside those of RESULTS: a signal; the number stands for another page from here on; it moved here."""
_CHANGED = RESULTS.index("changed")


class Event(NamedTuple):
    """Something that happened to a page."""

    time: float
    kind: int
    detail: float
    """When the page changed, as the signal has it (NaN: it does not say); or the number the page had before."""
    source: int


class Ring:
    """Rows of numbers of which the last so many are kept."""

    def __init__(self, size: int, **columns: type[Any]) -> None:
        self._size, self._at, self.total = size, 0, 0
        self.columns: dict[str, NDArray[Any]] = {name: np.zeros(size, dtype=kind) for name, kind in columns.items()}

    def __len__(self) -> int:
        return min(self.total, self._size)

    def add(self, n: int, **columns: Any) -> None:
        """Keep n rows; of each column one value for all, or one each.  O(n)."""
        skipped = max(n - self._size, 0)
        where = np.arange(self._at + skipped, self._at + n) % self._size
        for name, values in columns.items():
            self.columns[name][where] = values[skipped:] if isinstance(values, np.ndarray) and values.ndim else values
        self._at = (self._at + n) % self._size
        self.total += n

    def in_order(self, rows: Ids) -> Ids:
        """Rows from the oldest to the newest."""
        return rows[np.argsort((rows - self._at) % self._size, kind="stable")]


class Events:
    """What `State.watch` tells, in rings.  A call costs some microseconds, and some nanoseconds a page."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._sources: dict[str, int] = {}
        self.begun = state.now
        self.trouble = ""
        """What went wrong in here, which must not stand in the way of the frontier."""
        self.happened = Ring(
            MOST_EVENTS, page=np.int32, time=np.float64, kind=np.uint8, detail=np.float64, source=np.uint8
        )
        self.predicted = Ring(MOST_PREDICTIONS, chance=np.float32, changed=np.bool_, time=np.float64)

    def __call__(self, fact: Fact) -> None:
        """A fact is about to happen."""
        try:
            if fact.kind == "signal":
                self._signals(fact)
            elif fact.kind == "complete":
                self._crawls(fact)
            elif fact.kind == "forget":
                ids = fact.columns["ids"]
                self.happened.add(len(ids), page=ids, time=fact.now, kind=LEFT, detail=math.nan)
        except Exception as error:  # an exception here would stop the frontier for the sake of a picture
            self.trouble = repr(error)

    def of(self, page: int, until: float = math.inf, depth: int = 8) -> list[Event]:
        """Events of a page, also those from when it had another number, from the oldest on.  O(events kept)."""
        ring = self.happened.columns
        rows = self.happened.in_order(np.flatnonzero(ring["page"][: len(self.happened)] == page))
        rows = rows[ring["time"][rows] <= until]
        if math.isfinite(until) and len(rows) and ring["kind"][rows[-1]] == LEFT:
            rows = rows[:-1]  # the very move that is being followed
        left = np.flatnonzero(ring["kind"][rows] == LEFT)
        if len(left):
            rows = rows[left[-1] + 1 :]
        names = ("time", "kind", "detail", "source")
        found = [Event(*row) for row in zip(*(ring[name][rows].tolist() for name in names), strict=True)]
        came = [event for event in found if event.kind == CAME]
        if not came or not depth:
            return found
        earlier = self.of(int(came[-1].detail), came[-1].time, depth - 1)
        return earlier + found[found.index(came[-1]) :]

    def source(self, number: int) -> str:
        """The name of a source of an event."""
        return list(self._sources)[number]

    def _signals(self, fact: Fact) -> None:
        ids = fact.columns["ids"]
        detail = fact.columns.get("happened", math.nan)
        source = self._sources.setdefault(fact.fields["source"], len(self._sources))
        self.happened.add(len(ids), page=ids, time=fact.now, kind=SIGNAL, detail=detail, source=source)

    def _crawls(self, fact: Fact) -> None:
        columns = fact.columns
        ids, results, at = columns["ids"], columns["results"], columns["at"]
        self.happened.add(len(ids), page=ids, time=at, kind=results, detail=math.nan)
        compared = (results < UNKNOWN) & (self._state.book.state[ids] == COPY)
        if compared.any():
            stale = self._state.pairing.scheduler.staleness(ids[compared], self._state.now)
            self.predicted.add(
                len(stale), chance=-np.expm1(-stale), changed=results[compared] == _CHANGED, time=fact.now
            )
        if "moved_ids" in columns:
            for page, new in zip(ids[results == MOVED].tolist(), columns["moved_ids"].tolist(), strict=True):
                if new not in (page, MERGED):
                    self.happened.add(1, page=new, time=fact.now, kind=CAME, detail=float(page))
                if new != page:
                    self.happened.add(1, page=page, time=fact.now, kind=LEFT, detail=math.nan)
