"""Times and ids as callers give them: checked once, for everything that keeps the state of pages."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.errors import InputError

Ids = NDArray[np.int64]


def finite_time(now: float, least: float = -math.inf, name: str = "now") -> float:
    """`now` as a float, refused where it is not finite or before `least`."""
    if not isinstance(now, (int, float, np.number)) or not math.isfinite(now) or now < least:
        after = f" and not before {least}, the time of the last call" if math.isfinite(least) else ""
        raise InputError(f"{name} must be a finite time{after}, got {now!r:.80}", argument=name)
    return float(now)


def whole_ids(ids: ArrayLike) -> Ids:
    """One or many ids as whole numbers; whether there are such pages is for the caller to say."""
    try:
        given = np.atleast_1d(np.asarray(ids))
    except ValueError:  # ragged
        given = np.atleast_2d(np.nan)
    if given.size == 0:
        return np.empty(0, dtype=np.int64)
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise InputError(f"ids must be whole numbers, got {ids!r:.80}", argument="ids")
    return np.ascontiguousarray(given, dtype=np.int64)
