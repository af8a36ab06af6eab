"""How far the signal rate of a page leans on that of all pages: as far as pages are alike.

The rate of all pages counts as much as having watched the page itself for some time, the *leaning*.  If rates of pages
are spread like a Gamma distribution, a page with n signals in time t has the rate (n + m l)/(t + l), m being the mean
rate and l the leaning; it is long where rates differ little.  Each leaning gives the signals of a page a probability,
that of a negative binomial distribution, and the logarithm of the leaning is the mean over candidates by what all
pages together say.

Signals may count more or less than one.  Only whole ones can be as many as chance says, so they are counted in mean
weights.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import inlined, jit
from recrawl.learn.online.layout import LEANING, PACE, SIGNAL_RATE, SQUARES, USUAL_LEANING, WEIGHT, Memory
from recrawl.learn.online.prior import signals_of_late

Array = NDArray[np.float64]

LEANINGS = USUAL_LEANING * 2.0 ** np.arange(-3, 4)
"""Candidates, in rounds."""


@inlined
def count_weight(memory: Memory, weight: float) -> None:
    """A signal of this weight was heard."""
    memory.numbers[WEIGHT] += weight
    memory.numbers[SQUARES] += weight * weight


@jit
def weigh_leanings(memory: Memory, i: int, fits: Array) -> None:
    """Add how well each leaning explains how many signals page i had."""
    numbers = memory.numbers
    one = numbers[SQUARES] / numbers[WEIGHT] if numbers[SQUARES] > 0.0 else 1.0
    heard, watched = signals_of_late(memory, i)
    heard /= one
    for j in range(len(LEANINGS)):
        time = LEANINGS[j] / numbers[PACE]
        mean = time * numbers[SIGNAL_RATE] / one
        fits[j] += math.lgamma(mean + heard) - math.lgamma(mean)
        fits[j] += mean * math.log(time) - (mean + heard) * math.log(time + watched)


@jit
def take_leaning(memory: Memory, fits: Array) -> None:
    """Lean as pages call for."""
    most, total, logs = fits.max(), 0.0, 0.0
    for j in range(len(LEANINGS)):
        chance = math.exp(fits[j] - most)
        total += chance
        logs += chance * math.log(LEANINGS[j])
    memory.numbers[LEANING] = math.exp(logs / total)
