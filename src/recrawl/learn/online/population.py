"""The priors from the pages themselves: empirical Bayes by a few passes of EM, begun where the last refresh ended.

A pass adds up the posteriors of the pages: at the two knots beside each page's signal rate, and in the pools of its
host and its kind.  The population's weights are then smoothed a little along each axis.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.importance import mean_importance
from recrawl.learn.online.layout import (
    ALPHAS,
    CLOCK,
    CLOCK_BEFORE,
    HOST_COUNT,
    IMPORTANCE_FLOOR,
    KNOTS,
    LEAST_IMPORTANCE,
    OUTCOMES,
    OUTCOMES_BEFORE,
    PACE,
    PAGE_COUNT,
    PHIS,
    POOL_ROWS,
    REFRESH_AT,
    REQUESTS_FROM,
    SIGNAL_RATE,
    SIGNALS,
    SPELL_CRAWLS,
    SPELL_TIME,
    TIME,
    TYPES,
    Memory,
)
from recrawl.learn.online.pool_doubt import choose_doubts
from recrawl.learn.online.prior import knot_of, pool_row, posterior, signal_rate
from recrawl.learn.online.type_likelihood import set_pace

Array = NDArray[np.float64]
Counts = NDArray[np.float32]

PASSES, FIRST_PASSES = 3, 10
SMOOTH = 0.1
PULL = 1.0
"""At each knot the mean over all signal rates counts as this number of pages."""
FLAT = 0.5
"""At each knot having no opinion, all types alike, counts as this number of pages."""

SOONEST, LATEST, SHARE = 0.1, 5.0, 0.2
"""Rounds to the next refresh: a fifth of those so far, within these."""
MOVED = 1.5
"""Types move along when the crawl rate has changed by this factor."""


@jit
def refresh(memory: Memory) -> None:
    """Learn the priors anew, and when to do so next."""
    numbers = memory.numbers
    passes = FIRST_PASSES if _follow_rate(memory) else PASSES
    _pool_signal_rate(memory)
    choose_doubts(memory)
    for _ in range(passes):
        _pass(memory)
    rounds = numbers[OUTCOMES] / numbers[PAGE_COUNT]
    if numbers[REQUESTS_FROM] < math.inf:
        numbers[LEAST_IMPORTANCE] = numbers[IMPORTANCE_FLOOR] * mean_importance(memory)
    wait = min(max(SHARE * rounds, SOONEST), LATEST)
    numbers[REFRESH_AT] = numbers[OUTCOMES] + max(wait * numbers[PAGE_COUNT], 1.0)


@jit
def _follow_rate(memory: Memory) -> bool:
    """Keep up with the crawl rate of an average page; whether the types moved."""
    numbers = memory.numbers
    numbers[SPELL_CRAWLS] = 0.5 * numbers[SPELL_CRAWLS] + numbers[OUTCOMES] - numbers[OUTCOMES_BEFORE]
    numbers[SPELL_TIME] = 0.5 * numbers[SPELL_TIME] + numbers[PAGE_COUNT] * (numbers[CLOCK] - numbers[CLOCK_BEFORE])
    numbers[OUTCOMES_BEFORE], numbers[CLOCK_BEFORE] = numbers[OUTCOMES], numbers[CLOCK]
    if not (numbers[SPELL_TIME] > 0.0 and numbers[SPELL_CRAWLS] > 0.0):
        return False
    rate = numbers[SPELL_CRAWLS] / numbers[SPELL_TIME]
    if abs(math.log(rate / numbers[PACE])) < math.log(MOVED):
        return False
    set_pace(memory, rate)
    memory.weights[:] = 1.0 / TYPES
    return True


@jit
def _pool_signal_rate(memory: Memory) -> None:
    numbers, sums = memory.numbers, memory.sums
    count, time = 1.0, 1.0 / numbers[PACE]
    for i in range(int(numbers[PAGE_COUNT])):
        count += sums[i, SIGNALS] + memory.open[i]
        time += sums[i, TIME] + max(numbers[CLOCK] - memory.crawled[i], 0.0)
    numbers[SIGNAL_RATE] = count / time


@jit
def _pass(memory: Memory) -> None:
    """One pass over the pages."""
    p, hosts = memory.room[2], int(memory.numbers[HOST_COUNT])
    weights = np.zeros((KNOTS, TYPES))
    pools, sizes = np.zeros_like(memory.pools), np.zeros_like(memory.sizes)
    pages = len(memory.sample) if len(memory.sample) > 0 else int(memory.numbers[PAGE_COUNT])
    for at in range(pages):
        i = memory.sample[at] if len(memory.sample) > 0 else at
        gamma = signal_rate(memory, i)
        posterior(memory, i, gamma, p)
        _add_to_knots(memory, gamma, p, weights)
        if memory.host[i] >= 0:
            _add_to_pool(memory, gamma, p, pools[memory.host[i]])
            sizes[memory.host[i]] += 1.0
        if memory.kind[i] >= 0:
            _add_to_pool(memory, gamma, p, pools[hosts + memory.kind[i]])
            sizes[hosts + memory.kind[i]] += 1.0
    _smooth(weights)
    _set_weights(memory, weights)
    memory.pools[:] = pools
    memory.sizes[:] = sizes


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
def _add_to_pool(memory: Memory, gamma: float, p: Array, pool: Counts) -> None:
    first = pool_row(memory, gamma)
    for x in range(ALPHAS):
        at = min(max(x + first, 0.0), POOL_ROWS - 1.001)
        row = int(at)
        part = at - row
        for b in range(PHIS):
            pool[row, b] += p[x * PHIS + b] * (1.0 - part)
            pool[row + 1, b] += p[x * PHIS + b] * part


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
def _set_weights(memory: Memory, weights: Array) -> None:
    """Shares from counts, with a little of the mean and of no opinion."""
    mean = weights.sum(axis=0)
    mean /= mean.sum()
    for g in range(KNOTS):
        memory.weights[g] = weights[g] + PULL * mean + FLAT / TYPES
        memory.weights[g] /= memory.weights[g].sum()
