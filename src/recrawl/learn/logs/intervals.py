"""Crawls in order of time into intervals between those that compared, with the signals that fell into them.

A crawl that compared nothing does not end an interval: the copy is still the older one.  So its time and its signals
are added to those of the next crawl of the page; the crawls up to one that compared are a *stretch*.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from recrawl.files.malformed import Malformed
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.logs.log import CrawlLog, Ids, count_signals
from recrawl.learn.logs.tables import SortedCrawls, SortedSignals

Flags = NDArray[np.bool_]


class Intervals:
    """Crawls of a log with the time since the crawl before, in the order of pages and times.

    `elapsed` NaN is a first visit: it only starts the clock.
    """

    def __init__(self, crawls: SortedCrawls, start: float | None, measured: bool) -> None:
        """`measured`: the log says how long ago the crawl before was; else the times do, and `start` for the first."""
        self.crawls = crawls
        if measured:
            self.elapsed, self.begin = crawls.elapsed, crawls.time - crawls.elapsed
        else:
            self.begin = _times_before(crawls, start)
            self.elapsed = crawls.time - self.begin
        self.first: Flags = np.isnan(self.elapsed)
        self.usable: Flags = np.ones(len(crawls.page), dtype=np.bool_)

    @property
    def placed(self) -> bool:
        """Whether every crawl has a time, so that signals with times can be counted between them."""
        return bool(np.isfinite(self.crawls.time).all())

    def heard(self, signals: SortedSignals) -> Array:
        """Signals between each crawl and the one before."""
        return count_signals(self.crawls.page, self.begin, self.crawls.time, signals.page, signals.time)

    def said(self, signals: SortedSignals, path: str, malformed: Malformed) -> Array:
        """The same from the log's column `signals`; from its signals where a cell is blank, if it has any.

        A blank that stays blank is malformed, and so is the crawl that ends its stretch: what came is not known.
        """
        own = self.crawls.signals
        if len(signals.page):
            counted = np.where(np.isnan(self.crawls.time), np.nan, self.heard(signals))
            own = np.where(np.isnan(own), counted, own)
        blank = np.isnan(own) & ~self.first
        spoiled = np.isnan(self._summed(own)) & ~np.isnan(self.crawls.changed) & ~self.first & ~blank
        for row in np.flatnonzero(blank | spoiled):
            reason = "signals is blank" if blank[row] else "signals is blank in a crawl before that compared nothing"
            malformed.add(path, int(self.crawls.line[row]), reason)
        self.usable &= ~(blank | spoiled)
        return own

    def log(self, names: Sequence[str], signals: Array) -> CrawlLog:
        """The intervals, given the signals between each crawl and the one before."""
        changed = self.crawls.changed
        elapsed = np.where(self.first, np.nan, self._summed(self.elapsed))
        inside = np.where(np.isnan(changed), 0.0, self._summed(signals))
        columns = (self.crawls.page, elapsed, inside, changed)
        return CrawlLog.from_intervals(names, *(column[self.usable] for column in columns))

    def counted(self, signals: SortedSignals) -> Array:
        """Signals in each interval of `log`."""
        ends = self.usable & ~self.first & ~np.isnan(self.crawls.changed)
        return self._summed(self.heard(signals))[ends]

    def watched(self, pages: int, signals: SortedSignals, start: float | None) -> tuple[Array, Array]:
        """How long the signals of each page were watched, and how many came.

        From its first crawl (or `start`) to the end of the log; a page never crawled is watched throughout.
        """
        times = np.concatenate((self.crawls.time, signals.time))
        since = np.full(pages, times.min() if start is None else start)
        whose, row = np.unique(self.crawls.page, return_index=True)
        since[whose] = np.where(self.first[row], self.crawls.time[row], self.begin[row])
        later = signals.time > since[signals.page]
        came = np.bincount(signals.page[later], minlength=pages).astype(np.float64)
        return times.max() - since, came

    @cached_property
    def _stretch(self) -> Ids:
        page, compared = self.crawls.page, ~np.isnan(self.crawls.changed)
        begins = np.ones(len(page), dtype=np.int64)
        begins[1:] = (page[1:] != page[:-1]) | compared[:-1] | self.first[1:] | self.first[:-1]
        return np.cumsum(begins) - 1

    def _summed(self, values: Array) -> Array:
        """Sums over the stretch of each crawl; first visits add nothing."""
        sums = np.bincount(self._stretch, weights=np.where(self.first, 0.0, values))
        return sums[self._stretch].astype(np.float64)


def _times_before(crawls: SortedCrawls, start: float | None) -> Array:
    before = np.full(len(crawls.page), np.nan if start is None else start)
    before[1:] = np.where(crawls.page[1:] == crawls.page[:-1], crawls.time[:-1], before[1:])
    return before
