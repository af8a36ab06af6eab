"""The likelihood of a page's types: what an outcome of a crawl adds to it.

P[unchanged] of type k after time tau with n signals is e^-s, s = alpha_k tau + kappa_k n.
"""

import math

import numpy as np

from recrawl._jit import jit
from recrawl.learn.online.aftershocks import expect, hear_after
from recrawl.learn.online.alike import foresee
from recrawl.learn.online.breaks import bulk, due, due_for_signal, listen, tick, try_out, watch_page
from recrawl.learn.online.layout import (
    BEGAN,
    CLOCK,
    HALF_LIFE,
    LEAST_UNIT,
    LOG_RATIO,
    MOST_LOOKS,
    MOST_UNIT,
    OUTCOMES,
    PACE,
    PHIS,
    SIGNALS,
    SLOWEST,
    STEP,
    TIME,
    TYPES,
    Memory,
)
from recrawl.learn.online.leaning import count_weight
from recrawl.learn.online.moving import SILVER, bring, store
from recrawl.learn.online.regimes import straddles

_GOLDEN = 61.80339887498949
"""Its multiples fill the interval from 0 to 1 evenly, also those of a hundredth of a round: the dither by time."""


@jit
def absorb(memory: Memory, i: int, elapsed: float, aged: float, signals: float, changed: bool) -> None:
    """Page i was crawled `elapsed` after the crawl before, with `signals` in between, and had `changed` or not.

    `aged`: `elapsed` as the decisions counted it.
    """
    bring(memory, i)
    kept = 2.0 ** (-elapsed / memory.numbers[HALF_LIFE])
    sums, types = memory.sums, memory.types
    if not straddles(memory, i):
        if sums[i, TIME] == 0.0:
            watch_page(memory, i)
        sums[i, SIGNALS] = sums[i, SIGNALS] * kept + signals
        sums[i, TIME] = sums[i, TIME] * kept + elapsed
        expect(memory, i, elapsed, changed)
    new, best = memory.room[0], -math.inf
    for k in range(TYPES):
        s = types[0, k] * aged + types[2, k] * signals
        # 1e-12: a change after no time and no signal is impossible, and says nothing
        gain = math.log(-math.expm1(-s) + 1e-12) if changed else -s
        new[k] = kept * memory.likelihood[i, k] + STEP * gain
        best = max(best, new[k])
    # Of the page's own times alone, so that the order of pages within a call does not matter.
    rounds = sums[i, TIME] + 2.0 * (memory.crawled[i] - memory.numbers[BEGAN])
    store(new, best, rounds * memory.numbers[PACE] * _GOLDEN + i * SILVER, memory.likelihood[i])


@jit
def crawled(memory: Memory, i: int, elapsed: float, aged: float, signals: float, changed: bool, now: float) -> None:
    """An outcome, and the page's clock starts anew."""
    if due(memory, i, now):
        tick(memory, i, now)
    try_out(memory, i, signals, changed)
    foresee(memory, i, aged, signals, changed)
    absorb(memory, i, elapsed, aged, signals, changed)
    memory.crawled[i] = now
    memory.open[i] = 0.0
    if memory.looks[i] < MOST_LOOKS:
        memory.looks[i] += 1
    memory.numbers[OUTCOMES] += 1.0
    memory.numbers[CLOCK] = now


@jit
def signalled(memory: Memory, i: int, weight: float, now: float) -> None:
    """A signal for page i, which counts as this many."""
    memory.open[i] += weight
    count_weight(memory, weight)
    hear_after(memory, i, weight, now)
    if due_for_signal(memory, i, now):
        tick(memory, i, now)
    if listen(memory, i, weight, now):
        bulk(memory, i, now)


@jit
def set_pace(memory: Memory, pace: float) -> None:
    """Move the types to another pace: alphas are multiples of it.  Pages follow one by one (moving.py).  O(1)."""
    pace = min(max(pace, 1.0 / MOST_UNIT), 1.0 / LEAST_UNIT)
    memory.numbers[PACE] = np.float32(pace)
    for k in range(TYPES):
        memory.types[0, k] = memory.numbers[PACE] * SLOWEST * math.exp(LOG_RATIO * (k // PHIS))
