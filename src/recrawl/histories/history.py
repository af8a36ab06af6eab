"""`History`: pages with the times they came, changed and went."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import InputError

Ids = NDArray[np.int64]
Times = NDArray[np.float64]
Marks = NDArray[np.bool_]

BULK = 50
"""Changes of more pages than this at one moment are a bulk edit."""


@dataclass(frozen=True)
class History:
    """Pages and their changes; times are days since the history began.

    A page is there from `created` until `removed` (inf: it still is at the end).  Coming is not a change, nor is going.
    Changes are in order of time.  `marked` says which of them are of a bulk edit, where that is known better than from
    equal times: it was read, or pages were left out.

    >>> history = History("two", ("a", "b"), np.array([0.0, 5.0]), np.array([np.inf, 9.0]),
    ...                   change_pages=np.array([0, 1]), change_times=np.array([3.0, 8.0]), end=10.0)
    >>> history.between(4.0, 10.0).change_times.tolist()
    [4.0]
    >>> history.alive_throughout().paths
    ('a',)
    """

    name: str
    paths: tuple[str, ...]
    created: Times
    removed: Times
    change_pages: Ids
    change_times: Times
    end: float
    marked: Marks | None = None

    def __len__(self) -> int:
        return len(self.paths)

    def check(self) -> None:
        """Refuse what no history can be."""
        n = len(self.paths)
        if not len(self.created) == len(self.removed) == n:
            raise InputError(f"created and removed must have one time for each of {n} pages", argument="created")
        if len(self.change_pages) != len(self.change_times):
            raise InputError("change_pages and change_times must be of one length", argument="change_pages")
        if self.marked is not None and len(self.marked) != len(self.change_times):
            raise InputError("marked and change_times must be of one length", argument="marked")
        bad = np.flatnonzero(~(self.created >= 0.0))
        if len(bad):
            row = int(bad[0])
            raise InputError(
                f"created must be >= 0, got {self.created[row]:g}; what is older than the history came at 0",
                argument="created",
                row=row,
            )
        bad = np.flatnonzero(~(self.created <= self.removed))
        if len(bad):
            row = int(bad[0])
            raise InputError(
                f"removed must not be before created, got {self.removed[row]:g} after {self.created[row]:g}",
                argument="removed",
                row=row,
            )
        bad = np.flatnonzero((self.change_pages < 0) | (self.change_pages >= n))
        if len(bad):
            row = int(bad[0])
            raise InputError(f"page must be in [0, {n}), got {self.change_pages[row]}", argument="page", row=row)
        bad = np.flatnonzero(~((self.change_times >= 0.0) & (self.change_times <= self.end)))
        if len(bad):
            row = int(bad[0])
            raise InputError(
                f"time must be in [0, {self.end:g}], got {self.change_times[row]}", argument="time", row=row
            )
        bad = np.flatnonzero(np.diff(self.change_times) < 0.0)
        if len(bad):
            row = int(bad[0]) + 1
            raise InputError(
                f"time must not go back, got {self.change_times[row]:g} after {self.change_times[row - 1]:g}",
                argument="time",
                row=row,
            )

    def between(self, start: float, end: float | None = None) -> "History":
        """What happened from `start` on, up to `end`; times count from `start`, and pages not there are left out."""
        end = self.end if end is None else end
        if not 0.0 <= start < end <= self.end:
            raise InputError(f"start and end must be within [0, {self.end:g}], got {start:g} and {end:g}", "start")
        there = (self.created < end) & (self.removed > start)
        inside = (self.change_times > start) & (self.change_times <= end)
        cut = replace(
            self,
            created=np.maximum(self.created - start, 0.0),
            removed=np.where(self.removed >= end, np.inf, self.removed - start),
            change_pages=self.change_pages[inside],
            change_times=self.change_times[inside] - start,
            marked=None if self.marked is None else self.marked[inside],
            end=end - start,
        )
        return cut.only(np.flatnonzero(there))

    def last(self, days: float) -> "History":
        """The last days of it, or all where it is shorter."""
        return self.between(max(self.end - days, 0.0))

    def only(self, pages: Ids) -> "History":
        """These pages, numbered anew in the order given."""
        number = np.full(len(self), -1, dtype=np.int64)
        number[pages] = np.arange(len(pages))
        kept = number[self.change_pages] >= 0
        return replace(
            self,
            paths=tuple(self.paths[k] for k in pages.tolist()),
            created=self.created[pages],
            removed=self.removed[pages],
            change_pages=number[self.change_pages[kept]],
            change_times=self.change_times[kept],
            marked=self.bulk[kept],  # an edit of a thousand pages stays a bulk edit where a few of them are kept
        )

    def alive_throughout(self) -> "History":
        """The pages that are there from beginning to end."""
        return self.only(np.flatnonzero((self.created <= 0.0) & np.isinf(self.removed)))

    def sample(self, most: int, rng: np.random.Generator) -> "History":
        """At most so many pages, drawn at random."""
        if len(self) <= most:
            return self
        return self.only(np.sort(rng.choice(len(self), most, replace=False)))

    @property
    def counts(self) -> Ids:
        """Changes of each page."""
        return np.bincount(self.change_pages, minlength=len(self))

    @property
    def change_rates(self) -> Times:
        """Changes a day of each page, over the time that it was there."""
        there = np.minimum(self.removed, self.end) - self.created
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(there > 0.0, self.counts / there, 0.0)

    @property
    def bulk(self) -> Marks:
        """Which changes are of a bulk edit: one moment with more than BULK pages, unless `marked` says."""
        if self.marked is not None:
            return self.marked
        _, which, sizes = np.unique(self.change_times, return_inverse=True, return_counts=True)
        return np.asarray(sizes[which] > BULK)
