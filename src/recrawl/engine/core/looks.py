"""What a page is worth, counted: the engine's cost is how often it has to look."""

import math

from recrawl._jit import inlined, inner
from recrawl.engine.core.layout import CRAWLED, EVALUATIONS, TERMS, Core
from recrawl.engine.core.page_value import staleness_at, value_of, value_with_slope_of
from recrawl.model.scalar import FLAT


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
