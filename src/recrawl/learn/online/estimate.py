"""What the engine should believe of a page, from the probabilities of its types."""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.aftershocks import taken_back
from recrawl.learn.online.alike import taken_for_alike
from recrawl.learn.online.exploring import (
    NEVER,
    RATE_BINS,
    RATES,
    TIMES,
    best_interval,
    matched_rate,
    rounds_of,
    spread,
    value_of_a_look,
)
from recrawl.learn.online.importance import importance
from recrawl.learn.online.layout import (
    CRAWL_LEVEL,
    EXPLORE,
    FADE,
    OUTCOMES,
    PACE,
    PAGE_COUNT,
    TILT,
    TYPES,
    Memory,
)
from recrawl.learn.online.prior import posterior, prior_of, rounds_known, signal_rate

Array = NDArray[np.float64]

MOST_BOOST = 2.0
"""The most by which curiosity multiplies the importance of a page."""
NEGLIGIBLE = 1e-7
"""Types less probable than this are left out."""
AT_ONCE, YOUNG = 50.0, 5.0
"""For how many rounds a look pays grows with the fourth power of the rounds so far, and is AT_ONCE after YOUNG of them:
hardly any at first, since a run may end before it has paid for them.  Rounds are outcomes over the pages there are now,
so pages that are added by the thousand put them back."""
EARLY, EARLY_ENDS = 100.0, 10.0
"""Until round EARLY_ENDS it grows up to EARLY, for what is known early is of use for longest.  Then it is AT_ONCE."""
GROWING = 16.0
"""Later it is the square of the rounds so far over GROWING, where that is more than AT_ONCE."""
SOON, SOON_GROWS, MOST_SOON = 1.0, 15.0, 3.0
"""A page that is crawled anyway is soon known: a look ahead of time pays for SOON of its intervals only; later for a
SOON_GROWS-th of the rounds so far, up to MOST_SOON."""


@jit
def estimate(memory: Memory, i: int, out: Array) -> None:
    """alpha, kappa, gamma and mu for page i.

    A page that is crawled often is best taken for one of the mean change rate, one that is hardly worth a crawl for one
    of the harmonic mean, which is 1/E[1/Delta].  So both kinds of means are taken, and the share of the second is that
    by which a page of known rate is crawled when this one should be (exploring.py).  Little-known pages that may be
    worth more than they seem get a higher importance.  Pages that are taken for alike are judged by the others alone,
    and none of them is more worth a look: of equal importance they are crawled in turn.
    """
    p, bins = memory.room[2], memory.room[3][:RATE_BINS]
    pace, tilt = memory.numbers[PACE], memory.numbers[TILT]
    gamma, alike = signal_rate(memory, i), taken_for_alike(memory, i)
    if alike:
        prior_of(memory, i, gamma, p)
    else:
        posterior(memory, i, gamma, p)
    bins[:] = 0.0
    mass, alpha, phi = 0.0, 0.0, 0.0
    slow_mass, slow_alpha, slow_phi = 0.0, 0.0, 0.0
    for k in range(TYPES):
        if p[k] > NEGLIGIBLE:
            log_delta = math.log((memory.types[0, k] + gamma * (1.0 - memory.types[1, k])) / pace)
            weight = p[k] * math.exp(-tilt * log_delta)
            mass += p[k]
            alpha += p[k] * memory.types[0, k]
            phi += p[k] * memory.types[1, k]
            slow_alpha += weight * memory.types[0, k]
            slow_phi += weight * memory.types[1, k]
            slow_mass += weight
            spread(bins, log_delta, p[k])
    mu = importance(memory, i)
    level = memory.numbers[CRAWL_LEVEL] * pace / mu if mu > 0.0 else 0.0
    place = best_interval(bins, level) if level > 0.0 else NEVER
    share = _share_of_slow(bins, place, level)
    out[0] = (alpha / mass) ** (1.0 - share) * (slow_alpha / slow_mass) ** share
    out[1] = -(1.0 - share) * math.log(phi / mass) - share * math.log(slow_phi / slow_mass)
    signalled = -gamma * math.expm1(-out[1])
    less = taken_back(memory, signalled, out[0])
    out[0] += less * signalled
    out[1] *= 1.0 - less
    out[2] = gamma
    out[3] = mu if alike else mu * _boost(memory, i, bins, place, level)


@jit
def _share_of_slow(bins: Array, place: float, level: float) -> float:
    """How far a page is to be taken for one of the harmonic mean rate and not of the mean, in logarithms."""
    if place <= NEVER:
        return 1.0
    mean, mean_time = 0.0, 0.0
    for z in range(RATE_BINS):
        mean += bins[z] * RATES[z]
        mean_time += bins[z] * TIMES[z]
    apart = math.log(mean * mean_time)
    if apart < 1e-4:
        return 1.0
    return min(max(math.log(mean / matched_rate(bins, place, level)) / apart, 0.0), 1.0)


@jit
def _boost(memory: Memory, i: int, bins: Array, place: float, level: float) -> float:
    """By what importance is multiplied: a look pays for itself and for what it teaches.

    How many rounds that is worth depends on how long the crawler has run; a page that is crawled anyway would be known
    a few intervals later.  Looks are made close together, as soon as the crawler is no
    longer young: what is known early is of use for longer.
    """
    numbers = memory.numbers
    run = numbers[OUTCOMES] / max(numbers[PAGE_COUNT], 1.0)
    begun = min(EARLY if run < EARLY_ENDS else AT_ONCE, AT_ONCE * (run / YOUNG) ** 4)
    rounds = min(numbers[EXPLORE], max(begun, run * run / GROWING))
    if rounds <= 0.0 or level <= 0.0:
        return 1.0
    rounds /= 1.0 + (rounds_known(memory, i) / numbers[FADE]) ** 3
    if place > NEVER:
        rounds = min(rounds, min(max(SOON, run / SOON_GROWS), MOST_SOON) * rounds_of(place))
    gain = rounds * value_of_a_look(bins, place, level) / level
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
