"""Recorded events in place of Poisson ones: which page, when, and what happened."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import column
from recrawl.errors import InputError
from recrawl.sim.events import Events, Ids, Times

KINDS = ("change", "signal", "request")
CHANGE, SIGNAL, REQUEST = range(3)


@dataclass(frozen=True)
class Trace:
    """Events in order of time; `kinds` are positions in KINDS.

    >>> trace = Trace.of([0, 1, 0], [0.5, 2.0, 2.0], ["change", "change", "signal"], page_count=2)
    >>> trace.grouped("change").counts.tolist()
    [1, 1]
    """

    pages: Ids
    times: Times
    kinds: NDArray[np.int64]
    page_count: int

    @classmethod
    def of(cls, pages: ArrayLike, times: ArrayLike, kinds: ArrayLike, page_count: int) -> Self:
        """A trace from three columns, checked; a page is a number from 0."""
        numbers, names = np.asarray(pages), np.asarray(kinds)
        if len(numbers) and not np.issubdtype(numbers.dtype, np.integer):
            raise InputError(f"pages must be whole numbers, rows of the pages, got {numbers.dtype}", argument="page")
        if not numbers.shape == np.shape(times) == names.shape or numbers.ndim != 1:
            raise InputError("pages, times and kinds must be columns of one length", argument="trace")
        codes = np.full(len(names), -1, dtype=np.int64)
        for code, name in enumerate(KINDS):
            codes[names == name] = code
        _refuse(codes < 0, "kind", f"be one of {', '.join(KINDS)}", names)
        trace = cls(numbers.astype(np.int64), column("times", times), codes, page_count)
        trace.check()
        return trace

    def check(self) -> None:
        """Refuse what no world can have; the error carries the row."""
        if len(self.times) == 0:
            raise InputError("a trace must have events, got none", argument="trace")
        unknown = (self.pages < 0) | (self.pages >= self.page_count)
        _refuse(unknown, "page", f"be in [0, {self.page_count}), a row of the pages", self.pages)
        _refuse(~((self.times >= 0.0) & (self.times < np.inf)), "time", "be finite and >= 0", self.times)
        back = np.flatnonzero(self.times[1:] < self.times[:-1])
        if len(back):
            row = int(back[0]) + 1
            raise InputError(
                f"time must not go back, got {self.times[row]:g} after {self.times[row - 1]:g} in row {row}; "
                "sort the trace by time",
                argument="time",
                row=row,
            )

    def until(self, horizon: float) -> "Trace":
        """The events up to the horizon."""
        stop = int(np.searchsorted(self.times, horizon, side="right"))
        return Trace(self.pages[:stop], self.times[:stop], self.kinds[:stop], self.page_count)

    def only(self, kind: str) -> tuple[Ids, Times]:
        """Pages and times of the events of one kind."""
        chosen = self.kinds == KINDS.index(kind)
        return self.pages[chosen], self.times[chosen]

    def grouped(self, kind: str) -> Events:
        """The events of one kind by page."""
        return Events.grouped(*self.only(kind), self.page_count)


def _refuse(bad: NDArray[np.bool_], name: str, rule: str, values: NDArray[np.generic]) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"{name} must {rule}, got {values[row].item()!r} in row {row}", argument=name, row=row)
