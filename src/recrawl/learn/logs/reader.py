"""Takes in the rows of log files: whole chunks at once where nothing is odd, else row by row.

`_row` says what is taken and what is malformed; `_whole` must do the same, only faster, or decline (a test holds it).
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recrawl.errors import DataError, InputError
from recrawl.files import header, opening
from recrawl.files.cells import (
    count,
    date,
    is_blank,
    optional_number,
    optional_numbers,
    outcome,
    outcomes,
    time_reader,
)
from recrawl.files.malformed import Malformed
from recrawl.files.rows import Rows
from recrawl.learn.logs.tables import Crawls, Signals

Progress = Callable[[int], None]
"""Told the number of rows read so far."""

Cells = Sequence[Any]

_COLUMNS = ("time", "changed", "elapsed", "signals", "source", "happened")
_KNOWN = (*header.PAGE, "kind", *_COLUMNS)


class LogReader:
    """Crawls and signals of one or two files, pages numbered as they come."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.ids: dict[str, int] = {}
        self.labels: dict[int, str] = {}
        self.crawls, self.signals = Crawls(), Signals()
        self.malformed = Malformed()
        self.rows = 0
        self.timer: Callable[[object], float] | None = None
        self.timed = True
        self.progress = progress

    def read(self, path: str, by: str | None, starts: bool = False) -> list[str]:
        """Read a file of crawls, or of crawls and signals told apart by `kind`; its columns.

        `starts`: the caller knows when all pages were crawled, so the file must not say how long ago that was.
        """
        shown, before = opening.shown(path), self.rows

        def check(names: list[str], line: int | None) -> None:
            _check(names, ("changed",), shown, line, by)
            if starts and "elapsed" in names:
                raise InputError(
                    f"start must not be given where the log says the time since the crawl before, as {shown} does in "
                    "its column elapsed; leave out one of the two",
                    argument="start",
                )

        source = Rows(path, check, "crawl", self.malformed)
        for lines, cells in source:
            pages = cells[header.require_page(source.names, shown, None)]
            self.timed = "time" in source.names
            blank = [None] * len(lines)
            columns = [cells.get(c, blank) for c in _COLUMNS]
            kinds = cells.get("kind", ["crawl"] * len(lines))
            labels = cells.get(by, blank) if by is not None else blank
            self._learn_timer(columns[0])
            if not self._whole(lines, pages, kinds, labels, columns):
                for line, page, kind, label, *rest in zip(lines, pages, kinds, labels, *columns, strict=True):
                    self._row(shown, line, page, kind, label, rest)
            self._count(before + source.rows)
        if self.rows == before:
            raise DataError("has a header but no rows; add a line for each crawl", shown)
        if by is not None and by not in source.names and by not in ("host", "source"):
            raise DataError(f"has no column {by} to group by; found: {', '.join(source.names)}", shown, None, by)
        return source.names

    def read_signals(self, path: str) -> list[str]:
        """Read a file of signals only; its columns."""
        shown, before = opening.shown(path), self.rows
        source = Rows(path, lambda names, line: _check(names, ("time",), shown, line), "signal", self.malformed)
        for lines, cells in source:
            pages = cells[header.require_page(source.names, shown, None)]
            self._learn_timer(cells["time"])
            blank = [None] * len(lines)
            others = cells.get("source", blank), cells.get("happened", blank)
            for line, page, time, source_name, happened in zip(lines, pages, cells["time"], *others, strict=True):
                self._row(shown, line, page, "signal", None, [time, None, None, None, source_name, happened])
            self._count(before + source.rows)
        return source.names

    def moment(self, path: str, start: float | str | None) -> float | None:
        """`start` in the unit of the log's times."""
        if start is None:
            return None
        try:
            time = (self.timer or optional_number)(start)
        except ValueError:
            time = math.nan
        if not math.isfinite(time):
            kind = "a date" if self.timer is date else "a finite number"
            raise InputError(f"start must be {kind}, as times are in {path}, got {start}", argument="start")
        return time

    def _learn_timer(self, cells: Cells) -> None:
        """Times are numbers or dates: whichever the first cell that is either is."""
        if self.timer is None:
            self.timer = next(filter(None, map(time_reader, cells)), None)

    def _whole(self, lines: Cells, pages: Cells, kinds: Cells, labels: Cells, columns: Sequence[Cells]) -> bool:
        """Take a whole chunk in which nothing is wrong; False, and nothing taken, where something may be."""
        try:
            times = [date(cell) for cell in columns[0]] if self.timer is date else optional_numbers(columns[0])
            read = [times, outcomes(columns[1]), optional_numbers(columns[2]), optional_numbers(columns[3])]
        except (TypeError, ValueError, OverflowError):
            return False
        time, changed, elapsed, signals = (np.array(column, dtype=np.float64) for column in read)
        told = np.array([kind == "signal" for kind in kinds], dtype=np.bool_)
        if any(cell not in (None, "") for cell in columns[5]):  # one by one, since each may be too late
            return False
        known = {"crawl", "signal"}.issuperset(kinds) and None not in pages and "" not in pages
        placed = np.isfinite(time) if self.timed else ~told
        if np.isnan(signals).sum() != sum(map(is_blank, columns[3])):  # a nan that was written is no blank
            return False
        whole = np.isnan(signals) | ((signals >= 0.0) & (signals < np.inf) & (signals == np.floor(signals)))
        lasting = np.isnan(elapsed) | ((elapsed > 0.0) & (elapsed < np.inf))
        if not (known and placed.all() and whole.all() and lasting.all()):
            return False
        index = np.array([self._id(page) for page in pages], dtype=np.int64)
        crawl = ~told
        line = np.array(lines, dtype=np.int64)
        self.crawls.extend(index[crawl], [c[crawl] for c in (time, changed, elapsed, signals)], line[crawl])
        for row in np.flatnonzero(told).tolist():
            source = columns[4][row]
            self.signals.add(int(index[row]), float(time[row]), None if source is None else str(source), math.nan)
        for row, label in enumerate(labels):
            if label not in (None, "") and crawl[row]:
                self.labels.setdefault(int(index[row]), str(label))
        return True

    def _count(self, rows: int) -> None:
        self.rows = rows
        if self.progress:
            self.progress(rows)

    def _row(self, path: str, line: int, page: object, kind: object, label: object, rest: Sequence[object]) -> None:
        try:
            self._take(page, kind, label, rest, line)
        except _BadCellError as bad:
            self.malformed.add(path, line, bad.reason, bad.detail)

    def _take(self, page: object, kind: object, label: object, rest: Sequence[object], line: int) -> None:
        if page is None or page == "":
            raise _BadCellError("page is blank")
        if kind not in ("crawl", "signal"):
            raise _BadCellError("kind must be crawl or signal", kind)
        time, changed, elapsed, signals = self._numbers(rest)
        if math.isnan(time) and (kind == "signal" or (math.isnan(elapsed) and self.timed)):
            raise _BadCellError("time is blank") if is_blank(rest[0]) else _BadCellError("time must be finite", rest[0])
        if kind == "signal":
            happened = _read(
                self.timer or optional_number, rest[5], "happened must be a time like the others, or blank"
            )
            if happened > time or math.isinf(happened):
                raise _BadCellError("happened must be finite and not after time", rest[5])
            return self.signals.add(self._id(page), time, None if rest[4] is None else str(rest[4]), happened)
        index = self._id(page)
        if label not in (None, ""):
            self.labels.setdefault(index, str(label))
        return self.crawls.add(index, time, changed, elapsed, signals, line)

    def _numbers(self, rest: Sequence[object]) -> tuple[float, float, float, float]:
        time = _read(self.timer or optional_number, rest[0], "time must be a number, or a date throughout")
        changed = _read(outcome, rest[1], "changed must be 0, 1 or blank")
        elapsed = _read(optional_number, rest[2], "elapsed must be a number > 0 or blank")
        signals = _read(count, rest[3], "signals must be a count >= 0")
        if math.isinf(time):
            raise _BadCellError("time must be finite", rest[0])
        if elapsed <= 0.0 or elapsed == math.inf:
            raise _BadCellError("elapsed must be a number > 0 or blank", rest[2])
        return time, changed, elapsed, signals

    def _id(self, page: object) -> int:
        return self.ids.setdefault(str(page), len(self.ids))


class _BadCellError(Exception):
    def __init__(self, reason: str, *cell: object) -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, "".join(f", got {c!r}" for c in cell)


def _read(reader: Callable[[object], float], cell: object, rule: str) -> float:
    try:
        return reader(cell)
    except (TypeError, ValueError, OverflowError):
        raise _BadCellError(rule, cell) from None


def _check(names: Sequence[str], needed: Sequence[str], path: str, line: int | None, by: str | None = None) -> None:
    """Refuse a file without the columns needed, or with one of them twice."""
    header.check_once(names, _KNOWN if by is None or by in _KNOWN else (*_KNOWN, by), path, line)
    header.require_page(names, path, line)
    header.require(names, needed, path, line)
    if "elapsed" not in names:
        header.require(names, ["time"], path, line)
