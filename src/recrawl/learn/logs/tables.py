"""Columns of crawls and of signals while a log is read: 8 bytes a number, no objects a row."""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import InputError
from recrawl.files.malformed import Malformed
from recrawl.learn.fit.likelihood import Array

Ids = NDArray[np.int64]

UNNAMED = "unnamed"
"""The source of signals that name none."""


@dataclass(frozen=True)
class SortedCrawls:
    """By page, then time."""

    page: Ids
    time: Array
    changed: Array
    elapsed: Array
    signals: Array
    line: Ids

    def apart(self, path: str, start: float | None, malformed: Malformed, span: str) -> "SortedCrawls":
        """Without crawls that leave no time since the one before (or since `start`); those are malformed.

        `span` says for people when the log's crawls were.
        """
        bad = np.zeros(len(self.page), dtype=np.bool_)
        bad[1:] = (self.page[1:] == self.page[:-1]) & (self.time[1:] == self.time[:-1])
        early = np.zeros_like(bad) if start is None else self.time <= start
        after = f"start must be before the first crawls; those of {path} are {span}"
        if len(early) and early.all():
            raise InputError(after, argument="start")
        for row in np.flatnonzero(bad | early):
            reason = f"crawl not after the start ({after})" if early[row] else "second crawl of a page at the same time"
            malformed.add(path, int(self.line[row]), reason)
        return self._chosen(~(bad | early))

    def _chosen(self, index: NDArray[np.bool_]) -> Self:
        return type(self)(*(column[index] for column in vars(self).values()))


class Crawls:
    """Crawls in the order of the file."""

    def __init__(self) -> None:
        self.page, self.line = array("q"), array("q")
        self.time, self.changed, self.elapsed, self.signals = (array("d") for _ in range(4))

    def add(self, page: int, time: float, changed: float, elapsed: float, signals: float, line: int) -> None:
        """One more."""
        self.page.append(page)
        self.time.append(time)
        self.changed.append(changed)
        self.elapsed.append(elapsed)
        self.signals.append(signals)
        self.line.append(line)

    def extend(self, page: Ids, numbers: Sequence[Array], lines: Ids) -> None:
        """Many more; `numbers` are time, changed, elapsed and signals."""
        self.page.frombytes(page.tobytes())
        self.line.frombytes(lines.tobytes())
        for column, values in zip((self.time, self.changed, self.elapsed, self.signals), numbers, strict=True):
            column.frombytes(values.tobytes())

    def sorted(self) -> SortedCrawls:
        """All, by page, then time; of two at one moment that which compared something comes first.

        Without times the order of the file stands.
        """
        columns = [np.array(c) for c in (self.page, self.time, self.changed, self.elapsed, self.signals, self.line)]
        failed = np.isnan(columns[2]) & ~np.isnan(columns[1])
        order = np.lexsort((failed, columns[1], columns[0]))
        return SortedCrawls(*(column[order] for column in columns))


@dataclass(frozen=True)
class SortedSignals:
    """By page, then time."""

    page: Ids
    time: Array
    source: Ids

    def of(self, chosen: NDArray[np.bool_]) -> "SortedSignals":
        """Those chosen."""
        return SortedSignals(self.page[chosen], self.time[chosen], self.source[chosen])

    def with_others(self, others: "SortedSignals") -> "SortedSignals":
        """These and others."""
        page, time, source = (
            np.concatenate((a, b)) for a, b in zip(vars(self).values(), vars(others).values(), strict=True)
        )
        order = np.lexsort((time, page))
        return SortedSignals(page[order], time[order], source[order])


class Signals:
    """Signals in the order of the file; sources are numbered as they come, -1 for none."""

    def __init__(self) -> None:
        self.page, self.time, self._source = array("q"), array("d"), array("q")
        self.sources: dict[str, int] = {}
        self.happened, self.told = array("d"), array("d")

    def add(self, page: int, time: float, source: str | None, happened: float) -> None:
        """One more; `happened` is NaN where the signal does not say when the change was."""
        if not math.isnan(happened):
            self.happened.append(happened)
            self.told.append(time)
        self.page.append(page)
        self.time.append(time)
        self._source.append(self.sources.setdefault(source, len(self.sources)) if source else -1)

    def sorted(self) -> SortedSignals:
        """All, by page, then time."""
        page, time, source = (np.array(c) for c in (self.page, self.time, self._source))
        order = np.lexsort((time, page))
        return SortedSignals(
            page[order].astype(np.int64), time[order].astype(np.float64), source[order].astype(np.int64)
        )

    def most_frequent(self, pages: int) -> list[str]:
        """The source of most signals of each page; "none" where it had none."""
        names = [*self.sources, UNNAMED]
        source = np.array(self._source, dtype=np.int64)
        counts = np.zeros((pages, len(names)), dtype=np.int64)
        np.add.at(counts, (np.array(self.page, dtype=np.int64), source), 1)  # -1 is the last: unnamed
        best = counts.argmax(axis=1)
        return [names[k] if counts[i, k] else "none" for i, k in enumerate(best.tolist())]
