"""A signal arrives: whether it is news, and what it weighs beside signals of other sources.

A source may say when the page changed.  News from before the last crawl is old; of a day without time, or of nothing
said, the source's latency tells how probable it is that the change came after the crawl.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, inlined, prefetch_row, wide
from recrawl.learn.named.layout import FINE, LATENESSES, MOST_LATE, STEP, Memory

Ids = NDArray[np.int64]
Values = NDArray[np.float64]

HEARD, OLD, REPEATED = range(3)
AHEAD = 3600.0
"""A change may be dated this many seconds ahead of our clock; beyond that the date says nothing of when it was."""
_SHARE = 4.0
"""How common a source is on a host leans on how common it is as a whole, as much as on this number of signals."""


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
    """What a signal of this source adds, over what one adds that is drawn from all signals of the host."""
    if sources == 1:
        return 1.0
    everything = 0.0
    for s in range(sources):
        everything += memory.totals[s]
    count, mean = 0.0, 0.0
    for s in range(sources):
        c = _SHARE * memory.totals[s] / everything
        if host >= 0:
            c += memory.heard[host, s]
        count += c
        mean += c * kappa_of(memory, host, s)
    return kappa_of(memory, host, source) * count / mean


@bare
def hear(
    memory: Memory,
    sources: int,
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

    `happened`: when the pages changed, NaN where nobody says; `spans`: for how long after that it may have been.  Both
    are empty where nobody says anything of any.
    Writes what each signal weighs, in signals of an average source of the host, and what became of it; whether all of
    them weigh one.
    """
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
        if when == when:
            mark = np.uint32(wide(int(when * 1000.0)) & 0xFFFFFFFF) | np.uint32(1)
            if memory.told[i, source] == mark:
                codes[k] = REPEATED
                ones = False
                continue
            memory.told[i, source] = mark
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
        weights[k] = share * _relative(memory, host, source, sources)
        ones = ones and weights[k] == 1.0
        count = memory.counts[i, source] + share * FINE
        memory.counts[i, source] = np.uint8(min(count + 0.5, 255.0))
    return ones


@bare
def restart(held: NDArray[np.uint8], ids: Ids, counts: NDArray[np.uint8]) -> None:
    """Take `counts` of signals by source from those of pages: they belong to intervals that have ended."""
    for k in range(len(ids)):
        for source in range(counts.shape[1]):
            held[ids[k], source] -= min(held[ids[k], source], counts[k, source])
