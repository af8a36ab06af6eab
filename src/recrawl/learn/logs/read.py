"""Reads crawl logs and signal logs into a CrawlLog.

A crawl log has a row for each crawl: `page` (or `url`), `time`, `changed`, and where known `elapsed` since the crawl
before (failed or not), `signals`, `host` or another label.  A signal log has `page`, `time`, perhaps `source`, and
`happened` where signals say when the page changed.  Both may be one file with a column `kind`, crawl or signal.  Rows
that cannot be used are left out, counted, and the first few kept with their line.
"""

import math
import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from recrawl.arguments import at_least_0
from recrawl.errors import DataError, InputError
from recrawl.files.cells import date
from recrawl.files.malformed import Malformed
from recrawl.files.opening import shown
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.latency import Latency, latency
from recrawl.learn.logs.by_source import BySource, by_source
from recrawl.learn.logs.intervals import Intervals
from recrawl.learn.logs.labels import labels
from recrawl.learn.logs.last import Last, last_of
from recrawl.learn.logs.log import CrawlLog
from recrawl.learn.logs.reader import LogReader, Progress


@dataclass(frozen=True)
class LogFile:
    """A log, and what reading it was like.

    Where signals have times, `n_signals` of each page came in `observed_time`: also those after its last crawl.
    `sources` holds the signals of each interval by source, where the log names two to eight.  `dated` says that times
    were dates, so that rates are per day; `latency` how late signals came, where they say when the page changed.
    """

    log: CrawlLog
    rows: int
    crawls: int
    signals: int
    dated: bool
    observed_time: Array | None
    n_signals: Array | None
    sources: BySource
    latency: Latency | None
    malformed: Malformed
    last: Last | None


def read_log(
    path: str | os.PathLike[str],
    signals: str | os.PathLike[str] | None = None,
    by: str | None = None,
    start: float | str | None = None,
    progress: Progress | None = None,
    coincidence: float = 0.0,
) -> LogFile:
    """Read a crawl log, and a signal log where the signals are in a file of their own.

    `by` is the column to keep as a label (`host` is taken from urls where there is no such column, `source` is that of
    most of a page's signals).  At `start`, a number or a date as the log's times are, all pages were crawled, so that
    the first crawls in the log end an interval.  Signals of two sources or more within `coincidence` are one.
    """
    coincidence = at_least_0("coincidence", coincidence)
    path = os.fspath(path)
    if signals is not None and _same_file(path, signals):
        raise InputError(
            f"signals must be another file than the log, got {os.fspath(signals)} for both; "
            "a log that holds both needs a column kind, crawl or signal, and no signal log",
            argument="signals",
        )
    reader = LogReader(progress)
    names = reader.read(path, by, start is not None)
    path = shown(path)
    if signals is not None:
        if "signals" in names:
            raise DataError("has a column signals already; drop it, or leave out the signal log", path, None, "signals")
        if "changed" in reader.read_signals(os.fspath(signals)):
            raise DataError(
                "has a column changed, as crawls have; give a file of signals, or drop the column if they are signals",
                os.fspath(signals),
                None,
                "changed",
            )
    if not reader.crawls.page:
        raise DataError(f"has no usable crawl{reader.malformed.told()}", path)
    return _finish(reader, path, names, by, reader.moment(path, start), coincidence)


def _same_file(path: str, other: str | os.PathLike[str]) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:  # one of them is not there, which is said when it is read
        return False


def _span(reader: LogReader) -> str:
    """When the first and the last crawl were, as the log writes times."""
    times = [time for time in reader.crawls.time if math.isfinite(time)]
    if not times:
        return "at times that the log does not say"
    first, last = (_date_text(t) if reader.timer is date else f"{t:.15g}" for t in (min(times), max(times)))
    return f"from {first} to {last}"


def _date_text(days: float) -> str:
    """Days since 1970 as a date, with its time where it is not midnight."""
    moment = datetime.fromtimestamp(round(86_400.0 * days), UTC).replace(tzinfo=None)
    return moment.isoformat().removesuffix("T00:00:00")


def _finish(
    reader: LogReader, path: str, names: list[str], by: str | None, start: float | None, coincidence: float
) -> LogFile:
    """The log of all that was read."""
    pages, signals = list(reader.ids), reader.signals.sorted()
    crawls = reader.crawls.sorted().apart(path, start, reader.malformed, _span(reader))
    intervals = Intervals(crawls, start, measured="elapsed" in names)
    counts = intervals.said(signals, path, reader.malformed) if "signals" in names else intervals.heard(signals)
    log = intervals.log(pages, counts)
    told = len(signals.page) > 0 and intervals.placed
    named = list(reader.signals.sources) if told else []
    sources = by_source(named, signals, intervals, log, coincidence)
    heard = len(signals.page)
    if sources.once is not None:  # what was only repeated is no second sign of a change
        signals = sources.once
        log = log if "signals" in names else intervals.log(pages, intervals.heard(signals))
    time, came = intervals.watched(len(pages), signals, start) if told else (None, None)
    return LogFile(
        log=replace(log, labels={} if by is None else {by: labels(reader, path, names, by)}),
        rows=reader.rows,
        crawls=int(intervals.usable.sum()),
        signals=heard,
        dated=reader.timer is date,
        observed_time=time,
        n_signals=came,
        sources=sources,
        latency=latency(reader.signals.happened, reader.signals.told) if reader.signals.happened else None,
        malformed=reader.malformed,
        last=last_of(crawls, signals, len(pages)),
    )
