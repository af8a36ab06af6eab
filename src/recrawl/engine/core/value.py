"""Staleness and value of a page: the same operations in the same order for scan and scheduler, to the last bit.

The scheduler's own calls, `value_at` and `look`, are counted: its cost is how often it has to look.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, inlined, inner
from recrawl.engine.core import tables as shared
from recrawl.engine.core.layout import ALPHA, CRAWLED, DELTA, EVALUATIONS, GAMMA, JUMPS, KAPPA, MU, TERMS, Core
from recrawl.model.kernels import change_rate
from recrawl.model.scalar import FLAT

Numbers = NDArray[np.float64]


@inner
def staleness_at(numbers: Numbers, tables: Numbers, i: int, now: float) -> float:
    """x = alpha (time since the crawl) + what signals added since; a crawl in the future is no age.

    Late signals add (Delta - alpha) H(age), the changes whose signal is still under way.
    """
    age = max(now - numbers[i, CRAWLED], 0.0)
    x = numbers[i, ALPHA] * age
    if tables.shape[0] > 0:
        x += (numbers[i, DELTA] - numbers[i, ALPHA]) * shared.unannounced(tables.ctypes, age)
    return x + numbers[i, JUMPS]


@inner
def age_of_staleness(numbers: Numbers, tables: Numbers, i: int, x: float) -> float:
    """How long after its crawl time and what signals added bring a page to staleness x; inf where they never do."""
    rest = x - numbers[i, JUMPS]
    if tables.shape[0] > 0:
        announced = numbers[i, DELTA] - numbers[i, ALPHA]
        return shared.age_at(tables.ctypes, numbers[i, ALPHA], announced, rest)
    return rest / numbers[i, ALPHA] if numbers[i, ALPHA] > 0.0 else np.inf


@inner
def steady(numbers: Numbers, tables: Numbers, i: int, x: float, terms: int) -> bool:
    """Whether the value at staleness x, computed, is the same to the last bit for as long as no signal comes."""
    if tables.shape[0] > 0:
        return x == np.inf
    return numbers[i, ALPHA] == 0.0 or x == np.inf or numbers[i, MU] == 0.0 or (terms == 0 and x >= FLAT)


@bare
def weight_of(numbers: Numbers, tables: Numbers, i: int, weight: float, time: float) -> float:
    """What a signal that arrives at `time` adds to staleness, where it adds `weight` long after the crawl."""
    if tables.shape[0] > 0:
        return shared.weight_at(tables.ctypes, weight, time - numbers[i, CRAWLED])
    return weight


@inner
def value_of(numbers: Numbers, tables: Numbers, i: int, x: float, terms: int) -> float:
    """The crawl value at staleness x."""
    alpha, kappa, gamma, mu = numbers[i, ALPHA], numbers[i, KAPPA], numbers[i, GAMMA], numbers[i, MU]
    if tables.shape[0] > 0:
        return shared.value(x, alpha, kappa, gamma, mu, numbers[i, DELTA], terms, tables.ctypes, tables.shape[1])
    return shared.plain_value(x, alpha, kappa, gamma, mu, numbers[i, DELTA], terms)


@inner
def value_with_slope_of(numbers: Numbers, tables: Numbers, i: int, x: float, terms: int, slope: Numbers) -> float:
    """The crawl value at staleness 0 < x < inf, the same to the last bit; dV/dx goes to slope[0]."""
    if tables.shape[0] > 0:
        return shared.value_with_slope(
            x,
            numbers[i, ALPHA],
            numbers[i, KAPPA],
            numbers[i, GAMMA],
            numbers[i, MU],
            numbers[i, DELTA],
            terms,
            tables.ctypes,
            tables.shape[1],
            slope.ctypes,
        )
    return shared.plain_value_with_slope(
        x,
        numbers[i, ALPHA],
        numbers[i, KAPPA],
        numbers[i, GAMMA],
        numbers[i, MU],
        numbers[i, DELTA],
        terms,
        slope.ctypes,
    )


@inner
def set_parameters(numbers: Numbers, i: int, alpha: float, kappa: float, gamma: float, mu: float) -> None:
    """Write the numbers of a page that do not change by themselves; gamma < 0 means a class of sources (tables.py)."""
    numbers[i, ALPHA], numbers[i, KAPPA], numbers[i, GAMMA], numbers[i, MU] = alpha, kappa, gamma, mu
    numbers[i, DELTA] = kappa if gamma < 0.0 else change_rate(alpha, kappa, gamma)


@bare
def set_all_parameters(numbers: Numbers, ids: NDArray[np.int64], columns: Numbers) -> None:
    """`set_parameters` of many rows, from columns alpha, kappa, gamma, mu."""
    for k in range(len(ids)):
        set_parameters(numbers, ids[k], columns[0, k], columns[1, k], columns[2, k], columns[3, k])


@bare
def values_at(numbers: Numbers, tables: Numbers, ids: NDArray[np.int64], now: float, terms: int, out: Numbers) -> None:
    """The values of many rows."""
    for k in range(len(ids)):
        out[k] = value_of(numbers, tables, ids[k], staleness_at(numbers, tables, ids[k], now), terms)


@bare
def stalenesses_at(numbers: Numbers, tables: Numbers, ids: NDArray[np.int64], now: float, out: Numbers) -> None:
    """The stalenesses of many rows."""
    for k in range(len(ids)):
        out[k] = staleness_at(numbers, tables, ids[k], now)


@inner
def value_at(core: Core, i: int, x: float) -> float:
    """The value of page i at staleness x."""
    core.rest[EVALUATIONS] += 1
    return value_of(core.numbers, core.tables, i, x, core.rest[TERMS])


@inner
def look(core: Core, i: int, now: float) -> tuple[float, float, float]:
    """Staleness of page i, its value, and the slope of that."""
    x = staleness_at(core.numbers, core.tables, i, now)
    if x <= 0.0:
        return x, 0.0, 0.0
    core.rest[EVALUATIONS] += 1
    if x >= FLAT and (core.rest[TERMS] == 0 or x == math.inf):
        return x, value_of(core.numbers, core.tables, i, x, core.rest[TERMS]), 0.0
    value = value_with_slope_of(core.numbers, core.tables, i, x, core.rest[TERMS], core.slope)
    return x, value, core.slope[0]


@inlined
def overdue(core: Core, i: int, now: float) -> bool:
    """Whether page i is past its greatest age."""
    return len(core.max_age) > 0 and now - core.numbers[i, CRAWLED] >= core.max_age[i]
