"""A latency distribution as a table: H in CELLS equal cells, straight in between, and G the mean of each cell.

So any distribution will do, G and H belong together exactly, and age as a function of staleness is found without
iterating.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.errors import InputError
from recrawl.model.delays import Lateness

Array = NDArray[np.float64]

CELLS = 2048
TAIL = 1e-6
"""The share of signals that come later than the table tells: they are taken to come at its end."""

SCALE, MEAN, INTEGRAL = range(3)
"""Where a table has its cells per unit of time, the mean latency, and H at the edges of its cells."""


def tabulate(latency: Lateness) -> Array:
    """The table of a distribution, for the kernels below."""
    span = _span(latency)
    edges = np.linspace(0.0, span, CELLS + 1)
    width = span / CELLS
    steps = np.diff(np.asarray(latency.survival_integral(edges), dtype=np.float64))
    if not np.all((steps >= -1e-9 * width) & (steps <= (1.0 + 1e-9) * width)):
        raise InputError("late must have a survival_integral that is the integral of 1 - cdf", argument="late")
    integral = np.concatenate(([0.0], np.cumsum(np.clip(steps, 0.0, width))))
    return np.concatenate(([1.0 / width if width > 0.0 else 0.0, integral[-1]], integral))


def _span(latency: Lateness) -> float:
    """The time after which all signals but TAIL of them are there."""
    try:
        if latency.cdf(0.0) >= 1.0 - TAIL:
            return 0.0
        high = 1.0
        while not latency.cdf(high) >= 1.0 - TAIL:
            high *= 2.0
            if high > 1e100:
                raise InputError(f"late must be a latency that ends, got cdf({high:.0e}) < 1", argument="late")
    except AttributeError:
        raise InputError(
            f"late must know cdf and survival_integral, as sim.Exponential does, got {latency!r:.80}", argument="late"
        ) from None
    low = 0.0
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        if latency.cdf(middle) >= 1.0 - TAIL:
            high = middle
        else:
            low = middle
    return high


@jit
def unannounced(table: Array, s: float) -> float:
    """H(s): of the changes of the last s, at a unit rate, those whose signal is under way.  It never falls with s."""
    place = s * table[SCALE]
    if place >= CELLS:
        return float(table[INTEGRAL + CELLS])
    cell = int(place)
    low, high = table[INTEGRAL + cell], table[INTEGRAL + cell + 1]
    return float(min(low + (high - low) * (place - cell), high))


@jit
def weight_at(table: Array, kappa: float, age: float) -> float:
    """kappa(a), with G the mean of the cell that the age lies in."""
    place = max(age, 0.0) * table[SCALE]
    if place >= CELLS or table[SCALE] == 0.0:
        return kappa
    cell = int(place)
    under_way = (table[INTEGRAL + cell + 1] - table[INTEGRAL + cell]) * table[SCALE]
    return -math.log1p(math.expm1(-kappa) * (1.0 - min(under_way, 1.0)))


@jit
def age_at(table: Array, alpha: float, announced: float, x: float) -> float:
    """The age s at which alpha s + announced H(s) = x; inf where it never gets there."""
    if x <= 0.0:
        return 0.0
    rest = x - announced * table[INTEGRAL + CELLS]
    if table[SCALE] == 0.0 or rest * table[SCALE] >= alpha * CELLS:
        return rest / alpha if alpha > 0.0 else math.inf
    low, high = 0, CELLS  # staleness at edge `low` is below x, at `high` not
    width = 1.0 / table[SCALE]
    while high - low > 1:
        middle = (low + high) // 2
        if alpha * (middle * width) + announced * table[INTEGRAL + middle] < x:
            low = middle
        else:
            high = middle
    begun = alpha * (low * width) + announced * table[INTEGRAL + low]
    slope = alpha * width + announced * (table[INTEGRAL + low + 1] - table[INTEGRAL + low])
    share = min(max((x - begun) / slope, 0.0), 1.0) if slope > 0.0 else 0.0
    return float((low + share) * width)
