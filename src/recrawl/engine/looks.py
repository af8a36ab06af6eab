"""What a page is worth, counted: the engine's cost is how often it has to look."""

from recrawl._jit import inner
from recrawl.engine.layout import (
    ALPHA,
    CRAWLED,
    EVALUATIONS,
    GAMMA,
    JUMPS,
    KAPPA,
    MU,
    TERMS,
    Core,
)
from recrawl.engine.page_value import staleness_at, value_of, value_with_slope_of


@inner
def value_now(core: Core, i: int, now: float) -> float:
    """The value of page i, counted."""
    core.rest[EVALUATIONS] += 1
    return value_of(core.numbers, core.tables, i, staleness_at(core.numbers, core.tables, i, now), core.rest[TERMS])


@inner
def value_beside(core: Core, i: int, now: float, other: int, value: float) -> float:
    """The value of page i, where that of page `other` (-1: none) at the same time is known: often it is the same."""
    numbers = core.numbers
    if other < 0:
        return value_now(core, i, now)
    for column in (ALPHA, CRAWLED, JUMPS, KAPPA, GAMMA, MU):
        if numbers[i, column] != numbers[other, column]:
            return value_now(core, i, now)
    return value


@inner
def value_at(core: Core, i: int, x: float) -> float:
    """The value of page i at staleness x."""
    core.rest[EVALUATIONS] += 1
    return value_of(core.numbers, core.tables, i, x, core.rest[TERMS])


@inner
def value_and_slope(core: Core, i: int, x: float) -> tuple[float, float]:
    """V and dV/dx at 0 < x < inf."""
    core.rest[EVALUATIONS] += 1
    value = value_with_slope_of(core.numbers, core.tables, i, x, core.rest[TERMS], core.slope)
    return value, core.slope[0]


@inner
def overdue(core: Core, i: int, now: float) -> bool:
    """Whether page i is past its greatest age."""
    return len(core.max_age) > 0 and now - core.numbers[i, CRAWLED] >= core.max_age[i]
