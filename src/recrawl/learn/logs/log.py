"""A crawl log as arrays: intervals between crawls of each page, with the signals that fell into them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl._jit import jit
from recrawl.arguments import column
from recrawl.errors import InputError
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.outcomes import check_changed, check_intervals, refuse

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class CrawlLog:
    """Intervals sorted by page, then time: `page` (an index into `names`), `elapsed`, `signals`, `changed`.

    `first_visits` counts crawls that only start the clock, `unknown` those that compared nothing.  `labels` names
    groups of pages: a column of the log file, one label a page.
    """

    names: Sequence[str]
    page: Ids
    elapsed: Array
    signals: Array
    changed: Array
    first_visits: int = 0
    unknown: int = 0
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.page)

    @classmethod
    def from_intervals(
        cls, names: Sequence[str], page: ArrayLike, elapsed: ArrayLike, signals: ArrayLike, changed: ArrayLike
    ) -> Self:
        """Of intervals whose length and signals are known; NaN in `elapsed` or `changed` leaves one out."""
        p = _indices("page", page, len(names))
        tau, n, z = column("elapsed", elapsed), column("signals", signals), column("changed", changed)
        _same_length("page", len(p), elapsed=tau, signals=n, changed=z)
        check_intervals(tau, n, z)
        order = np.argsort(p, kind="stable")
        p, tau, n, z = p[order], tau[order], n[order], z[order]
        timed, compared = ~np.isnan(tau), ~np.isnan(z)
        known = timed & compared
        return cls(names, p[known], tau[known], n[known], z[known], int(np.sum(~timed)), int(np.sum(timed & ~compared)))

    @classmethod
    def from_events(
        cls,
        names: Sequence[str],
        page: ArrayLike,
        time: ArrayLike,
        changed: ArrayLike,
        signal_page: ArrayLike = (),
        signal_time: ArrayLike = (),
        start: float | None = None,
    ) -> Self:
        """Of crawls and signals at times, in any order; a signal at the moment of a crawl counts as before it.

        The first crawl of a page only starts its clock, unless all pages were crawled at `start`.  A crawl that
        compared nothing (NaN in `changed`: a failed fetch) does not end an interval: the copy is still the older one.
        """
        if start is not None and not np.isfinite(start):
            raise InputError(f"start must be finite, got {start}", argument="start")
        p, t = _events("page", page, "time", time, len(names))
        sp, st = _events("signal_page", signal_page, "signal_time", signal_time, len(names))
        z = column("changed", changed)
        _same_length("page", len(p), changed=z)
        check_changed(z)
        order, signal_order = np.lexsort((t, p)), np.lexsort((st, sp))
        p, t, z, sp, st = p[order], t[order], z[order], sp[signal_order], st[signal_order]
        first = np.ones(len(p), dtype=np.bool_)
        first[1:] = p[1:] != p[:-1]
        looked = ~np.isnan(z)
        ends = looked | first if start is None else looked
        kept = np.flatnonzero(ends)
        p, t, z, first = p[kept], t[kept], z[kept], np.ones(len(kept), dtype=np.bool_)
        first[1:] = p[1:] != p[:-1]
        begin = np.full(len(p), np.nan if start is None else start)
        begin[1:] = np.where(first[1:], begin[1:], t[:-1])
        counted = count_signals(p, begin, t, sp, st)
        elapsed = t - begin
        if np.any(elapsed <= 0.0):
            row = int(np.argmax(elapsed <= 0.0))
            raise InputError(
                f"crawls of a page must be at different times, after start; got two of {names[p[row]]} at {t[row]}",
                argument="time",
            )
        lengths = ~np.isnan(elapsed)
        return cls(
            names,
            p[lengths],
            elapsed[lengths],
            counted[lengths],
            z[lengths],
            int(np.sum(~lengths)),
            int(np.sum(~ends)),
        )

    def split(self) -> tuple[Self, Self]:
        """Every other interval of each page, and the rest: to try on one half what the other half taught."""
        first = np.searchsorted(self.page, self.page)
        odd = (np.arange(len(self.page)) - first) % 2 == 1
        return self.part(~odd), self.part(odd)

    def part(self, chosen: NDArray[np.bool_]) -> Self:
        """The chosen intervals, of the same pages."""
        page, elapsed, signals, changed = self.page, self.elapsed, self.signals, self.changed
        return type(self)(
            self.names, page[chosen], elapsed[chosen], signals[chosen], changed[chosen], labels=self.labels
        )


def _indices(name: str, values: ArrayLike, pages: int) -> Ids:
    """Indices of pages there are."""
    given = np.asarray(values)
    if given.size == 0:
        return np.empty(0, dtype=np.int64)
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise InputError(f"{name} must be a column of whole numbers, got {values!r:.80}", argument=name)
    refuse(name, given, (given < 0) | (given >= pages), f"be an index into names, from 0 to {pages - 1}")
    return np.ascontiguousarray(given, dtype=np.int64)


def _events(page_name: str, page: ArrayLike, time_name: str, time: ArrayLike, pages: int) -> tuple[Ids, Array]:
    p, t = _indices(page_name, page, pages), column(time_name, time)
    _same_length(page_name, len(p), **{time_name: t})
    refuse(time_name, t, ~np.isfinite(t), "be finite")
    return p, t


def _same_length(first: str, length: int, **columns: Array) -> None:
    for name, values in columns.items():
        if values.shape != (length,):
            raise InputError(f"{name} must have as many rows as {first}, got {values.size} and {length}", argument=name)


def count_signals(page: Ids, begin: Array, end: Array, signal_page: Ids, signal_time: Array) -> Array:
    """Signals in (begin, end] of each interval; intervals and signals sorted by page, then time."""
    counted = np.empty(len(page))
    _count(page, begin, end, signal_page, signal_time, counted)
    return counted


@jit
def _count(page: Ids, begin: Array, end: Array, signal_page: Ids, signal_time: Array, out: Array) -> None:
    k = 0
    for j in range(len(page)):
        since = end[j] if np.isnan(begin[j]) else begin[j]  # a first visit has no interval
        while k < len(signal_page) and (
            signal_page[k] < page[j] or (signal_page[k] == page[j] and signal_time[k] <= since)
        ):
            k += 1
        n = 0
        while k < len(signal_page) and signal_page[k] == page[j] and signal_time[k] <= end[j]:
            k += 1
            n += 1
        out[j] = n
