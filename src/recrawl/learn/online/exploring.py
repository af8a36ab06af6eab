"""When a page of uncertain change rate should be crawled, and what it is worth to know it better.

Theory of operation
-------------------
1. At age T a crawl of a page of known rate Delta is worth V(T) = (1 - (1+u) e^-u)/Delta per unit of importance,
   u = Delta T.  Of an uncertain rate it is worth the mean of that, and the best interval T* is the age at which the
   mean reaches the level L of values at which pages are crawled.  No mean of rates says so by itself: the page is as
   one of the mean rate while u is small, and as one of the harmonic mean when it is large.
2. A crawler that knew the rate would keep the page fresh for j(L Delta) of the time, where j(u) = e^-x at the x with
   x - log(1+x) = -log(1-u), and none of it for u >= 1, where the page is not worth a crawl.  One that does not know it
   has E[e^(-Delta T*)], for at the best interval the mean gain is what the last moment adds.  The difference is the
   value of perfect information.
3. One look does not tell everything.  It is worth that times the share of the variance of "changed by T*" that is due
   to the rate, Var(e^(-Delta T*))/(p(1-p)); where no look is due by itself, the largest such share over intervals.

Change rates are in bins, evenly spaced in the logarithm, and intervals are places among the bins: the interval at place
y is one change of a page whose rate is that of bin y.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit

Array = NDArray[np.float64]

RATE_BINS = 32
BIN_RATIO = 1.35
LOG_BIN_RATIO = math.log(BIN_RATIO)
SLOWEST_BIN = 0.003
LOG_SLOWEST_BIN = math.log(SLOWEST_BIN)
"""The first bin is SLOWEST_BIN changes a round, each of the others 1.35 times the one before."""

RATES = SLOWEST_BIN * BIN_RATIO ** np.arange(RATE_BINS)
TIMES = 1.0 / RATES

NEVER = -100.0
"""The place of the best interval of a page that is not worth a crawl at any age."""
_BEYOND = 30
"""Intervals are looked for up to so many places beyond the bins, on either side."""

# By u = Delta T, at quarters of a place: number _MIDDLE is u = 1.
_FINER = 4
_MIDDLE = 64 * _FINER
_U = np.exp((np.arange(2 * _MIDDLE) - _MIDDLE) * LOG_BIN_RATIO / _FINER)
_FRESH = np.exp(-_U)
_WORTH = -np.expm1(-_U) - _U * _FRESH
_SLOPE = _U * _FRESH

_FINE = 1000


def _gains() -> Array:
    """j at 0, 1/1000, ..., 1."""
    x = np.concatenate((np.linspace(0.0, 0.1, 50), np.linspace(0.1, 60.0, 20_000)[1:]))
    gains = np.interp(np.linspace(0.0, 1.0, _FINE + 1), -np.expm1(np.log1p(x) - x), np.exp(-x))
    gains[-1] = 0.0
    return gains


_GAINS = _gains()

_TURN = 1.7932821329007607
"""Where V(T)/T = (1 - (1+u) e^-u)/u is greatest.  Two rates have the same V(T), one on either side."""


def _sides() -> tuple[Array, Array, float]:
    """The u on either side at which V(T)/T is 0, 1/1000, ..., 1 of its greatest; and that."""

    def share(u: Array) -> Array:
        return (1.0 - (1.0 + u) * np.exp(-u)) / u

    slow, fast = np.linspace(0.0, _TURN, 4001)[1:], np.geomspace(_TURN, 1e4, 8001)
    most = float(share(np.array([_TURN]))[0])
    at = np.linspace(0.0, most, _FINE + 1)
    below = np.interp(at, np.append(0.0, share(slow)), np.append(0.0, slow))
    return below, np.interp(at, share(fast)[::-1], fast[::-1]), most


_SLOW_SIDE, _FAST_SIDE, _MOST = _sides()


@jit
def spread(bins: Array, log_rate: float, probability: float) -> None:
    """Add a probability to the two bins beside a change rate, given as the logarithm of changes per round."""
    at = min(max((log_rate - LOG_SLOWEST_BIN) / LOG_BIN_RATIO, 0.0), RATE_BINS - 1.001)
    z = int(at)
    bins[z] += probability * (1.0 - (at - z))
    bins[z + 1] += probability * (at - z)


@jit
def rounds_of(place: float) -> float:
    """The interval at a place, in rounds."""
    return math.exp(-place * LOG_BIN_RATIO) / SLOWEST_BIN


@jit
def best_interval(bins: Array, level: float) -> float:
    """The place of T*, for a page of importance 1; `level` in rounds, `bins` sum to 1.  NEVER where there is none."""
    y = RATE_BINS // 2 * _FINER
    worth = _worth(bins, y) - level
    step = _FINER if worth >= 0.0 else -_FINER  # intervals at higher places are shorter
    while -_BEYOND * _FINER <= y + step <= (RATE_BINS + _BEYOND) * _FINER:
        y += step
        before, worth = worth, _worth(bins, y) - level
        if (worth < 0.0) != (before < 0.0):
            return _between(bins, level, y - step, before, y, worth)
    return NEVER if step < 0 else float(RATE_BINS + _BEYOND)  # worth a crawl at any age


@jit
def _between(bins: Array, level: float, y: int, worth: float, other: int, other_worth: float) -> float:
    """The place, in bins, between two in quarters on whose sides the page is worth more and less than the level."""
    while abs(other - y) > 1:
        middle = (y + other) // 2
        now = _worth(bins, middle) - level
        if (now < 0.0) == (worth < 0.0):
            y, worth = middle, now
        else:
            other, other_worth = middle, now
    return (y + (other - y) * worth / (worth - other_worth)) / _FINER


@jit
def _worth(bins: Array, y: int) -> float:
    """What a crawl at a place, in quarters, is worth, in rounds."""
    total, at = 0.0, _MIDDLE - y
    for z in range(RATE_BINS):
        total += bins[z] * TIMES[z] * _WORTH[at]
        at += _FINER
    return total


@jit
def _mean(bins: Array, table: Array, place: float) -> float:
    """The mean of a function of u at a place, read off the straight line between the two quarters beside it."""
    y = math.floor(place * _FINER)
    part, total, at = place * _FINER - y, 0.0, _MIDDLE - int(y)
    for z in range(RATE_BINS):
        total += bins[z] * (table[at] * (1.0 - part) + table[at - 1] * part)
        at += _FINER
    return total


@jit
def matched_rate(bins: Array, place: float, level: float) -> float:
    """The known change rate, in changes a round, at which a page is worth the level at the same age.

    Two rates are; taken is the one whose value grows more alike.
    """
    interval = rounds_of(place)
    at = min(level / (interval * _MOST), 1.0) * _FINE
    k = min(int(at), _FINE - 1)
    slow = _SLOW_SIDE[k] + (at - k) * (_SLOW_SIDE[k + 1] - _SLOW_SIDE[k])
    fast = _FAST_SIDE[k] + (at - k) * (_FAST_SIDE[k + 1] - _FAST_SIDE[k])
    slope = _mean(bins, _SLOPE, place)
    nearer = abs(slow * math.exp(-slow) - slope) < abs(fast * math.exp(-fast) - slope)
    return float(slow if nearer else fast) / interval


@jit
def value_of_a_look(bins: Array, place: float, level: float) -> float:
    """Gain from one look at a page of importance 1, in freshness from then on; `place`: that of T*."""
    known = 0.0
    for z in range(RATE_BINS):
        at = level * RATES[z] * _FINE
        if at < _FINE:
            k = int(at)
            known += bins[z] * (_GAINS[k] + (at - k) * (_GAINS[k + 1] - _GAINS[k]))
    if place > NEVER:
        return max(known - _mean(bins, _FRESH, place), 0.0) * _told(bins, place)
    mean_time = 0.0
    for z in range(RATE_BINS):
        mean_time += bins[z] * TIMES[z]
    centre = math.floor(-math.log(mean_time * SLOWEST_BIN) / LOG_BIN_RATIO)
    told = 0.0
    for y in range(centre - 4, centre + 5):
        told = max(told, _told(bins, float(y)))
    return known * told


@jit
def _told(bins: Array, place: float) -> float:
    """The share of what an outcome at this place leaves open that is due to the rate."""
    y = math.floor(place * _FINER)
    part, mean, square, at = place * _FINER - y, 0.0, 0.0, _MIDDLE - int(y)
    for z in range(RATE_BINS):
        fresh = _FRESH[at] * (1.0 - part) + _FRESH[at - 1] * part
        mean += bins[z] * fresh
        square += bins[z] * fresh * fresh
        at += _FINER
    return (square - mean * mean) / (mean * (1.0 - mean) + 1e-12)
