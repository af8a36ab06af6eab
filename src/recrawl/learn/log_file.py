"""Reads crawl logs and signal logs into a CrawlLog.

A crawl log has a row for each crawl: `page` (or `url`), `time`, `changed`, and where known `elapsed`, `signals`, `host`
or another label.  A signal log has `page`, `time`, perhaps `source`, and `happened` where signals say when the page
changed.  Both may be one file with a column `kind`,
crawl or signal.  Rows that cannot be used are left out, counted, and the first few kept with their line.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from recrawl.errors import DataError, InputError
from recrawl.learn.cells import date, number, numbers, outcome, outcomes, time_reader
from recrawl.learn.latency import Latency, latency
from recrawl.learn.likelihood import Array
from recrawl.learn.log import CrawlLog, count_signals
from recrawl.learn.log_rows import LogRows
from recrawl.learn.log_tables import Crawls, Signals, SortedSignals
from recrawl.learn.malformed import Malformed

Progress = Callable[[int], None]
"""Told the number of rows read so far."""

Cells = Sequence[Any]

MOST_SOURCES = 8


@dataclass(frozen=True)
class LogFile:
    """A log, and what reading it was like.

    `sources` holds the signals of each interval by source, where the log names any (eight at most); `dated` says that
    times were dates, so that rates are per day; `latency` how late signals came, where they say when the page changed.
    """

    log: CrawlLog
    rows: int
    crawls: int
    signals: int
    dated: bool
    sources: dict[str, Array]
    latency: Latency | None
    malformed: Malformed


def read_log(
    path: str,
    signals: str | None = None,
    by: str | None = None,
    start: float | str | None = None,
    progress: Progress | None = None,
) -> LogFile:
    """Read a crawl log, and a signal log where the signals are in a file of their own.

    `by` is the column to keep as a label (`host` is taken from urls where there is no such column, `source` is that of
    most of a page's signals).  At `start`, a number or a date as the log's times are, all pages were crawled, so that
    the first crawls in the log end an interval.
    """
    reader = _Reader(progress)
    names = reader.read(path, by)
    if signals is not None:
        if "signals" in names:
            raise DataError("has a column signals already; drop it, or leave out the signal log", path, None, "signals")
        reader.read_signals(signals)
    if not reader.crawls.page:
        raise DataError(f"has no usable crawl ({len(reader.malformed):,} rows left out)", path)
    return reader.finish(path, names, by, reader.moment(path, start))


class _Reader:
    def __init__(self, progress: Progress | None) -> None:
        self.ids: dict[str, int] = {}
        self.labels: dict[int, str] = {}
        self.crawls, self.signals = Crawls(), Signals()
        self.malformed = Malformed()
        self.rows = 0
        self.timer: Callable[[object], float] | None = None
        self.timed = True
        self.progress = progress

    def read(self, path: str, by: str | None) -> list[str]:
        """Read a file of crawls, or of crawls and signals told apart by `kind`; its columns."""
        source = LogRows(path, self.malformed)
        for lines, cells in source:
            name = _check(source.names, ("changed",), path)
            self.timed = "time" in source.names
            blank = [None] * len(lines)
            columns = [cells.get(c, blank) for c in ("time", "changed", "elapsed", "signals", "source", "happened")]
            kinds = cells.get("kind", ["crawl"] * len(lines))
            labels = cells.get(by, blank) if by is not None else blank
            if not self._whole(lines, cells[name], kinds, labels, columns):
                for line, page, kind, label, *rest in zip(lines, cells[name], kinds, labels, *columns, strict=True):
                    self._row(path, line, page, kind, label, rest)
            self._count(len(lines))
        if not source.names or not self.rows:
            raise DataError("has a header but no rows; add a line for each crawl", path)
        if by is not None and by not in source.names and by not in ("host", "source"):
            raise DataError(f"has no column {by} to group by; found: {', '.join(source.names)}", path, None, by)
        return source.names

    def read_signals(self, path: str) -> None:
        """Read a file of signals only."""
        source = LogRows(path, self.malformed)
        for lines, cells in source:
            name = _check(source.names, ("time",), path)
            blank = [None] * len(lines)
            others = cells.get("source", blank), cells.get("happened", blank)
            for line, page, time, source_name, happened in zip(lines, cells[name], cells["time"], *others, strict=True):
                self._row(path, line, page, "signal", None, [time, None, None, None, source_name, happened])
            self._count(len(lines))

    def _whole(self, lines: Cells, pages: Cells, kinds: Cells, labels: Cells, columns: Sequence[Cells]) -> bool:
        """Take a whole chunk in which nothing is wrong; False, and nothing taken, where something may be."""
        try:
            if self.timer is None:
                self.timer = time_reader(next((cell for cell in columns[0] if cell not in (None, "")), None))
            times = numbers(columns[0]) if self.timer is number else [self.timer(cell) for cell in columns[0]]
            read = [times, outcomes(columns[1]), numbers(columns[2]), numbers(columns[3])]
        except (TypeError, ValueError, OverflowError):
            return False
        time, changed, elapsed, signals = (np.array(column, dtype=np.float64) for column in read)
        told = np.array([kind == "signal" for kind in kinds])
        if any(cell not in (None, "") for cell in columns[5]):  # one by one, since each may be too late
            return False
        known = {"crawl", "signal"}.issuperset(kinds) and None not in pages and "" not in pages
        placed = np.isfinite(time) if self.timed else ~told
        if not known or not placed.all() or np.any((elapsed <= 0.0) | (signals < 0.0)):
            return False
        if np.isinf(elapsed).any() or np.isinf(signals).any():
            return False
        index = np.array([self._id(page) for page in pages], dtype=np.int64)
        crawl = ~told
        line = np.array(lines, dtype=np.int64)
        self.crawls.extend(index[crawl], [c[crawl] for c in (time, changed, elapsed, signals)], line[crawl])
        for row in np.flatnonzero(told).tolist():
            source = columns[4][row]
            self.signals.add(int(index[row]), float(time[row]), None if source is None else str(source), math.nan)
        for row, label in enumerate(labels):
            if label is not None and crawl[row]:
                self.labels.setdefault(int(index[row]), str(label))
        return True

    def _count(self, rows: int) -> None:
        self.rows += rows
        if self.progress:
            self.progress(self.rows)

    def _row(self, path: str, line: int, page: object, kind: object, label: object, rest: Sequence[object]) -> None:
        if page is None or page == "":
            return self.malformed.add(path, line, "page is blank")
        if kind not in ("crawl", "signal"):
            return self.malformed.add(path, line, "kind must be crawl or signal", f", got {kind!r}")
        try:
            time, changed, elapsed, signals = self._numbers(rest)
        except _BadCellError as bad:
            return self.malformed.add(path, line, bad.reason, f", got {bad.cell!r}")
        if kind == "signal":
            if math.isnan(time):
                return self.malformed.add(path, line, "time is blank")
            try:
                happened = _read(self.timer or number, rest[5], "happened must be a time like the others, or blank")
            except _BadCellError as bad:
                return self.malformed.add(path, line, bad.reason, f", got {bad.cell!r}")
            if happened > time or math.isinf(happened):
                return self.malformed.add(
                    path, line, "happened must be finite and not after time", f", got {rest[5]!r}"
                )
            source = None if rest[4] is None else str(rest[4])
            return self.signals.add(self._id(page), time, source, happened)
        if math.isnan(time) and math.isnan(elapsed) and self.timed:
            return self.malformed.add(path, line, "time is blank")
        index = self._id(page)
        if label is not None:
            self.labels.setdefault(index, str(label))
        return self.crawls.add(index, time, changed, elapsed, signals, line)

    def _numbers(self, rest: Sequence[object]) -> tuple[float, float, float, float]:
        if self.timer is None and rest[0] not in (None, ""):
            self.timer = time_reader(rest[0])
        time = _read(self.timer or number, rest[0], "time must be a number, or a date throughout")
        changed = _read(outcome, rest[1], "changed must be 0, 1 or blank")
        elapsed = _read(number, rest[2], "elapsed must be a number > 0 or blank")
        signals = _read(number, rest[3], "signals must be a count >= 0")
        if math.isinf(time):
            raise _BadCellError("time must be finite", rest[0])
        if elapsed <= 0.0 or elapsed == math.inf:
            raise _BadCellError("elapsed must be a number > 0 or blank", rest[2])
        if signals < 0.0 or signals == math.inf:
            raise _BadCellError("signals must be a count >= 0", rest[3])
        return time, changed, elapsed, signals

    def _id(self, page: object) -> int:
        return self.ids.setdefault(str(page), len(self.ids))

    def moment(self, path: str, start: float | str | None) -> float | None:
        """`start` in the unit of the log's times."""
        if start is None:
            return None
        try:
            time = (self.timer or number)(start)
        except ValueError:
            time = math.nan
        if not math.isfinite(time):
            kind = "a date" if self.timer is date else "a finite number"
            raise InputError(f"start must be {kind}, as times are in {path}, got {start}", argument="start")
        return time

    # -- after the last row ------------------------------------------------------------------------------------------

    def finish(self, path: str, names: list[str], by: str | None, start: float | None) -> LogFile:
        """The log of all that was read."""
        crawls, signals = self.crawls.sorted(), self.signals.sorted()
        if "elapsed" not in names:
            crawls = crawls.apart(path, start, self.malformed)

        def build(heard: SortedSignals) -> CrawlLog:
            pages = list(self.ids)
            if "elapsed" not in names:
                return CrawlLog.from_events(
                    pages, crawls.page, crawls.time, crawls.changed, heard.page, heard.time, start
                )
            begin = crawls.time - crawls.elapsed
            counted = count_signals(crawls.page, begin, crawls.time, heard.page, heard.time)
            if "signals" in names:
                counted = np.nan_to_num(crawls.signals)
            return CrawlLog.from_intervals(pages, crawls.page, crawls.elapsed, counted, crawls.changed)

        labels = {} if by is None else {by: self._labels(path, names, by)}
        sources = self.signals.sources
        few = {} if "signals" in names or len(sources) > MOST_SOURCES else sources
        return LogFile(
            log=replace(build(signals), labels=labels),
            rows=self.rows,
            crawls=len(crawls.page),
            signals=len(signals.page),
            dated=self.timer is date,
            sources={name: build(signals.of(k)).signals for name, k in few.items()},
            latency=latency(self.signals.happened, self.signals.told) if self.signals.happened else None,
            malformed=self.malformed,
        )

    def _labels(self, path: str, names: list[str], by: str) -> list[str]:
        if by == "source":
            return self.signals.most_frequent(len(self.ids))
        if by in names:
            return [self.labels.get(i) or "none" for i in range(len(self.ids))]
        hosts = [urlsplit(page).hostname for page in self.ids]
        if not any(hosts):
            raise DataError("has no column host, and its pages are not urls to take it from", path, None, "host")
        return [host or "none" for host in hosts]


class _BadCellError(Exception):
    def __init__(self, reason: str, cell: object) -> None:
        super().__init__(reason)
        self.reason, self.cell = reason, cell


def _read(reader: Callable[[object], float], cell: object, rule: str) -> float:
    try:
        return reader(cell)
    except (TypeError, ValueError, OverflowError):
        raise _BadCellError(rule, cell) from None


def _check(names: Sequence[str], needed: Sequence[str], path: str) -> str:
    """Refuse a file without the columns needed; the name of its page column."""
    name = next((n for n in ("page", "url") if n in names), None)
    missing = [*(() if name else ("page",)), *(n for n in needed if n not in names)]
    if not missing and "time" not in names and "elapsed" not in names:
        missing = ["time"]
    if missing:
        raise DataError(f"column {missing[0]} is missing; found: {', '.join(names)}", path, argument=missing[0])
    assert name is not None
    return name
