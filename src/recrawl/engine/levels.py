"""Where the level will be after many pages have got new parameters.

Pages sleep under bounds a little below the level.  When all values fall together (a learner finds that everything
changes more slowly), so will the level, and every page put to sleep under a bound between the two would have to be
looked at by one decision.  So the level is lowered before: by as much as the high values of a sample fall.  A level
too low costs little and rises again within a few dozen decisions; what is decided does not depend on it.
"""

import numpy as np
from numpy.typing import NDArray

from recrawl.engine.core.layout import LAST, LEVEL, LOWEST, TERMS, Core
from recrawl.engine.core.value import set_all_parameters, values_at

MANY = 64
"""From one page in this many on, an update may move the level."""
SAMPLE = 1024
_HIGH = 16
"""The highest one in this many of the sample tell how values have moved."""
_BELOW = 0.97
"""A little lower than the sample says: too low costs less than too high."""


def lower_levels(core: Core, ids: NDArray[np.int64], columns: NDArray[np.float64], now: float) -> None:
    """Lower the levels as the new parameters, `columns` of alpha, kappa, gamma and mu, will lower values."""
    some = np.linspace(0, len(ids) - 1, SAMPLE).astype(np.int64)
    rows, terms = core.numbers[ids[some]], int(core.rest[TERMS])
    fell = _high_value(rows, core, now, terms)
    set_all_parameters(rows, np.arange(SAMPLE), columns[:, some])
    to = _high_value(rows, core, now, terms)
    if 0.0 < to < fell:
        for column in (LEVEL, LAST, LOWEST):  # one by one: a list of columns would be copied out and back
            core.pool_numbers[:, column] *= _BELOW * to / fell


def _high_value(rows: NDArray[np.float64], core: Core, now: float, terms: int) -> float:
    values = np.empty(len(rows))
    values_at(rows, core.tables, np.arange(len(rows)), now, terms, values)
    return float(np.partition(values, -len(rows) // _HIGH)[-len(rows) // _HIGH])
