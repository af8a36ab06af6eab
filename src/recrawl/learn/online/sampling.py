"""Which pages priors are learned from when there are very many: the first of every host, then the second, and so on."""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit

SAMPLE = 10_000
A_HOST = 16
"""Priors come from SAMPLE pages, or from A_HOST pages of each host where that is more."""


@jit
def sample_size(hosts: int) -> int:
    """How many pages are enough."""
    return max(SAMPLE, A_HOST * hosts)


@jit
def quota(tally: NDArray[np.int32], most: int) -> tuple[int, int]:
    """How many pages of each host are in a sample of `most`, and how many hosts have one more.

    `tally` has how many pages each host has; together they have more than `most`.

    >>> quota(np.array([3, 1, 2], dtype=np.int32), 4)
    (1, 1)
    """
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _taken(tally, middle) <= most:
            low = middle
        else:
            high = middle
    return low, most - _taken(tally, low)


@jit
def _taken(tally: NDArray[np.int32], each: int) -> int:
    total = 0
    for n in tally:
        total += min(n, each)
    return total
