"""The value of pages with several sources of signals, solved on a grid: one pass a class of pages.

Theory of operation
-------------------
With time in units of 1/Delta, the mean time psi(u) from a crawl until staleness reaches u obeys

    alpha psi'(u) = 1 - (sum g_k + c) psi(u) + sum g_k psi(u - kappa_k),    psi(0) = 0

(age drifts at alpha, a lone signal of source k jumps by kappa_k, a coincidence ends the cycle), and V = int e^-v psi.

1. Over a cell the loss term is integrated exactly and the rest as a straight line, so that alpha = 0 (psi climbs in
   steps) needs no case of its own.  Where a jump is shorter than the cell, what is sought stands on both sides; the
   equation is linear, so it is solved for it.
2. Cells grow with u: each is about 1.2% of it, and those near 0 are short.
3. V(inf) = 1/Delta exactly, so the whole solution is scaled by what the grid misses of that.
4. Between grid points psi is a straight line and V its integral in closed form: V' = e^-u psi to the last digit, and V
   never falls, which is what the engine's exactness rests on.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.model.nosignal import p2
from recrawl.model.scalar import FLAT

Array = NDArray[np.float64]

POINTS = 513
_GROWTH = 6.0
_STRETCH = math.expm1(_GROWTH) / FLAT
GRID = np.expm1(np.linspace(0.0, _GROWTH, POINTS)) / _STRETCH
GRID[-1] = FLAT

LENGTHS, VALUES = 0, POINTS
"""Where a table has psi and V at the grid points."""
SIZE = 2 * POINTS


@jit
def _cell(u: float) -> int:
    """The cell of the grid that 0 <= u < FLAT lies in."""
    cell = min(int(math.log1p(u * _STRETCH) * ((POINTS - 1) / _GROWTH)), POINTS - 2)
    if u < GRID[cell]:
        return cell - 1
    return cell + 1 if u >= GRID[cell + 1] and cell < POINTS - 2 else cell


@jit
def _between(psi: Array, u: float) -> float:
    """psi(u) on the straight line between grid points; 0 below 0."""
    if u <= 0.0:
        return 0.0
    cell = _cell(u)
    return float(psi[cell] + (psi[cell + 1] - psi[cell]) * ((u - GRID[cell]) / (GRID[cell + 1] - GRID[cell])))


@jit
def _solve_lengths(alpha: float, rates: Array, weights: Array, ended: float, psi: Array) -> None:
    """psi on the grid, for rates of lone signals of weights > 0 and of coincidences."""
    loss = rates.sum() + ended
    before = 1.0  # the bracket 1 + sum g psi(u - kappa) at the last point
    psi[0] = 0.0
    for n in range(POINTS - 1):
        h = GRID[n + 1] - GRID[n]
        if loss == 0.0:
            psi[n + 1] = GRID[n + 1] / alpha
            continue
        z = loss * h / alpha
        lost = -math.expm1(-z)
        late = 1.0 - lost / z if z > 1e-3 else z / 2.0 - z * z / 6.0
        known, own = 1.0, 0.0  # the bracket at the next point: known + own psi there
        for k in range(len(rates)):
            if weights[k] < h:
                known += rates[k] * psi[n] * weights[k] / h
                own += rates[k] * (1.0 - weights[k] / h)
            else:
                known += rates[k] * _between(psi, GRID[n + 1] - weights[k])
        right = (1.0 - lost) * psi[n] + (before * (lost - late) + known * late) / loss
        psi[n + 1] = max(right / (1.0 - own * late / loss), psi[n])
        before = known + own * psi[n + 1]
        if n == 0:  # psi may climb to 1/loss within the first cell: the line then keeps its mean
            psi[0] = (2.0 * late - lost) / loss


@jit
def _rise(psi_low: float, psi_high: float, width: float, t: float) -> float:
    """int_0^t e^-s psi(u + s) ds for psi straight over the cell."""
    return -math.expm1(-t) * psi_low + (psi_high - psi_low) / width * p2(t)


@jit
def solve_table(alpha: float, rates: Array, weights: Array, ended: float, table: Array) -> float:
    """Fill psi and V of a class of unit change rate; how far V(inf) was from 1 before scaling."""
    _solve_lengths(alpha, rates, weights, ended, table[LENGTHS : LENGTHS + POINTS])
    total = 0.0
    table[VALUES] = 0.0
    for n in range(POINTS - 1):
        rise = _rise(table[LENGTHS + n], table[LENGTHS + n + 1], GRID[n + 1] - GRID[n], GRID[n + 1] - GRID[n])
        total += math.exp(-GRID[n]) * rise
        table[VALUES + n + 1] = total
    for n in range(SIZE):
        table[n] /= total
    return total - 1.0


@jit
def class_value(x: float, mu: float, delta: float, table: Array, start: int) -> float:
    """The crawl value from the table that begins at `start`."""
    if x <= 0.0 or delta <= 0.0 or mu <= 0.0:
        return 0.0
    if x >= FLAT:
        return mu / delta
    n = _cell(x)
    low, high = table[start + LENGTHS + n], table[start + LENGTHS + n + 1]
    rise = math.exp(-GRID[n]) * _rise(low, high, GRID[n + 1] - GRID[n], x - GRID[n])
    return float(mu / delta * min(table[start + VALUES + n] + rise, table[start + VALUES + n + 1]))


@jit
def class_slope(x: float, mu: float, delta: float, table: Array, start: int) -> float:
    """dV/dx at 0 < x < inf."""
    if delta <= 0.0 or x >= FLAT:
        return 0.0
    n = _cell(x)
    low, high = table[start + LENGTHS + n], table[start + LENGTHS + n + 1]
    share = (x - GRID[n]) / (GRID[n + 1] - GRID[n])
    return float(mu / delta * math.exp(-x) * (low + (high - low) * share))
