"""Importance of pages: as given, or from counts of requests that fade with a half-life.

A page's rate of requests is its count over the time it was watched, both faded alike, begun with what was given for it
at the weight of one request of an average page.  Counts are kept as if they grew after REQUESTS_AT instead of fading
before it, so that nothing has to be done to pages without requests.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.layout import (
    CLOCK,
    IMPORTANCE_FLOOR,
    LEAST_IMPORTANCE,
    MEAN_IMPORTANCE,
    MEAN_OF,
    PAGE_COUNT,
    REQUEST_HALF_LIFE,
    REQUEST_TIME,
    REQUESTS,
    REQUESTS_AT,
    REQUESTS_FROM,
    Memory,
)

Array = NDArray[np.float64]
Ids = NDArray[np.int64]

MANY = 10_000
"""Pages whose mean is that of all."""
MOST_GROWTH = 60.0
"""Half-lives after which counts are scaled back: well before float32 overflows."""


@jit
def importance(memory: Memory, i: int) -> float:
    """Requests of page i per unit of time, or what was given for it."""
    numbers = memory.numbers
    begun = numbers[REQUEST_TIME]
    if numbers[REQUESTS_FROM] == math.inf:
        return float(memory.sums[i, REQUESTS] / begun)
    half = numbers[REQUEST_HALF_LIFE]
    watched = numbers[CLOCK] - max(numbers[REQUESTS_FROM], memory.born[i])
    kept = 2.0 ** (-watched / half)
    seen = watched if half == math.inf else half / math.log(2.0) * (1.0 - kept)
    count = memory.sums[i, REQUESTS] * 2.0 ** (-(numbers[CLOCK] - numbers[REQUESTS_AT]) / half)
    return float(max(count / (seen + begun * kept), numbers[LEAST_IMPORTANCE]))


@jit
def request_scale(memory: Memory, now: float) -> float:
    """By what a count of `now` is multiplied before it is stored."""
    return float(2.0 ** ((now - memory.numbers[REQUESTS_AT]) / memory.numbers[REQUEST_HALF_LIFE]))


@jit
def mean_importance(memory: Memory) -> float:
    """Mean over all pages; where there are more than MANY, over that many, and as it was at the last refresh."""
    if _mean_is_kept(memory):
        return float(memory.numbers[MEAN_IMPORTANCE])
    total, pages = 0.0, int(memory.numbers[PAGE_COUNT])
    counted = min(pages, MANY)
    for j in range(counted):
        total += importance(memory, j * pages // counted)
    return total / max(counted, 1)


@jit
def keep_mean(memory: Memory) -> None:
    """Take the mean over very many pages anew: every page that is added without an importance asks for it."""
    numbers = memory.numbers
    if numbers[PAGE_COUNT] > MANY:
        numbers[MEAN_OF] = 0.0
        numbers[MEAN_IMPORTANCE] = mean_importance(memory)
        numbers[MEAN_OF] = numbers[PAGE_COUNT]


@jit
def keep_mean_of_more(memory: Memory) -> None:
    """The same, if there are many more pages than then."""
    if not _mean_is_kept(memory):
        keep_mean(memory)


@jit
def _mean_is_kept(memory: Memory) -> bool:
    pages = memory.numbers[PAGE_COUNT]
    return bool(MANY < pages <= 1.02 * memory.numbers[MEAN_OF])


def scale_back(memory: Memory, now: float) -> None:
    """Keep counts of `now` within float32: after many half-lives all are scaled to REQUESTS_AT = now."""
    numbers = memory.numbers
    if now - numbers[REQUESTS_AT] > MOST_GROWTH * numbers[REQUEST_HALF_LIFE]:
        with np.errstate(over="ignore"):  # what is more than a thousand half-lives old is gone
            grown = np.float64(2.0) ** ((now - numbers[REQUESTS_AT]) / numbers[REQUEST_HALF_LIFE])
        memory.sums[:, REQUESTS] = memory.sums[:, REQUESTS] / grown
        numbers[REQUESTS_AT] = now


def record(memory: Memory, ids: Ids, asked: Array, now: float, begun: float) -> None:
    """Add requests; importance is learned from the first on, watched since `begun`."""
    numbers = memory.numbers
    if numbers[REQUESTS_FROM] == math.inf:
        numbers[LEAST_IMPORTANCE] = numbers[IMPORTANCE_FLOOR] * mean_importance(memory)
        numbers[[REQUESTS_FROM, REQUESTS_AT]] = begun
    scale_back(memory, now)
    np.add.at(memory.sums[:, REQUESTS], ids, (asked * request_scale(memory, now)).astype(np.float32))
