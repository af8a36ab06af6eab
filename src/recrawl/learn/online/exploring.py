"""What it is worth to know a page better.

Value of perfect information: what a crawler that knew the change rate Delta would gain over one that knows only its
distribution, at the level L of values at which pages are crawled.  A page of known rate, crawled at its best interval,
gains j(L Delta) per unit of importance and time, where j(u) = e^-x at the x with x - log(1+x) = -log(1-u), and nothing
for u >= 1; one of unknown rate, crawled every T, gains (E[(1-e^(-Delta T))/Delta] - L)/T.

One look does not tell everything: it is worth that times the largest share (over T) of the variance of "changed by T"
that is due to the rate, Var(e^(-Delta T))/(p(1-p)).
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit

Array = NDArray[np.float64]

RATE_BINS = 24
BIN_RATIO = 1.32
LOG_BIN_RATIO = math.log(BIN_RATIO)
SLOWEST_BIN = 0.05
LOG_SLOWEST_BIN = math.log(SLOWEST_BIN)
"""Change rates in bins: the first is SLOWEST_BIN changes a round, each of the others 1.32 times the one before."""

_RATES = SLOWEST_BIN * BIN_RATIO ** np.arange(RATE_BINS)
_TIMES = 1.0 / _RATES
_MIDDLE = 64
_FRESH = np.exp(-np.exp((np.arange(2 * _MIDDLE) - _MIDDLE) * LOG_BIN_RATIO))
"""e^(-Delta T), where Delta T is a power of the ratio."""
_INTERVALS = 12

_FINE = 1000


def _gains() -> Array:
    """j at 0, 1/1000, ..., 1."""
    x = np.concatenate((np.linspace(0.0, 0.1, 50), np.linspace(0.1, 60.0, 20_000)[1:]))
    gains = np.interp(np.linspace(0.0, 1.0, _FINE + 1), -np.expm1(np.log1p(x) - x), np.exp(-x))
    gains[-1] = 0.0
    return gains


_GAINS = _gains()


@jit
def spread(bins: Array, log_rate: float, probability: float) -> None:
    """Add a probability to the two bins beside a change rate, given as the logarithm of changes per round."""
    at = min(max((log_rate - LOG_SLOWEST_BIN) / LOG_BIN_RATIO, 0.0), RATE_BINS - 1.001)
    z = int(at)
    bins[z] += probability * (1.0 - (at - z))
    bins[z + 1] += probability * (at - z)


@jit
def value_of_a_look(bins: Array, pace: float, level: float) -> float:
    """Gain from one look at a page of importance 1, per unit of time from then on; `bins` sum to 1."""
    known, mean_time = 0.0, 0.0
    for z in range(RATE_BINS):
        rate = pace * _RATES[z]
        mean_time += bins[z] / rate
        if level * rate < 1.0:
            at = level * rate * _FINE
            k = int(at)
            known += bins[z] * (_GAINS[k] * (k + 1 - at) + _GAINS[k + 1] * (at - k))
    centre = int(-math.log(mean_time * SLOWEST_BIN * pace) / LOG_BIN_RATIO)
    unknown, told = 0.0, 0.0
    for y in range(centre - 7, centre - 7 + _INTERVALS):
        interval = math.exp(-y * LOG_BIN_RATIO) / (SLOWEST_BIN * pace)
        rounds, mean, square = 0.0, 0.0, 0.0
        for z in range(RATE_BINS):
            fresh = _FRESH[z - y + _MIDDLE]
            part = bins[z] * fresh
            rounds += (bins[z] - part) * _TIMES[z]
            mean += part
            square += part * fresh
        unknown = max(unknown, (rounds / pace - level) / interval)
        told = max(told, (square - mean * mean) / (mean * (1.0 - mean) + 1e-12))
    return max(known - unknown, 0.0) * told
