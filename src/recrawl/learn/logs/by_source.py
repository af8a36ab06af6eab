"""Signals of a log by source: mirrors made one, then lone signals and coincidences of each interval between crawls."""

from dataclasses import dataclass, field

import numpy as np

from recrawl.learn.fit.alone import Alone, fit_alone
from recrawl.learn.fit.companions import Mirror, find_mirrors, together_too_often
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.fit.sources import together
from recrawl.learn.logs.intervals import Intervals
from recrawl.learn.logs.log import CrawlLog, Ids
from recrawl.learn.logs.tables import SortedSignals

MOST_SOURCES = 8
JOIN = " = "
"""Between the names of sources that are one."""


@dataclass(frozen=True)
class NamedMirror:
    """A source that repeats another, with their names (see `companions.Mirror`)."""

    copy: str
    original: str
    share: float
    within: float
    independent: float


@dataclass(frozen=True)
class NamedPair:
    """Two sources that meet more often than independent ones: this `share` of a's signals, at most `independent`."""

    a: str
    b: str
    share: float
    independent: float


@dataclass(frozen=True)
class BySource:
    """Counts for each interval of a log, by name of the source; names of mirrors are joined by " = ".

    `heard` are all signals of a source, `lone` those without another source's beside them; `coincidences` those of
    several at once.  `once` are the signals themselves where there are mirrors, each that was repeated once.
    """

    heard: dict[str, Array] = field(default_factory=dict)
    lone: dict[str, Array] = field(default_factory=dict)
    coincidences: Array | None = None
    mirrors: tuple[NamedMirror, ...] = ()
    dependent: tuple[NamedPair, ...] = ()
    once: SortedSignals | None = None


def by_source(names: list[str], signals: SortedSignals, intervals: Intervals, log: CrawlLog, window: float) -> BySource:
    """From signals with their source; nothing where two to eight are not named."""
    if not 2 <= len(names) <= MOST_SOURCES:
        return BySource()
    unnamed = signals.of(signals.source < 0)
    signals = signals.of(signals.source >= 0)
    once = None
    quality = _quality(names, signals, intervals, log)
    mirrors = find_mirrors(*_columns(signals), quality, window)
    told = tuple(NamedMirror(names[m.copy], names[m.original], *m[2:]) for m in mirrors)
    if mirrors:
        names, signals = _merged(names, signals, mirrors)
        once = signals.with_others(unnamed)
        quality = _quality(names, signals, intervals, log)
    pairs = together_too_often(*_columns(signals), quality, window)
    dependent = tuple(NamedPair(names[a], names[b], share, most) for a, b, share, most in pairs)
    events = SortedSignals(*together(*_columns(signals), window))
    lone = _counted(names, events, intervals)
    return BySource(
        _counted(names, signals, intervals),
        lone,
        intervals.counted(events.of(events.source == -1)),
        told,
        dependent,
        once,
    )


def _columns(signals: SortedSignals) -> tuple[Ids, Array, Ids]:
    return signals.page, signals.time, signals.source


def _counted(names: list[str], signals: SortedSignals, intervals: Intervals) -> dict[str, Array]:
    return {name: intervals.counted(signals.of(signals.source == k)) for k, name in enumerate(names)}


def _quality(names: list[str], signals: SortedSignals, intervals: Intervals, log: CrawlLog) -> list[Alone]:
    return [fit_alone(log.elapsed, n, log.changed) for n in _counted(names, signals, intervals).values()]


def _merged(names: list[str], signals: SortedSignals, mirrors: tuple[Mirror, ...]) -> tuple[list[str], SortedSignals]:
    """Mirrors as one source with their originals: signals of theirs within the mirror's time are one signal."""
    of = list(range(len(names)))
    for mirror in mirrors:
        of = [of[mirror.original] if k == of[mirror.copy] else k for k in of]
    kept = sorted(set(of))
    source = np.array([kept.index(k) for k in of])[signals.source]
    apart = np.ones(len(source), dtype=np.bool_)
    for k, first in enumerate(kept):
        within = max((m.within for m in mirrors if of[m.copy] == first), default=None)
        if within is not None:
            mine = np.flatnonzero(source == k)
            page, time = signals.page[mine], signals.time[mine]
            apart[mine[1:]] = (page[1:] != page[:-1]) | (time[1:] - time[:-1] > within)
    joined = [JOIN.join([names[first], *(names[j] for j, k in enumerate(of) if k == first != j)]) for first in kept]
    return joined, SortedSignals(signals.page, signals.time, source).of(apart)
