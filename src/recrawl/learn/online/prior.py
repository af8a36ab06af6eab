"""What is expected of a page before its own outcomes: a weight for each type.

The population's weights at the page's signal rate, mixed with the pools of its kind and of its host.  Pools count
pages by alpha/gamma and phi, so that a pool of slow pages tells something about a fast one.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import inlined, jit
from recrawl.learn.online.knots import knot_of
from recrawl.learn.online.layout import (
    ALPHAS,
    CLOCK,
    HOST_DOUBT,
    KIND_DOUBT,
    KIND_ROOM,
    KNOTS,
    LEANING,
    LOG_RATIO,
    PACE,
    PHIS,
    POOL_ROWS,
    POOL_SHIFT,
    POWERS,
    SIDE,
    SIGNAL_RATE,
    SIGNALS,
    TIME,
    TYPES,
    Memory,
)
from recrawl.learn.online.moving import Steps, likelihoods
from recrawl.learn.online.regimes import behind, signals_brought

Array = NDArray[np.float64]

FIRST_TRUST, TRUST_LOOKS = 0.2, 5.0
"""How far the outcomes of a page are trusted before its first look, and after how many looks half of the rest is."""


@jit
def signal_rate(memory: Memory, i: int) -> float:
    """Signals of page i per unit of time, those since its last crawl included."""
    numbers = memory.numbers
    t0 = numbers[LEANING] / numbers[PACE]
    heard, watched = signals_of_late(memory, i)
    return float((heard + numbers[SIGNAL_RATE] * t0) / (watched + t0))


@inlined
def signals_of_late(memory: Memory, i: int) -> tuple[float, float]:
    """Signals of page i in the present regime, and for how long they were watched."""
    numbers, sums = memory.numbers, memory.sums
    if behind(memory, i):
        return signals_brought(memory, i)
    since = max(numbers[CLOCK] - memory.crawled[i], 0.0)
    return np.float64(sums[i, SIGNALS]) + memory.open[i], sums[i, TIME] + since


@jit
def population_prior(memory: Memory, rate: float, out: Array) -> None:
    """The weights of types among all pages with this signal rate."""
    at = knot_of(memory, rate)
    a = min(int(at), KNOTS - 2)
    part = at - a
    for k in range(TYPES):
        out[k] = (1.0 - part) * memory.weights[a, k] + part * memory.weights[a + 1, k]


@jit
def pool_row(memory: Memory, rate: float) -> float:
    """The row of the slowest alpha in the pools, for a page with this signal rate."""
    return POOL_SHIFT - math.log(rate / memory.numbers[PACE]) / LOG_RATIO


@jit
def pool_prior(memory: Memory, pool: int, rate: float, out: Array) -> float:
    """The counts of types in a pool, as a page with this signal rate sees them; their sum."""
    table = memory.pools[pool, int(memory.numbers[SIDE])]
    first, total = pool_row(memory, rate), 0.0
    for x in range(ALPHAS):
        at = min(max(x + first, 0.0), POOL_ROWS - 1.001)
        row = int(at)
        part = at - row
        for b in range(PHIS):
            value = (1.0 - part) * table[row, b] + part * table[row + 1, b]
            out[x * PHIS + b] = value
            total += value
    return total


@jit
def _mix(memory: Memory, pool: int, doubt: float, rate: float, out: Array) -> None:
    size = memory.sizes[pool, int(memory.numbers[SIDE])]
    share = size / (size + doubt)
    if share > 0.0:
        counts = memory.room[1]
        total = pool_prior(memory, pool, rate, counts)
        if total > 1e-9:
            for k in range(TYPES):
                out[k] = (1.0 - share) * out[k] + share * counts[k] / total


@jit
def with_kind(memory: Memory, i: int, rate: float, out: Array) -> None:
    """Mix in the pool of the page's kind."""
    if memory.kind[i] >= 0:
        _mix(memory, memory.kind[i], memory.numbers[KIND_DOUBT], rate, out)


@jit
def with_host(memory: Memory, i: int, rate: float, out: Array) -> None:
    """Mix in the pool of the page's host."""
    if memory.host[i] >= 0:
        _mix(memory, int(memory.numbers[KIND_ROOM]) + memory.host[i], memory.numbers[HOST_DOUBT], rate, out)


@inlined
def trust(memory: Memory, i: int) -> float:
    """The power of its likelihoods with which a page is judged: how far its outcomes are taken at their word.

    Changes come in bursts, neighbours change together and rates wander, so the first outcomes of a page tell less of it
    than as many independent ones would.  Taken at their word they make a crawler worse than one that knows nothing.
    """
    looks = float(memory.looks[i])
    return FIRST_TRUST + (1.0 - FIRST_TRUST) * looks / (looks + TRUST_LOOKS)


@inlined
def likelihood_of(row: Steps, k: int, power: float) -> float:
    """A power of the likelihood of type k over that of the best; 0 below e^-32."""
    steps = int(-row[k] * power)
    return float(POWERS[steps]) if steps < len(POWERS) else 0.0


@jit
def prior_of(memory: Memory, i: int, rate: float, out: Array) -> None:
    """The probability of each type for a page with this signal rate, whatever its own outcomes were."""
    population_prior(memory, rate, out)
    with_kind(memory, i, rate, out)
    with_host(memory, i, rate, out)


@jit
def posterior(memory: Memory, i: int, rate: float, out: Array) -> None:
    """The probability of each type, given the page's outcomes."""
    prior_of(memory, i, rate, out)
    _weigh(likelihoods(memory, i), trust(memory, i), out)


@jit
def _weigh(row: Steps, power: float, out: Array) -> None:
    total = 0.0
    for k in range(TYPES):
        out[k] *= likelihood_of(row, k, power)
        total += out[k]
    for k in range(TYPES):
        out[k] /= total


@jit
def rounds_known(memory: Memory, i: int) -> float:
    """For how many rounds (crawls of an average page) the page has been known."""
    numbers = memory.numbers
    return float((numbers[CLOCK] - memory.born[i]) * numbers[PACE])
