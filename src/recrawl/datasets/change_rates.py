"""Change rates by maximum likelihood from crawls that only say whether something changed since the last one."""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit

Array = NDArray[np.float64]

SMOOTHING = 0.5
LOWEST, HIGHEST = 0.0005, 7.0
"""Per day; the publishers of the data keep their estimates in between, and start each page with two made-up
intervals of half a day, one with a change and one without."""

_STEPS = 40


@jit
def _slope(rate: float, gaps: Array, changed: NDArray[np.bool_], quiet: float) -> float:
    """The derivative of the log-likelihood: sum over changed of g/(e^(rate g) - 1), less the unchanged time."""
    total = SMOOTHING / np.expm1(rate * SMOOTHING) - quiet
    for gap, change in zip(gaps, changed):  # noqa: B905 - numba knows no strict
        if change:
            # A change within no time at all: the limit of the term is 1/rate.
            total += gap / np.expm1(rate * gap) if gap > 0.0 else 1.0 / rate
    return float(total)


@jit
def change_rates(gaps: Array, changed: NDArray[np.bool_], starts: NDArray[np.int64], out: Array) -> None:
    """out[i] = the rate that makes gaps[starts[i]:starts[i+1]] likeliest, within [LOWEST, HIGHEST].

    The slope falls with the rate, so bisection finds its zero; forty halvings leave nothing of the range.
    """
    for i in range(len(out)):
        a, b = starts[i], starts[i + 1]
        quiet = SMOOTHING
        for j in range(a, b):
            if not changed[j]:
                quiet += gaps[j]
        low, high = LOWEST, HIGHEST
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            if _slope(middle, gaps[a:b], changed[a:b], quiet) > 0.0:
                low = middle
            else:
                high = middle
        out[i] = 0.5 * (low + high)
