"""The likelihood of a page's types: what an outcome of a crawl adds to it, and how it moves to other types.

P[unchanged] of type k after time tau with n signals is e^-s, s = alpha_k tau + kappa_k n.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.layout import (
    ALPHAS,
    BEGAN,
    CLOCK,
    FLOOR,
    HALF_LIFE,
    LEAST_UNIT,
    LOG_RATIO,
    MOST_UNIT,
    OUTCOMES,
    PACE,
    PAGE_COUNT,
    PHIS,
    SIGNALS,
    SLOWEST,
    STEP,
    TIME,
    TYPES,
    Memory,
)

Array = NDArray[np.float64]

_GOLDEN, _SILVER = 0.6180339887498949, 0.7548776662466927
_OFFSETS = np.arange(TYPES) * 0.5698402909980532 % 1.0
"""Multiples of these fill the interval from 0 to 1 evenly: the dither by time, page and type."""


@jit
def absorb(memory: Memory, i: int, elapsed: float, signals: float, changed: bool) -> None:
    """Page i was crawled `elapsed` after the crawl before, with `signals` in between, and had `changed` or not."""
    kept = 2.0 ** (-elapsed / memory.numbers[HALF_LIFE])
    sums, types = memory.sums, memory.types
    sums[i, SIGNALS] = sums[i, SIGNALS] * kept + signals
    sums[i, TIME] = sums[i, TIME] * kept + elapsed
    new, best = memory.room[0], -math.inf
    for k in range(TYPES):
        s = types[0, k] * elapsed + types[2, k] * signals
        # 1e-12: a change after no time and no signal is impossible, and says nothing
        gain = math.log(-math.expm1(-s) + 1e-12) if changed else -s
        new[k] = kept * memory.likelihood[i, k] + STEP * gain
        best = max(best, new[k])
    # Of the page's own times alone, so that the order of pages within a call does not matter.
    rounds = sums[i, TIME] + 2.0 * (memory.crawled[i] - memory.numbers[BEGAN])
    _store(memory, i, new, best, rounds * memory.numbers[PACE] * _GOLDEN + i * _SILVER)


@jit
def _store(memory: Memory, i: int, new: Array, best: float, dither: float) -> None:
    """Keep what is known of page i in whole steps.

    Outcomes of a page that is crawled often add less than a step each.  Rounded to the nearest they would all be lost,
    or all count double; so a number from an even sequence decides what is rounded up, and errors cancel.
    """
    dither -= math.floor(dither)
    for k in range(TYPES):
        up = dither + _OFFSETS[k]
        up = up - 1.0 if up >= 1.0 else up
        memory.likelihood[i, k] = int(max(new[k] - best + up, FLOOR) - FLOOR) + FLOOR  # rounds down, and is no call


@jit
def crawled(memory: Memory, i: int, elapsed: float, signals: float, changed: bool, now: float) -> None:
    """An outcome, and the page's clock starts anew."""
    absorb(memory, i, elapsed, signals, changed)
    memory.crawled[i] = now
    memory.open[i] = 0
    memory.numbers[OUTCOMES] += 1.0
    memory.numbers[CLOCK] = now


@jit
def signalled(memory: Memory, i: int) -> None:
    """A signal for page i."""
    if memory.open[i] < 65535:
        memory.open[i] += 1


@jit
def set_pace(memory: Memory, pace: float) -> None:
    """Move the types to another pace: alphas are multiples of it.

    The likelihood of a new alpha is read off the straight line between the two old alphas beside it.  A new alpha
    beyond the old ones lies on the line through the last two.
    """
    types, old = memory.types, memory.numbers[PACE]
    pace = min(max(pace, 1.0 / MOST_UNIT), 1.0 / LEAST_UNIT)
    memory.numbers[PACE] = pace
    for k in range(TYPES):
        types[0, k] = pace * SLOWEST * math.exp(LOG_RATIO * (k // PHIS))
    if old > 0.0:
        shift = math.log(pace / old) / LOG_RATIO
        for i in range(int(memory.numbers[PAGE_COUNT])):
            _shift(memory, i, shift)


@jit
def _shift(memory: Memory, i: int, shift: float) -> None:
    new, old, best = memory.room[0], memory.likelihood[i], -math.inf
    for k in range(TYPES):
        at = k // PHIS + shift
        a = min(max(math.floor(at), 0), ALPHAS - 2)
        low = float(old[a * PHIS + k % PHIS])
        high = float(old[(a + 1) * PHIS + k % PHIS])
        new[k] = low + (at - a) * (high - low)
        best = max(best, new[k])
    _store(memory, i, new, best, 0.5 + i * _SILVER)
