"""When signals break with their past: evidence that they mean something else now, before any crawl.

Theory of operation
-------------------
1. A group is the pages of one host; those of no host are one, too.  Its signals are counted in ticks of 1/32 of a
   round, or longer where too few come in that time.
2. The past is the mean count of a tick, and the dispersion of counts about it, which bulk edits make large.
3. There is a break when each of the latest three ticks had more than twice what the past expects, or each hardly any,
   and the three together are improbable: for counts with that dispersion the chance is below e^-SURE a tick.  One
   burst, however large, is one tick, and no break.  Nor are more signals one while crawls of pages with signals find
   changes as often as before: then there is more news, as in weeks when a whole site is worked over.
4. Signals that hit most of a group's pages at one moment, a *bulk*, cannot tell which page has changed.  Where such
   were not usual, a bulk after a silence that is improbable in itself is a break: that is how a site looks that bumps
   all pages at each build.  A bulk edit among signals as usual is none.
5. From then on the group is in another regime (regimes.py): its pages keep their change rates, and what their signals
   say is open.  Signals are first taken to say little; outcomes of all pages of the group soon tell (population.py).
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import inlined, jit
from recrawl.learn.online.layout import (
    BROKE_AT,
    BROKEN,
    BULK_SHARE,
    BURST_FROM,
    BURST_HEARD,
    DISPERSION,
    FIRST,
    HOST_COUNT,
    KIND_ROOM,
    KNOT_STEP,
    KNOTS,
    LATE_EXPOSED,
    LATE_HEARD,
    LATEST_TICKS,
    LOG_RATIO,
    LOW_KNOT,
    OUTCOMES,
    PACE,
    PACE_KNOWN,
    PAGE_COUNT,
    PAGES,
    PAST_HIT,
    PAST_PAGES,
    PAST_TRIED,
    PHIS,
    POOL_ROWS,
    POOL_SHIFT,
    RATE,
    REGIME,
    SIDE,
    SILENCE,
    SINCE,
    SLOWEST,
    SPELL_HIT,
    SPELL_TRIED,
    TICK_FROM,
    TICK_HEARD,
    TICK_LENGTH,
    TICKS,
    TIME,
    TYPES,
    Memory,
)
from recrawl.learn.online.prior import posterior, signal_rate
from recrawl.learn.online.regimes import CHANGE_BINS, change_bin

Array = NDArray[np.float64]
Counts = NDArray[np.uint16]

TICK, LONGEST_TICK = 1.0 / 32.0, 1.0
"""The shortest and the longest tick, in rounds."""
ENOUGH = 8.0
"""Signals expected in a tick, over their dispersion."""
FACTOR, FEWER = 2.0, 8.0
"""More signals than so many times as usual may be spam, fewer than such a part a source that froze.  Half of the
signals are no sign of that: sites are worked on less for months, and signals are as true as before."""
SURE = 10.0
LEAST_PAST = 8
MOST_PAST = 240
"""Ticks that must be known before a break is seen; and how many the past goes back, about."""
MOST_TRIED = 1000
"""Crawls that tell how often signals are right, about."""
GROWN = 1.5
"""The past begins anew when this many times the pages are watched."""
CATCH_UP = 8
"""Empty ticks that are made up for at most, where nothing was heard of a group for long."""
SILENT = 1e-3
"""Signals a page and round below which it does not matter how few they are."""
DEAF = 0.7
"""After a break signals are taken to mean nothing with this probability; the other shares of false ones are alike."""
NONE = 1e-30
BURST = 1e-3
"""Signals within so many rounds of the first are one burst."""
BULK = 0.75
"""A burst that hits this share of a group's pages is a bulk: it cannot tell which page has changed."""
FEW = 8.0
"""Pages that a group counts as having at least: a burst of few is no bulk."""
USUAL, MOST = 8.0, 0.5
"""Bulks are usual where they are more than this share of the latest signals, about eight a page."""
DEAF_TO_BULK = 0.97
"""The same as DEAF after a break with bulks."""
ASKED = 2000
"""Pages that are asked how often pages change."""


