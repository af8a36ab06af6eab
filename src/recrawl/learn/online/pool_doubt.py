"""How far pools are to be trusted: by how well each predicts the pages of its own that it has not seen.

A pool of n pages counts n/(n + doubt).  Candidates are compared by the likelihood of every page's outcomes under its
pool *without the page itself*; counting the page in would make the smallest pools look best, whatever labels mean.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.layout import (
    ALPHAS,
    KIND_ROOM,
    PHIS,
    POOL_ROWS,
    SIDE,
    TYPES,
    Memory,
)
from recrawl.learn.online.moving import Steps, likelihoods
from recrawl.learn.online.prior import (
    likelihood_of,
    pool_prior,
    pool_row,
    population_prior,
    posterior,
    signal_rate,
    trust,
    with_kind,
)

Array = NDArray[np.float64]

DOUBTS = np.array([1.0, 4.0, 16.0, 64.0, 256.0, np.inf])


@jit
def judge(memory: Memory, i: int, scores: Array) -> None:
    """Add what page i says for each candidate: of its kind's pool (row 0), and of its host's (row 1), on top."""
    base, gamma = memory.room[3], signal_rate(memory, i)
    posterior(memory, i, gamma, memory.room[2])
    row, power = likelihoods(memory, i), trust(memory, i)
    population_prior(memory, gamma, base)
    if memory.kind[i] >= 0:
        _judge(memory, row, power, memory.kind[i], gamma, base, scores[0])
        with_kind(memory, i, gamma, base)
    if memory.host[i] >= 0:
        _judge(memory, row, power, int(memory.numbers[KIND_ROOM]) + memory.host[i], gamma, base, scores[1])


@jit
def best_doubt(scores: Array) -> float:
    """The candidate of the highest score; the most doubtful where nothing was seen yet."""
    best = len(DOUBTS) - 1
    for j in range(len(DOUBTS)):
        if scores[j] > scores[best]:
            best = j
    return float(DOUBTS[best])


@jit
def _judge(memory: Memory, row: Steps, power: float, pool: int, gamma: float, base: Array, scores: Array) -> None:
    """Add the log-likelihood of a page under each candidate, relative to no pool at all."""
    others = memory.sizes[pool, int(memory.numbers[SIDE])] - 1.0
    if others <= 0.0:
        return
    counts = memory.room[1]
    pool_prior(memory, pool, gamma, counts)
    _take_out(memory, gamma, memory.room[2], counts)
    alone, pooled, total = 0.0, 0.0, 0.0
    for k in range(TYPES):
        likelihood = likelihood_of(row, k, power)
        alone += base[k] * likelihood
        pooled += counts[k] * likelihood
        total += counts[k]
    if total <= 1e-9:
        return
    pooled /= total
    for j in range(len(DOUBTS)):
        share = others / (others + DOUBTS[j])
        scores[j] += math.log1p(share * (pooled / alone - 1.0))


@jit
def _take_out(memory: Memory, gamma: float, p: Array, counts: Array) -> None:
    """Subtract what the page itself put into the pool, as it is read off between the pool's rows."""
    first = pool_row(memory, gamma)
    part = first - math.floor(first)
    for x in range(ALPHAS):
        if not 0.0 <= x + first <= POOL_ROWS - 1.001:
            continue
        for b in range(PHIS):
            below = p[(x - 1) * PHIS + b] if x > 0 else 0.0
            above = p[(x + 1) * PHIS + b] if x < ALPHAS - 1 else 0.0
            k = x * PHIS + b
            own = ((1.0 - part) ** 2 + part**2) * p[k] + part * (1.0 - part) * (below + above)
            counts[k] = max(counts[k] - own, 0.0)
