"""Staleness and value of one row: the same operations in the same order for scan and scheduler, to the last bit."""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, opaque
from recrawl.engine.layout import (
    ALPHA,
    CRAWLED,
    DELTA,
    GAMMA,
    JUMPS,
    KAPPA,
    MU,
)
from recrawl.model import scalar
from recrawl.model.inverse import inverse
from recrawl.model.kernels import change_rate

Numbers = NDArray[np.float64]

# Behind an address: the engine's kernels would otherwise compile the maths again each.
_value = opaque(scalar.value_given_delta.py_func, "ffffffi")  # type: ignore[attr-defined]
_value_with_slope = opaque(scalar.value_with_slope.py_func, "ffffffip")  # type: ignore[attr-defined]
_inverse = opaque(inverse.py_func, "fffffi")  # type: ignore[attr-defined]


@bare
def staleness_at(numbers: Numbers, i: int, now: float) -> float:
    """x = alpha (time since the crawl) + what signals added since; a crawl in the future is no age."""
    return numbers[i, ALPHA] * max(now - numbers[i, CRAWLED], 0.0) + numbers[i, JUMPS]


@bare
def value_of(numbers: Numbers, i: int, x: float, terms: int) -> float:
    """The crawl value at staleness x."""
    return _value(x, numbers[i, ALPHA], numbers[i, KAPPA], numbers[i, GAMMA], numbers[i, MU], numbers[i, DELTA], terms)


@bare
def value_with_slope_of(numbers: Numbers, i: int, x: float, terms: int, slope: Numbers) -> float:
    """The crawl value at staleness 0 < x < inf, the same to the last bit; dV/dx goes to slope[0]."""
    return _value_with_slope(
        x,
        numbers[i, ALPHA],
        numbers[i, KAPPA],
        numbers[i, GAMMA],
        numbers[i, MU],
        numbers[i, DELTA],
        terms,
        slope.ctypes,
    )


@bare
def staleness_of_value(numbers: Numbers, i: int, value: float, terms: int) -> float:
    """The staleness at which the page is worth `value`, inf where it never is."""
    return _inverse(value, numbers[i, ALPHA], numbers[i, KAPPA], numbers[i, GAMMA], numbers[i, MU], terms)


@bare
def set_parameters(numbers: Numbers, i: int, alpha: float, kappa: float, gamma: float, mu: float) -> None:
    """Write the numbers of a page that do not change by themselves."""
    numbers[i, ALPHA], numbers[i, KAPPA], numbers[i, GAMMA], numbers[i, MU] = alpha, kappa, gamma, mu
    numbers[i, DELTA] = change_rate(alpha, kappa, gamma)


@bare
def set_all_parameters(numbers: Numbers, ids: NDArray[np.int64], columns: Numbers) -> None:
    """`set_parameters` of many rows, from columns alpha, kappa, gamma, mu."""
    for k in range(len(ids)):
        set_parameters(numbers, ids[k], columns[0, k], columns[1, k], columns[2, k], columns[3, k])


@bare
def values_at(numbers: Numbers, ids: NDArray[np.int64], now: float, terms: int, out: Numbers) -> None:
    """The values of many rows."""
    for k in range(len(ids)):
        out[k] = value_of(numbers, ids[k], staleness_at(numbers, ids[k], now), terms)


@bare
def stalenesses_at(numbers: Numbers, ids: NDArray[np.int64], now: float, out: Numbers) -> None:
    """The stalenesses of many rows."""
    for k in range(len(ids)):
        out[k] = staleness_at(numbers, ids[k], now)