@inlined
def due(memory: Memory, i: int, now: float) -> bool:
    """Whether a tick of the group of page i is over at `now`, or the first is to begin."""
    group, known = memory.host[i] + 1, memory.numbers[PACE_KNOWN] > 0.0
    begun, length = memory.watch[group, TICK_FROM], memory.watch[group, TICK_LENGTH]
    return bool(known and (now >= begun + length or length == 0.0))  # times may be negative


@inlined
def watch_page(memory: Memory, i: int) -> None:
    """Page i has its first outcome: from now on its signals are among those of its group.

    Those of pages that were never compared are not: a host of which many pages are discovered has no fewer signals a
    page for that.
    """
    memory.watch[memory.host[i] + 1, PAGES] += 1.0


@inlined
def due_for_signal(memory: Memory, i: int, now: float) -> bool:
    """`due`, if page i is one whose signals are counted: asked before each signal, which mostly finds that it is not.

    A call of `tick` for each signal would take ten times as long as all else that is done for it.
    """
    return bool(memory.sums[i, TIME] > 0.0 and due(memory, i, now))


@inlined
def listen(memory: Memory, i: int, weight: float, now: float) -> bool:
    """Signals of this weight came for page i, in the present tick; whether they make the present burst a `bulk`."""
    if not (memory.numbers[PACE_KNOWN] > 0.0 and memory.sums[i, TIME] > 0.0):
        return False
    group, watch = memory.host[i] + 1, memory.watch
    watch[group, TICK_HEARD] += weight
    pages = max(watch[group, PAGES], FEW)
    if now > watch[group, BURST_FROM] + BURST / memory.numbers[PACE]:
        if watch[group, BURST_HEARD] < BULK * pages:
            watch[group, BULK_SHARE] *= math.exp(-watch[group, BURST_HEARD] / (USUAL * pages))
        watch[group, SILENCE] = now - watch[group, BURST_FROM]
        watch[group, BURST_FROM], watch[group, BURST_HEARD] = now, 0.0
    before = watch[group, BURST_HEARD]
    watch[group, BURST_HEARD] += weight
    return bool(before < BULK * pages <= watch[group, BURST_HEARD])


@inlined
def try_out(memory: Memory, i: int, signals: float, changed: bool) -> None:
    """Page i is crawled: whether its signals were right."""
    if signals > 0.0 and memory.sums[i, TIME] > 0.0:
        group = memory.host[i] + 1
        tried = SPELL_TRIED if _more(memory.watch[group]) else PAST_TRIED
        if memory.hits[group, tried] == MOST_TRIED:
            memory.hits[group, tried] //= 2
            memory.hits[group, tried + 1] //= 2
        memory.hits[group, tried] += 1
        memory.hits[group, tried + 1] += changed


@jit
def bulk(memory: Memory, i: int, now: float) -> None:
    """Signals hit most pages of the group of page i at one moment: a break, after a silence and where it is new."""
    group = memory.host[i] + 1
    watch = memory.watch[group]
    pages = max(watch[PAGES], FEW)
    watch[BULK_SHARE] += (1.0 - watch[BULK_SHARE]) / USUAL
    unheard = watch[RATE] * pages * watch[SILENCE]
    sure = watch[TICKS] >= LEAST_PAST and unheard > SURE * max(watch[DISPERSION], 1.0)
    if sure and watch[BULK_SHARE] < MOST:
        _break(memory, group, 1.0 / watch[SILENCE], DEAF_TO_BULK)
        watch[SINCE], watch[BULK_SHARE] = now - watch[SILENCE], 1.0


@jit
def tick(memory: Memory, i: int, now: float) -> None:
    """Close the ticks of the group of page i that are over; begin the first."""
    group = memory.host[i] + 1
    watch = memory.watch[group]
    if watch[TICK_LENGTH] == 0.0:
        watch[TICK_FROM], watch[TICK_LENGTH] = now, TICK / memory.numbers[PACE]
    if now >= watch[TICK_FROM] + watch[TICK_LENGTH]:
        _tick(memory, group, now)


