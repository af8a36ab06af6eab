"""Moments in time, grouped by page: what changes, requests and crawls are stored as."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit

Ids = NDArray[np.int64]
Times = NDArray[np.float64]


@dataclass(frozen=True)
class Events:
    """Times of events, rising within each page: those of page i are `times[start[i]:start[i + 1]]`."""

    start: Ids
    times: Times

    @classmethod
    def grouped(cls, pages: Ids, times: Times, m: int) -> Self:
        """Events given in order of time, of m pages."""
        start = np.zeros(m + 1, dtype=np.int64)
        np.cumsum(np.bincount(pages, minlength=m), out=start[1:])
        return cls(start, times[np.argsort(pages, kind="stable")])

    @classmethod
    def poisson(cls, rates: Times, horizon: float, rng: np.random.Generator) -> Self:
        """A Poisson process for each page, from 0 to the horizon."""
        start = np.zeros(len(rates) + 1, dtype=np.int64)
        np.cumsum(rng.poisson(rates * horizon), out=start[1:])
        times = np.empty(int(start[-1]))
        _spread(start, rng.standard_exponential(len(times) + len(rates)), horizon, times)
        return cls(start, times)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def counts(self) -> Ids:
        """Events of each page."""
        return np.diff(self.start)

    @property
    def pages(self) -> Ids:
        """The page of each event."""
        return np.repeat(np.arange(len(self.start) - 1), self.counts)

    def of(self, page: int) -> Times:
        """Times of one page's events."""
        return self.times[self.start[page] : self.start[page + 1]]


@jit
def _spread(start: Ids, gaps: Times, horizon: float, times: Times) -> None:
    """n uniform times in rising order are the partial sums of n + 1 exponential gaps over their sum: no sorting."""
    g = 0
    for i in range(len(start) - 1):
        first, stop = start[i], start[i + 1]
        total = 0.0
        for k in range(first, stop):
            total += gaps[g]
            times[k] = total
            g += 1
        total += gaps[g]
        g += 1
        for k in range(first, stop):
            times[k] *= horizon / total
