"""What the engine should believe of a page, from the probabilities of its types."""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.exploring import RATE_BINS, spread, value_of_a_look
from recrawl.learn.online.importance import importance
from recrawl.learn.online.layout import CRAWL_LEVEL, EXPLORE, FADE, PACE, PHIS, TILT, TYPES, Memory
from recrawl.learn.online.prior import posterior, rounds_known, signal_rate

Array = NDArray[np.float64]

MOST_BOOST = 3.0
NEGLIGIBLE = 1e-7
"""Types less probable than this are left out."""


@jit
def estimate(memory: Memory, i: int, out: Array) -> None:
    """alpha, kappa, gamma and mu for page i.

    V is about mu/Delta, and so is what a wrong Delta costs: means are taken under the posterior tilted by Delta^-tilt.
    Little-known pages that may be worth more than they seem get a higher importance (exploring.py).
    """
    p, bins = memory.room[2], memory.room[3][:RATE_BINS]
    pace, tilt = memory.numbers[PACE], memory.numbers[TILT]
    gamma = signal_rate(memory, i)
    posterior(memory, i, gamma, p)
    bins[:] = 0.0
    alpha, phi, total = 0.0, 0.0, 0.0
    # Only ratios of weights count.  Relative to the slowest change rate of all types they never underflow together.
    slowest = math.log((memory.types[0, 0] + gamma * (1.0 - memory.types[1, PHIS - 1])) / pace)
    for k in range(TYPES):
        if p[k] > NEGLIGIBLE:
            delta = memory.types[0, k] + gamma * (1.0 - memory.types[1, k])
            log_delta = math.log(delta / pace)
            weight = p[k] * math.exp(tilt * (slowest - log_delta))
            total += weight
            alpha += weight * memory.types[0, k]
            phi += weight * memory.types[1, k]
            spread(bins, log_delta, p[k])
    out[0] = alpha / total
    out[1] = -math.log(phi / total)
    out[2] = gamma
    mu = importance(memory, i)
    out[3] = mu * _boost(memory, i, mu, bins)


@jit
def _boost(memory: Memory, i: int, mu: float, bins: Array) -> float:
    numbers = memory.numbers
    explore, level = numbers[EXPLORE], numbers[CRAWL_LEVEL]
    if explore <= 0.0 or level <= 0.0 or mu <= 0.0:
        return 1.0
    rounds = explore / (1.0 + (rounds_known(memory, i) / numbers[FADE]) ** 3)
    pace = numbers[PACE]
    gain = rounds / pace * value_of_a_look(bins, pace, level / mu) * mu / level
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