@jit
def _tick(memory: Memory, group: int, now: float) -> None:
    """One tick or more have passed."""
    watch, pace = memory.watch[group], memory.numbers[PACE]
    length = watch[TICK_LENGTH]
    if watch[PAGES] > GROWN * watch[PAST_PAGES]:
        # What was heard of few pages says little of many, and counts of one or two are all dispersion.
        watch[RATE] = watch[DISPERSION] = watch[TICKS] = watch[TICK_HEARD] = 0.0
        watch[LATE_HEARD : LATE_EXPOSED + LATEST_TICKS] = 0.0
        memory.hits[group] = 0
        watch[TICK_FROM], watch[TICK_LENGTH], watch[PAST_PAGES] = now, TICK / pace, watch[PAGES]
        return
    for _ in range(CATCH_UP):
        if now < watch[TICK_FROM] + length:
            break
        watch[TICK_FROM] += length
        _count(memory, group, watch[TICK_HEARD], length * max(watch[PAGES], 1.0))
        watch[TICK_HEARD] = 0.0
    if now >= watch[TICK_FROM] + length:
        watch[TICK_FROM] = now
    rounds = TICK
    if watch[TICKS] > 0.0:
        usual = max(watch[RATE] * watch[PAGES] / pace, NONE)
        rounds = min(max(ENOUGH * max(watch[DISPERSION], 1.0) / usual, TICK), LONGEST_TICK)
    watch[TICK_LENGTH] = rounds / pace


@jit
def _count(memory: Memory, group: int, heard: float, exposed: float) -> None:
    """A tick with so many signals, of so much page-time, is over: the oldest of the latest is past."""
    watch = memory.watch[group]
    late, times = watch[LATE_HEARD : LATE_HEARD + LATEST_TICKS], watch[LATE_EXPOSED : LATE_EXPOSED + LATEST_TICKS]
    if times[0] > 0.0:
        _remember(watch, late[0], times[0])
    for k in range(LATEST_TICKS - 1):
        late[k], times[k] = late[k + 1], times[k + 1]
    late[LATEST_TICKS - 1], times[LATEST_TICKS - 1] = heard, exposed
    if not _more(watch):
        memory.hits[group, SPELL_TRIED] = memory.hits[group, SPELL_HIT] = 0
    if times[0] > 0.0 and watch[TICKS] >= LEAST_PAST and _is_break(memory, group, late, times):
        # The first of them may have begun in the old regime.
        _break(memory, group, late[1:].sum() / times[1:].sum(), DEAF)


@jit
def _remember(watch: Array, heard: float, exposed: float) -> None:
    watch[TICKS] += 1.0
    share = 1.0 / min(watch[TICKS], float(MOST_PAST))
    if watch[TICKS] > 1.0:
        expected = watch[RATE] * exposed
        watch[DISPERSION] += share * ((heard - expected) ** 2 / max(expected, 1.0) - watch[DISPERSION])
    watch[RATE] += share * (heard / exposed - watch[RATE])


@jit
def _is_break(memory: Memory, group: int, late: Array, times: Array) -> bool:
    watch = memory.watch[group]
    more, less = True, True
    for k in range(LATEST_TICKS):
        expected = watch[RATE] * times[k]
        more = more and late[k] > FACTOR * expected
        less = less and late[k] * FEWER < expected
    if not (less or (more and not _still_true(memory.hits[group]))):
        return False
    seen, expected = late.sum(), max(watch[RATE] * times.sum(), 0.5)
    surprise = expected - seen + (seen * math.log(seen / expected) if seen > 0.0 else 0.0)
    return bool(surprise > SURE * max(watch[DISPERSION], 1.0))


@inlined
def _more(watch: Array) -> bool:
    """Whether there were more signals than usual in the last tick that is over."""
    last = LATEST_TICKS - 1
    return bool(watch[LATE_HEARD + last] > FACTOR * watch[RATE] * watch[LATE_EXPOSED + last])


@jit
def _still_true(hits: Counts) -> bool:
    """Whether crawls of pages with signals find changes as often as before, within three errors, and half as often."""
    tried, share = float(hits[SPELL_TRIED]), (hits[PAST_HIT] + 1.0) / (hits[PAST_TRIED] + 2.0)
    least = max(share * tried - 3.0 * math.sqrt(tried * share * (1.0 - share)), 0.5 * share * tried)
    return bool(tried > 0.0 and hits[SPELL_HIT] >= least)


