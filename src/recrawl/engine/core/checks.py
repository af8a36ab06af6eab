"""Small checks of what callers pass, over a few arrays only: unpacking all of a core costs more than most calls do."""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare
from recrawl.engine.core.layout import DEAD, LEASED, Ids, Values
from recrawl.engine.core.places import state_in
from recrawl.model.kernels import change_rate

Links = NDArray[np.int32]


@bare
def first_unknown(links: Links, known: int, ids: Ids) -> int:
    """The number of the first id that is not that of a page, -1 where all are."""
    for k in range(len(ids)):
        if not 0 <= ids[k] < known or state_in(links, ids[k]) == DEAD:
            return k
    return -1


@bare
def first_not_leased(links: Links, ids: Ids) -> int:
    """The number of the first id whose page is not in flight, -1 where all are."""
    for k in range(len(ids)):
        if state_in(links, ids[k]) != LEASED:
            return k
    return -1


@bare
def first_leased(links: Links, ids: Ids) -> int:
    """The number of the first id whose page is in flight, -1 where none is."""
    for k in range(len(ids)):
        if state_in(links, ids[k]) == LEASED:
            return k
    return -1


@bare
def fill_columns(alpha: Values, kappa: Values, gamma: Values, mu: Values, most: float, out: Values) -> int:
    """Copy columns into one table; the first page whose value may exceed `most`, -1 where there is none."""
    for k in range(len(alpha)):
        out[0, k], out[1, k], out[2, k], out[3, k] = alpha[k], kappa[k], gamma[k], mu[k]
        delta = change_rate(alpha[k], kappa[k], gamma[k])
        if delta > 0.0 and not mu[k] / delta <= most:
            return k
    return -1
