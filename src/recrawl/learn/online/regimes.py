"""What stays of a page when its signals break with their past: how often it changes, not what its signals say.

Theory of operation
-------------------
1. A source that turns to spam, freezes or bumps all pages at once does not make pages change more or less often.  So a
   page keeps the likelihood of its change rate Delta = alpha + gamma (1 - phi), gamma being the signal rate it had.
   Under the new one every type whose change rate is Delta gets that likelihood.  Which share of signals is false is
   open again.
2. The likelihood of a Delta is the mean over the old types that have it, by their weights among all pages before.
3. As with another pace (moving.py), a page keeps the regime in which its likelihoods are meant.  It is moved when it is
   next crawled, and who only asks moves a copy.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import inlined, jit
from recrawl.learn.online.knots import knot_of
from recrawl.learn.online.layout import (
    ALPHAS,
    FIRST,
    HOST_COUNT,
    KNOTS,
    LOG_RATIO,
    PACE,
    POWERS,
    REGIME,
    SIGNALS,
    SINCE,
    SLOWEST,
    STEP,
    TIME,
    TYPES,
    Memory,
)

Array = NDArray[np.float64]

CHANGE_BINS = 2 * ALPHAS + 10
LOG_BIN = 0.5 * LOG_RATIO
"""Change rates in bins, from the slowest alpha on, half as far apart as alphas."""
KEPT_TIME = 0.5
"""A page's signal rate of before, times by how much all have changed, counts as watching it for this many rounds."""
OWN_TIME = 0.2
NONE = 1e-30


@inlined
def behind(memory: Memory, i: int) -> bool:
    """Whether the signals of page i have broken with their past since it was crawled."""
    return bool(memory.regime[i] != memory.watch[memory.host[i] + 1, REGIME])


@inlined
def straddles(memory: Memory, i: int) -> bool:
    """Whether the interval of page i began before the last break, so that its signals are of two regimes."""
    group = memory.host[i] + 1
    return bool(memory.watch[group, REGIME] > 0.0 and memory.crawled[i] < memory.watch[group, SINCE])


@jit
def _rates(memory: Memory, i: int) -> tuple[float, float]:
    """The signal rate of page i before the break, and what is expected after it."""
    watch = memory.watch[memory.host[i] + 1]
    usual = np.float64(memory.regime[i]) if memory.regime[i] > 0.0 else watch[FIRST]
    t0 = OWN_TIME / memory.numbers[PACE]
    own = (memory.sums[i, SIGNALS] + usual * t0) / (memory.sums[i, TIME] + t0)
    return own, watch[REGIME] * math.sqrt(own / usual)


@jit
def signals_brought(memory: Memory, i: int) -> tuple[float, float]:
    """Signals of page i and the time they were watched, as they are to count in the new regime."""
    time = KEPT_TIME / memory.numbers[PACE]
    return _rates(memory, i)[1] * time, time


@jit
def follow(memory: Memory, i: int) -> None:
    """Page i, whose likelihoods have been moved, is in the present regime."""
    memory.sums[i, SIGNALS], memory.sums[i, TIME] = signals_brought(memory, i)
    memory.regime[i] = memory.watch[memory.host[i] + 1, REGIME]


@jit
def change_bin(memory: Memory, rate: float) -> float:
    """Where a change rate lies among the bins."""
    at = math.log(rate / (SLOWEST * memory.numbers[PACE])) / LOG_BIN
    return min(max(at, 0.0), CHANGE_BINS - 1.001)


@jit
def by_change_rate(memory: Memory, i: int, row: NDArray[np.int16], out: Array) -> float:
    """Log-likelihoods of types in the new regime, in steps; the best of them.  `row`: those in the old one."""
    own, expected = _rates(memory, i)
    likely, weight = memory.room[1][:CHANGE_BINS], memory.room[3][:CHANGE_BINS]
    likely[:] = 0.0
    weight[:] = 0.0
    weights = memory.weights if memory.numbers[HOST_COUNT] > 0.0 else memory.before
    knot = knot_of(memory, own)
    g = min(int(knot), KNOTS - 2)
    for k in range(TYPES):
        expects = weights[g, k] + (knot - g) * (weights[g + 1, k] - weights[g, k])
        at = change_bin(memory, memory.types[0, k] + own * (1.0 - memory.types[1, k]))
        z = int(at)
        part = at - z
        steps = -row[k]
        likelihood = expects * (POWERS[steps] if steps < len(POWERS) else 0.0)
        weight[z] += expects * (1.0 - part)
        weight[z + 1] += expects * part
        likely[z] += likelihood * (1.0 - part)
        likely[z + 1] += likelihood * part
    _logarithms(likely, weight)
    best = -math.inf
    for k in range(TYPES):
        at = change_bin(memory, memory.types[0, k] + expected * (1.0 - memory.types[1, k]))
        z = int(at)
        out[k] = STEP * (likely[z] + (at - z) * (likely[z + 1] - likely[z]))
        best = max(best, out[k])
    return best


@jit
def _logarithms(likely: Array, weight: Array) -> None:
    """Mean log-likelihoods of the bins; a bin of no type has that of the next below, the lowest that of the first."""
    known = False
    for z in range(CHANGE_BINS):
        if weight[z] > 0.0:
            likely[z] = math.log(likely[z] / weight[z] + NONE)
            if not known:
                likely[:z] = likely[z]
            known = True
        elif known:
            likely[z] = likely[z - 1]