@jit
def _break(memory: Memory, group: int, rate: float, deaf: float) -> None:
    """From now on the signals of a group are of another regime, and come at this rate."""
    watch, numbers = memory.watch[group], memory.numbers
    rate = max(rate, SILENT * numbers[PACE])
    if watch[FIRST] == 0.0:
        watch[FIRST] = max(watch[RATE], SILENT * numbers[PACE])
    ratio = rate / max(watch[RATE], SILENT * numbers[PACE])
    if numbers[HOST_COUNT] == 0.0:
        _open_weights(memory, deaf)
    elif group > 0:
        _open_pool(memory, int(numbers[KIND_ROOM]) + group - 1, ratio, deaf)
    regime = np.float64(np.float32(rate))
    watch[REGIME] = regime if regime != watch[REGIME] else np.float64(np.float32(rate * 1.001))
    times = watch[LATE_EXPOSED : LATE_EXPOSED + LATEST_TICKS]
    watch[SINCE] = watch[TICK_FROM] - times.sum() / max(watch[PAGES], 1.0)
    watch[RATE], watch[TICKS] = rate, LATEST_TICKS
    watch[LATE_HEARD : LATE_EXPOSED + LATEST_TICKS] = 0.0
    memory.hits[group] = 0
    share = watch[PAGES] / max(memory.watch[: 1 + int(numbers[HOST_COUNT]), PAGES].sum(), 1.0)
    numbers[BROKE_AT] += share * (numbers[OUTCOMES] - numbers[BROKE_AT])
    numbers[BROKEN] = 1.0


@jit
def _open_weights(memory: Memory, deaf: float) -> None:
    """All pages are expected to change as often as they do, and signals to say little."""
    often, p, types = np.zeros(CHANGE_BINS), np.empty(TYPES), memory.types
    pages = int(memory.numbers[PAGE_COUNT])
    asked = min(pages, ASKED)
    for j in range(asked):
        i = j * pages // asked
        gamma = signal_rate(memory, i)
        posterior(memory, i, gamma, p)
        for k in range(TYPES):
            at = change_bin(memory, types[0, k] + gamma * (1.0 - types[1, k]))
            z = int(at)
            often[z] += p[k] * (1.0 - (at - z))
            often[z + 1] += p[k] * (at - z)
    if memory.numbers[OUTCOMES] - memory.numbers[BROKE_AT] >= pages:
        memory.before[:] = memory.weights  # or those of most pages are still meant by the ones before
    for g in range(KNOTS):
        gamma = LOW_KNOT * memory.numbers[PACE] * math.exp(KNOT_STEP * g)
        for k in range(TYPES):
            at = change_bin(memory, types[0, k] + gamma * (1.0 - types[1, k]))
            z = int(at)
            share = often[z] + (at - z) * (often[z + 1] - often[z])
            memory.weights[g, k] = _trust(k % PHIS, deaf) * (share + 1e-3 * asked / CHANGE_BINS)
        memory.weights[g] /= memory.weights[g].sum()


@jit
def _trust(b: int, deaf: float) -> float:
    return deaf if b == PHIS - 1 else (1.0 - deaf) / (PHIS - 1)


@jit
def _open_pool(memory: Memory, pool: int, ratio: float, deaf: float) -> None:
    """The same for a pool, which counts pages by alpha/gamma: gamma has been multiplied by `ratio`."""
    table = memory.pools[pool, int(memory.numbers[SIDE])]
    old = table.copy()
    table[:] = 0.0
    for row in range(POOL_ROWS):
        slowest = SLOWEST * math.exp((row - POOL_SHIFT) * LOG_RATIO)
        for b in range(PHIS):
            changes = (slowest + 1.0 - memory.types[1, b]) / ratio
            for to in range(PHIS):
                rest = changes - (1.0 - memory.types[1, to])
                column = to if rest > 0.0 else PHIS - 1
                rest = rest if rest > 0.0 else changes
                at = min(max(math.log(rest / SLOWEST) / LOG_RATIO + POOL_SHIFT, 0.0), POOL_ROWS - 1.001)
                z = int(at)
                counted = old[row, b] * _trust(to, deaf)
                table[z, column] += counted * (1.0 - (at - z))
                table[z + 1, column] += counted * (at - z)
