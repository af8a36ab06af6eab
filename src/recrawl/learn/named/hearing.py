"""A signal arrives: whether it is news, and what it weighs beside signals of other sources.

A source may say when the page changed.  News from before the last crawl is old; of a day without time, or of nothing
said, the source's latency tells how probable it is that the change came after the crawl.

Signals of two sources that tell of the same moment are one piece of news, and better than both: false signals hardly
ever meet.  The second takes away what the first had added, and adds what such a meeting is worth, which is learned as
the precision of a source is.  A third adds nothing.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, inlined, inner, prefetch_row, wide
from recrawl.learn.named.layout import (
    DATED,
    FINE,
    LATENESSES,
    MARK,
    MOST_COUNT,
    MOST_LATE,
    STEP,
    UNIT,
    WINDOW,
    WITH_OTHERS,
    Memory,
)

Ids = NDArray[np.int64]
Values = NDArray[np.float64]

HEARD, OLD, REPEATED = range(3)
AHEAD = 3600.0
"""A change may be dated this many seconds ahead of our clock; beyond that the date says nothing of when it was."""
_WINDOW = int(WINDOW * 1000.0)


@inlined
def _bin(seconds: float) -> float:
    """Where a latency lies among the bins: 2.5 is the middle of bin 2."""
    if seconds < 1.0:
        return max(seconds, 0.0)
    return min(1.0 + math.log(seconds) / STEP, LATENESSES - 1e-9)


@inlined
def _total(memory: Memory, source: int) -> float:
    """How many signals of this source told how late they were."""
    total = 0.0
    for k in range(LATENESSES):
        total += memory.late[source, k]
    return total


@inlined
def _within(memory: Memory, source: int, total: float, seconds: float) -> float:
    """The probability that a signal of this source comes within that time; 1 where nothing is known."""
    if total < 1.0:
        return 1.0
    at = _bin(seconds)
    below = 0.0
    for k in range(LATENESSES):
        below += memory.late[source, k] * min(max(at - k, 0.0), 1.0)
    return below / total


@inlined
def _learn_latency(memory: Memory, source: int, seconds: float) -> float:
    """Take note of how late a signal was; the `_total` then."""
    memory.late[source, wide(int(_bin(seconds)))] += 1.0
    if _total(memory, source) >= MOST_LATE:
        for k in range(LATENESSES):
            memory.late[source, k] *= 0.5
    return _total(memory, source)


@inlined
def _news(memory: Memory, source: int, total: float, since: float, now: float, happened: float, span: float) -> float:
    """The probability that the change a signal tells of came after `since`, the last crawl."""
    if span == 0.0 and happened == happened:
        return 1.0 if happened > since else 0.0
    if happened != happened:
        return _within(memory, source, total, now - since)
    low, high = happened, min(happened + span, now)
    if since <= low:
        return 1.0
    if since >= high:
        return 0.0
    late, early = _within(memory, source, total, now - high), _within(memory, source, total, now - low)
    if early - late < 1e-6:
        return (high - since) / (high - low)
    return (_within(memory, source, total, now - since) - late) / (early - late)


@inlined
def kappa_of(memory: Memory, host: int, source: int) -> float:
    """What a signal of the source adds to the staleness of a page of the host, as far as is known."""
    if host >= 0 and memory.judged[host, source] > 0.0:
        return float(memory.kappa[host, source])
    return float(memory.expected[source])


@inlined
def _relative(memory: Memory, host: int, source: int, sources: int) -> float:
    """What a signal of this source weighs: one where there is no other, else what it adds, in units."""
    return 1.0 if sources == 1 else kappa_of(memory, host, source) / UNIT


@inner
def _companion(memory: Memory, sources: int, source: int, i: int, mark: int) -> int:
    """Another source that last told the same moment of page i; -1 for none."""
    for s in range(sources):
        told = wide(memory.told[i, s])
        if s != source and told != 0:
            apart = (told - mark) & 0xFFFFFFFF
            if apart <= _WINDOW or apart >= 0x100000000 - _WINDOW:
                return s
    return -1


@inner
def _join(memory: Memory, sources: int, source: int, other: int, together: int, i: int, host: int) -> float:
    """A signal that is one news with that of another source: what it adds; -1 where the other one is of no account."""
    first = (memory.told[i, other] & WITH_OTHERS) == 0
    if memory.counts[i, other if first else together] == 0:  # it was before the last crawl
        return -1.0
    memory.told[i, source] |= np.uint32(WITH_OTHERS)
    if host >= 0:
        memory.shared[host, source] += 1.0
    if not first:
        return 0.0
    memory.told[i, other] |= np.uint32(WITH_OTHERS)
    memory.totals[together] += 1.0
    if host >= 0:
        memory.shared[host, other] += 1.0
        memory.heard[host, together] += 1.0
    counted = min(float(memory.counts[i, other]), FINE)
    memory.counts[i, other] -= np.uint8(counted)
    memory.counts[i, together] = np.uint8(min(memory.counts[i, together] + FINE, MOST_COUNT))
    had = counted / FINE * _relative(memory, host, other, sources)
    return max(_relative(memory, host, together, sources) - had, 0.0)


@bare
def hear(
    memory: Memory,
    sources: int,
    together: int,
    source: int,
    ids: Ids,
    hosts: Ids,
    since: Values,
    happened: Values,
    spans: Values,
    now: float,
    weights: Values,
    codes: NDArray[np.uint8],
) -> bool:
    """Signals of one source for pages whose last crawls were at `since` (inf: never crawled, there is nothing to age).

    `together` is the number under which meetings of sources are kept, -1 where there is none.

    `happened`: when the pages changed, NaN where nobody says; `spans`: for how long after that it may have been.  Both
    are empty where nobody says anything of any.
    Writes what each signal weighs, and what became of it; whether all of
    them weigh one.
    """
    for i in ids:
        prefetch_row(memory.told, i)
    for host in hosts:
        if host >= 0:
            prefetch_row(memory.heard, host)
            prefetch_row(memory.kappa, host)
            prefetch_row(memory.judged, host)
    ones, total = True, _total(memory, source)
    for k in range(len(ids)):
        i, host = ids[k], hosts[k]
        codes[k], weights[k] = HEARD, 0.0
        when = happened[k] if len(happened) > 0 else math.nan
        span = spans[k] if len(happened) > 0 else 0.0
        dated = when == when
        mark = wide(int((when if dated else now) * 1000.0)) & MARK
        if dated and memory.told[i, source] & DATED != 0 and wide(memory.told[i, source]) & MARK == mark:
            codes[k] = REPEATED
            ones = False
            continue
        # A moment that the source named stays where one without follows: it may be named again.
        if dated:
            memory.told[i, source] = np.uint32(mark | DATED | 1)
        elif together >= 0 and memory.told[i, source] & DATED == 0:
            memory.told[i, source] = np.uint32(mark | 1)
        if dated:
            when = min(when, now) if when <= now + AHEAD else math.nan
            if span == 0.0 and when == when:
                total = _learn_latency(memory, source, now - when)
        memory.totals[source] += 1.0
        if host >= 0:
            memory.heard[host, source] += 1.0
        if since[k] == math.inf:
            ones = False
            continue
        share = _news(memory, source, total, since[k], now, when, span)
        if share <= 0.0:
            codes[k] = OLD
            ones = False
            continue
        other = _companion(memory, sources, source, i, mark) if together >= 0 else -1
        weights[k] = _join(memory, sources, source, other, together, i, host) if other >= 0 else -1.0
        if weights[k] < 0.0:
            weights[k] = share * _relative(memory, host, source, sources)
            count = memory.counts[i, source] + share * FINE
            memory.counts[i, source] = np.uint8(min(count + 0.5, MOST_COUNT))
        ones = ones and weights[k] == 1.0
    return ones


@bare
def restart(held: NDArray[np.uint8], ids: Ids, counts: NDArray[np.uint8]) -> None:
    """Take `counts` of signals by source from those of pages: they belong to intervals that have ended."""
    for k in range(len(ids)):
        for source in range(counts.shape[1]):
            held[ids[k], source] -= min(held[ids[k], source], counts[k, source])
