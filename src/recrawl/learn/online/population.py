"""The priors from the pages themselves: empirical Bayes by a few passes of EM, begun where the last refresh ended.

A pass adds up the posteriors of the pages: at the two knots beside each page's signal rate, and in the pools of its
host and its kind.  The population's weights are then smoothed a little along each axis.
"""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.knots import knot_of
from recrawl.learn.online.layout import (
    ALPHAS,
    CLOCK,
    CLOCK_BEFORE,
    KIND_ROOM,
    KNOTS,
    OUTCOMES,
    OUTCOMES_BEFORE,
    PAGE_COUNT,
    PHIS,
    POOL_ROWS,
    SIDE,
    SPELL_CRAWLS,
    SPELL_TIME,
    TYPES,
    Memory,
)
from recrawl.learn.online.prior import pool_row, posterior, signal_rate

Array = NDArray[np.float64]

SMOOTH = 0.1
PULL = 1.0
"""At each knot the mean over all signal rates counts as this number of pages."""
SHAPED = 0.5
FLAT = 0.005
"""At each knot the shape that pages are taken to have at first (shapes.py) counts as SHAPED pages, and having no
opinion, all types alike, as FLAT."""


@jit
def crawl_rate(memory: Memory) -> float:
    """Crawls of an average page per unit of time of late, counted up to now; 0 where there is nothing to tell."""
    numbers = memory.numbers
    numbers[SPELL_CRAWLS] = 0.5 * numbers[SPELL_CRAWLS] + numbers[OUTCOMES] - numbers[OUTCOMES_BEFORE]
    numbers[SPELL_TIME] = 0.5 * numbers[SPELL_TIME] + numbers[PAGE_COUNT] * (numbers[CLOCK] - numbers[CLOCK_BEFORE])
    numbers[OUTCOMES_BEFORE], numbers[CLOCK_BEFORE] = numbers[OUTCOMES], numbers[CLOCK]
    if not (numbers[SPELL_TIME] > 0.0 and numbers[SPELL_CRAWLS] > 0.0):
        return 0.0
    return float(numbers[SPELL_CRAWLS] / numbers[SPELL_TIME])


@jit
def add_page(memory: Memory, i: int, weights: Array) -> None:
    """Add the posterior of page i to the weights, and to the other side of its pools."""
    p, gamma = memory.room[2], signal_rate(memory, i)
    posterior(memory, i, gamma, p)
    _add_to_knots(memory, gamma, p, weights)
    if memory.host[i] >= 0:
        _add_to_pool(memory, gamma, p, int(memory.numbers[KIND_ROOM]) + memory.host[i])
    if memory.kind[i] >= 0:
        _add_to_pool(memory, gamma, p, memory.kind[i])


@jit
def end_pass(memory: Memory, weights: Array, shape: Array) -> None:
    """What all pages added up to takes the place of what was expected."""
    _smooth(weights)
    _set_weights(memory, weights, shape)
    memory.numbers[SIDE] = 1.0 - memory.numbers[SIDE]


@jit
def _add_to_knots(memory: Memory, gamma: float, p: Array, weights: Array) -> None:
    """A type is due to either knot as far as that knot expected it."""
    at = knot_of(memory, gamma)
    a = min(int(at), KNOTS - 2)
    part = at - a
    for k in range(TYPES):
        low = (1.0 - part) * memory.weights[a, k]
        high = part * memory.weights[a + 1, k]
        share = high / (low + high)
        weights[a, k] += p[k] * (1.0 - share)
        weights[a + 1, k] += p[k] * share


@jit
def _add_to_pool(memory: Memory, gamma: float, p: Array, pool: int) -> None:
    first, other = pool_row(memory, gamma), 1 - int(memory.numbers[SIDE])
    table = memory.pools[pool, other]
    if memory.sizes[pool, other] == 0.0:
        table[:] = 0.0  # here and not for all pools at once: those of 10,000 hosts are 8 MB
    memory.sizes[pool, other] += 1.0
    for x in range(ALPHAS):
        at = min(max(x + first, 0.0), POOL_ROWS - 1.001)
        row = int(at)
        part = at - row
        for b in range(PHIS):
            table[row, b] += p[x * PHIS + b] * (1.0 - part)
            table[row + 1, b] += p[x * PHIS + b] * part


@jit
def _smooth(weights: Array) -> None:
    """Move a tenth of each weight to each neighbour, along alpha, phi and the knots in turn."""
    cube = weights.reshape(KNOTS, ALPHAS, PHIS)
    for axis in range(3):
        old = cube.copy()
        for g in range(KNOTS):
            for a in range(ALPHAS):
                for b in range(PHIS):
                    low = old[max(g - (axis == 2), 0), max(a - (axis == 0), 0), max(b - (axis == 1), 0)]
                    high = old[
                        min(g + (axis == 2), KNOTS - 1),
                        min(a + (axis == 0), ALPHAS - 1),
                        min(b + (axis == 1), PHIS - 1),
                    ]
                    cube[g, a, b] = (1.0 - 2.0 * SMOOTH) * old[g, a, b] + SMOOTH * (low + high)


@jit
def _set_weights(memory: Memory, weights: Array, shape: Array) -> None:
    """Shares from counts, with a little of the mean, of the shape and of no opinion."""
    mean = weights.sum(axis=0)
    mean /= mean.sum()
    for g in range(KNOTS):
        memory.weights[g] = weights[g] + PULL * mean + SHAPED * shape + FLAT / TYPES
        memory.weights[g] /= memory.weights[g].sum()
