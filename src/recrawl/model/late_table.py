"""A latency distribution as a table: H at the edges of CELLS cells, straight in between, and G the mean of each cell.

Cells grow with time, so that neither the typical signal nor the rare one that comes a thousand times later is lost in
one cell.  So any distribution will do, G and H belong together exactly, and age as a function of staleness is found
without iterating.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.errors import InputError
from recrawl.model.latencies import KnownLatency

Array = NDArray[np.float64]

CELLS = 2048
TAIL = 1e-6
"""The share of signals that come later than the table tells: they are taken to come at its end."""

LEAST = 1e-200
"""Shorter latencies are none."""
FINE = 8.0
"""Cells begin to grow at the typical latency divided by this."""
MOST_STRETCH = 1e9

SCALE, STRETCH, MEAN, EDGES = range(4)
"""Where a table has its cells per unit of log(1 + STRETCH time) (0: no signal is late), the mean latency, and the
edges of its cells; H at the edges comes after them."""
INTEGRAL = EDGES + CELLS + 1


def tabulate(latency: KnownLatency) -> Array:
    """The table of a distribution, for the kernels below."""
    span = _quantile(latency, 1.0 - TAIL)
    if span == 0.0:
        return np.zeros(INTEGRAL + CELLS + 1)
    typical = _quantile(latency, 0.5 + 0.5 * float(latency.cdf(0.0)))
    stretch = min(FINE / typical, MOST_STRETCH / span) if typical > 0.0 else MOST_STRETCH / span
    scale = CELLS / math.log1p(stretch * span)
    edges = np.expm1(np.arange(CELLS + 1) / scale) / stretch
    edges[-1] = span
    widths = np.diff(edges)
    steps = np.diff(np.asarray(latency.survival_integral(edges), dtype=np.float64))
    if not np.all((steps >= -1e-9 * span) & (steps <= widths + 1e-9 * span)):
        raise InputError("latency must have a survival_integral that is the integral of 1 - cdf", argument="latency")
    integral = np.concatenate(([0.0], np.cumsum(np.clip(steps, 0.0, widths))))
    return np.concatenate(([scale, stretch, integral[-1]], edges, integral))


def _quantile(latency: KnownLatency, share: float) -> float:
    """The time after which this share of the signals is there."""
    try:
        if latency.cdf(0.0) >= share:
            return 0.0
        high = 1.0
        while not latency.cdf(high) >= share:
            high *= 2.0
            if high > 1e100:
                raise InputError(f"latency must be a latency that ends, got cdf({high:.0e}) < 1", argument="latency")
    except AttributeError:
        raise InputError(
            f"latency must know cdf and survival_integral, as sim.Exponential does, got {latency!r:.80}",
            argument="latency",
        ) from None
    low = 0.0
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        if high < LEAST:  # as good as at once
            return 0.0
        if latency.cdf(middle) >= share:
            high = middle
        else:
            low = middle
    return high


@jit
def _cell(table: Array, s: float) -> int:
    """The cell that s >= 0 lies in, CELLS beyond the last."""
    if s >= table[EDGES + CELLS]:
        return CELLS
    cell = min(int(math.log1p(s * table[STRETCH]) * table[SCALE]), CELLS - 1)
    while s < table[EDGES + cell]:  # by rounding alone
        cell -= 1
    while s >= table[EDGES + cell + 1]:
        cell += 1
    return cell


@jit
def unannounced(table: Array, s: float) -> float:
    """H(s): of the changes of the last s, at a unit rate, those whose signal is under way.  It never falls with s."""
    if table[SCALE] == 0.0:
        return 0.0
    cell = _cell(table, s)
    if cell == CELLS:
        return float(table[INTEGRAL + CELLS])
    begin, end = table[EDGES + cell], table[EDGES + cell + 1]
    low, high = table[INTEGRAL + cell], table[INTEGRAL + cell + 1]
    return float(min(low + (high - low) * ((s - begin) / (end - begin)), high))


@jit
def weight_at(table: Array, kappa: float, age: float) -> float:
    """kappa(a), with G the mean of the cell that the age lies in."""
    if table[SCALE] == 0.0:
        return kappa
    cell = _cell(table, max(age, 0.0))
    if cell == CELLS:
        return kappa
    width = table[EDGES + cell + 1] - table[EDGES + cell]
    under_way = (table[INTEGRAL + cell + 1] - table[INTEGRAL + cell]) / width
    return -math.log1p(math.expm1(-kappa) * (1.0 - min(under_way, 1.0)))


@jit
def age_at(table: Array, alpha: float, announced: float, x: float) -> float:
    """The age s at which alpha s + announced H(s) = x; inf where it never gets there."""
    if x <= 0.0:
        return 0.0
    if table[SCALE] == 0.0:
        return x / alpha if alpha > 0.0 else math.inf
    rest = x - announced * table[INTEGRAL + CELLS]
    if rest >= alpha * table[EDGES + CELLS]:
        return rest / alpha if alpha > 0.0 else math.inf
    low, high = 0, CELLS  # staleness at edge `low` is below x, at `high` not
    while high - low > 1:
        middle = (low + high) // 2
        if alpha * table[EDGES + middle] + announced * table[INTEGRAL + middle] < x:
            low = middle
        else:
            high = middle
    begin, width = table[EDGES + low], table[EDGES + low + 1] - table[EDGES + low]
    begun = alpha * begin + announced * table[INTEGRAL + low]
    slope = alpha * width + announced * (table[INTEGRAL + low + 1] - table[INTEGRAL + low])
    share = min(max((x - begun) / slope, 0.0), 1.0) if slope > 0.0 else 0.0
    return float(begin + share * width)
