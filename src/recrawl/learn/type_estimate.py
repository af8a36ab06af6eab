"""What the engine should believe of a page, from the probabilities of its types."""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.exploring import BINS, spread, value_of_a_look
from recrawl.learn.importance import importance
from recrawl.learn.memory import EXPLORE, FADE, LEVEL, LOG_RATIO, PHIS, STEP, TILT, TYPES, UNIT, Memory
from recrawl.learn.type_prior import posterior, rounds_known, signal_rate

Array = NDArray[np.float64]

MOST_BOOST = 3.0
NEGLIGIBLE = 1e-7
"""Types less probable than this are left out."""
HALFWAY = math.exp(0.5 * LOG_RATIO)


@jit
def estimate(memory: Memory, i: int, out: Array) -> None:
    """alpha, kappa, gamma and mu for page i.

    V is about mu/Delta, and so is what a wrong Delta costs: means are taken under the posterior tilted by Delta^-tilt.
    Little-known pages that may be worth more than they seem get a higher importance (exploring.py).
    """
    p, bins, sums = memory.room[2], memory.room[3, :BINS], memory.room[3, BINS : BINS + 4]
    gamma = signal_rate(memory, i)
    total = posterior(memory, i, gamma, p)
    memory.room[3] = 0.0
    for k in range(TYPES):
        if p[k] > NEGLIGIBLE:
            _count(memory, memory.types[0, k], memory.types[1, k], gamma, p[k])
        if k < TYPES - PHIS:
            between = _between(memory, i, k) / total
            if between > NEGLIGIBLE:
                _count(memory, HALFWAY * memory.types[0, k], memory.types[1, k], gamma, between)
    out[0] = sums[1] / sums[0]
    out[1] = -math.log(sums[2] / sums[0])
    out[2] = gamma
    mu = importance(memory, i)
    for z in range(BINS):
        bins[z] /= sums[3]
    out[3] = mu * _boost(memory, i, mu, bins)


@jit
def _between(memory: Memory, i: int, k: int) -> float:
    """Probability, up to the same factor, of the type halfway from type k to the next alpha: cubic interpolation.

    With many outcomes the likelihood is narrower than the types are apart, and its top may lie between two.
    """
    likelihood = memory.likelihood[i]
    middle = 0.5 * (likelihood[k] + likelihood[k + PHIS])
    if PHIS <= k < TYPES - 2 * PHIS:
        middle += 0.125 * (middle - 0.5 * (likelihood[k - PHIS] + likelihood[k + 2 * PHIS]))
    prior = 0.5 * (memory.room[1, k] + memory.room[1, k + PHIS])
    return float(prior * math.exp(middle / STEP))


@jit
def _count(memory: Memory, alpha: float, phi: float, gamma: float, probability: float) -> None:
    unit, sums = memory.numbers[UNIT], memory.room[3, BINS : BINS + 4]
    delta = alpha + gamma * (1.0 - phi)
    weight = probability * (delta / unit) ** -memory.numbers[TILT]
    sums[0] += weight
    sums[1] += weight * alpha
    sums[2] += weight * phi
    sums[3] += probability
    spread(memory.room[3], delta, unit, probability)


@jit
def _boost(memory: Memory, i: int, mu: float, bins: Array) -> float:
    numbers = memory.numbers
    explore, level = numbers[EXPLORE], numbers[LEVEL]
    if explore <= 0.0 or level <= 0.0 or mu <= 0.0:
        return 1.0
    rounds = explore / (1.0 + (rounds_known(memory, i) / numbers[FADE]) ** 3)
    unit = numbers[UNIT]
    gain = rounds / unit * value_of_a_look(bins, unit, level / mu) * mu / level
    return 1.0 / (1.0 - gain) if gain < 1.0 - 1.0 / MOST_BOOST else MOST_BOOST


@jit
def moments(memory: Memory, i: int, out: Array) -> None:
    """Mean and standard deviation of change rate and precision of page i, the signal rate taken as known."""
    p = memory.room[2]
    gamma = signal_rate(memory, i)
    posterior(memory, i, gamma, p)
    out[:] = 0.0
    for k in range(TYPES):
        phi = memory.types[1, k]
        delta = memory.types[0, k] + gamma * (1.0 - phi)
        out[0] += p[k] * delta
        out[1] += p[k] * delta * delta
        out[2] += p[k] * (1.0 - phi)
        out[3] += p[k] * (1.0 - phi) ** 2
    out[1] = math.sqrt(max(out[1] - out[0] ** 2, 0.0))
    out[3] = math.sqrt(max(out[3] - out[2] ** 2, 0.0))
