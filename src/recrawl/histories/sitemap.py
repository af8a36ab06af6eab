"""The signals a sitemap gives: it is built now and then, read now and then, and lastmod is what the site makes of it.

A signal is a lastmod that advanced since the sitemap was read last.  So several changes between two readings are one
signal, a change on the day of the last one is none where lastmod is a date, and a site that stamps every page at every
build signals everything.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from recrawl.arguments import above, between
from recrawl.errors import InputError
from recrawl.histories.history import History, Ids, Times
from recrawl.histories.signals import Flags, Signals

LASTMOD = ("exact", "date", "build")


@dataclass(frozen=True)
class Sitemap:
    """How a site writes its sitemap, and how often a crawler reads it.

    ============== ============================================================================================
    `build_days`   days between builds; None: a build at each moment at which pages changed, came or went
    `read_days`    days between readings; None: each build is read at once
    `lastmod`      "exact": when the page changed last; "date": the day of it; "build": that of the build
    `missed`       share of the changes that lastmod does not follow
    `frozen_from`  from this day on, builds are no longer published
    ============== ============================================================================================
    """

    build_days: float | None = 1.0
    read_days: float | None = None
    lastmod: Literal["exact", "date", "build"] = "exact"
    missed: float = 0.0
    frozen_from: float = np.inf

    def __post_init__(self) -> None:
        for name, days in (("build_days", self.build_days), ("read_days", self.read_days)):
            if days is not None:
                above(name, days, 0.0, finite=True)
        between("missed", self.missed, 0.0, 1.0)
        if self.lastmod not in LASTMOD:
            raise InputError(f"lastmod must be one of {', '.join(LASTMOD)}, got {self.lastmod!r}", argument="lastmod")

    def builds(self, history: History) -> Times:
        """When the sitemap is built, the first at 0."""
        if self.build_days is not None:
            times = np.arange(0.0, history.end * (1.0 + 1e-12), self.build_days)
        else:
            moments = (history.created, history.removed[np.isfinite(history.removed)], history.change_times)
            times = np.unique(np.concatenate((np.zeros(1), *moments)))
        return np.asarray(times[(times < self.frozen_from) | (times == 0.0)])

    def reads(self, history: History) -> Times:
        """When it is read, the first at 0."""
        if self.read_days is None:
            return self.builds(history)
        return np.arange(0.0, history.end * (1.0 + 1e-12), self.read_days)


def appearances(history: History, sitemap: Sitemap) -> Times:
    """When the crawler first reads of each page; inf where it never does, as where the page went before."""
    builds, reads = sitemap.builds(history), sitemap.reads(history)
    at = _first_read(builds, reads, history.created)
    listed = at < len(reads)
    out = np.full(len(history), np.inf)
    out[listed] = reads[at[listed]]
    latest = np.where(listed, _build_read(builds, reads)[np.minimum(at, len(reads) - 1)], np.inf)
    out[history.removed <= latest] = np.inf
    return out


def sitemap_signals(history: History, sitemap: Sitemap, rng: np.random.Generator) -> Signals:
    """A signal for each lastmod that advanced between two readings; a page that is listed anew is no signal.

    >>> history = History("h", ("a",), np.zeros(1), np.array([np.inf]), np.zeros(3, int), np.array([.2, .4, 7.]), 9.)
    >>> signals = sitemap_signals(history, Sitemap(build_days=1.0), np.random.default_rng(0))
    >>> signals.arrivals.tolist(), signals.happened.tolist()
    ([1.0, 7.0], [0.4, 7.0])
    """
    followed = rng.random(len(history.change_times)) >= sitemap.missed
    builds, reads = sitemap.builds(history), sitemap.reads(history)
    shown = _build_read(builds, reads)
    every = _seen(history, history.change_pages, history.change_times, builds, reads)
    if sitemap.lastmod == "build":
        pages, at = _all_bumped(history, shown)
        lastmod = shown[at]
    else:
        pages, at, lastmod = _seen(
            history, history.change_pages[followed], history.change_times[followed], builds, reads
        )
        if sitemap.lastmod == "date":
            kept = _advanced(history, pages, np.floor(lastmod))
            pages, at, lastmod = pages[kept], at[kept], np.floor(lastmod[kept])
    there = history.removed[pages] > shown[at]
    pages, at, lastmod = pages[there], at[there], lastmod[there]
    true = np.isin(pages * len(reads) + at, every[0] * len(reads) + every[1])
    return Signals.by_arrival(pages, reads[at], lastmod, true)


def _build_read(builds: Times, reads: Times) -> Times:
    """The build that each reading meets."""
    return builds[np.searchsorted(builds, reads, side="right") - 1]


def _first_read(builds: Times, reads: Times, times: Times) -> Ids:
    """The first reading that can know what happened at these times; len(reads) where there is none."""
    built = np.searchsorted(builds, times, side="left")
    known = np.append(builds, np.inf)[built]
    return np.searchsorted(reads, known, side="left")


def _seen(history: History, pages: Ids, times: Times, builds: Times, reads: Times) -> tuple[Ids, Ids, Times]:
    """Pages and readings that meet changes, with the time of the last; in order of page and reading.

    What changed before the page was first read of is no news.
    """
    at = _first_read(builds, reads, times)
    first = _first_read(builds, reads, history.created)
    news = (at < len(reads)) & (at > first[pages])
    pages, at, times = pages[news], at[news], times[news]
    order = np.lexsort((times, at, pages))
    pages, at, times = pages[order], at[order], times[order]
    last = np.append((np.diff(pages) != 0) | (np.diff(at) != 0), True)[: len(pages)]
    return pages[last], at[last], times[last]


def _advanced(history: History, pages: Ids, dates: Times) -> Flags:
    """Which dates are later than the one shown before, for rows in order of page and reading."""
    # A page that was there from the start was changed or made before it, on a day before day 0.
    before = np.where(history.created > 0.0, np.floor(history.created), -1.0)[pages]
    same = np.flatnonzero(np.diff(pages) == 0) + 1
    before[same] = dates[same - 1]
    return np.asarray(dates > before)


def _all_bumped(history: History, shown: Times) -> tuple[Ids, Ids]:
    """Every page at every reading that meets a new build, except the first that lists it."""
    pages, at = [], []
    for k in range(1, len(shown)):
        if shown[k] > shown[k - 1]:
            listed = np.flatnonzero(history.created <= shown[k - 1])
            pages.append(listed)
            at.append(np.full(len(listed), k))
    if not pages:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return np.concatenate(pages), np.concatenate(at)
