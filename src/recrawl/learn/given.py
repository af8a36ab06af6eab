"""What callers hand to the learner, checked."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.errors import InputError
from recrawl.model.arguments import Ids, whole_ids
from recrawl.model.pages import column


def at_least_0(name: str, value: float) -> float:
    """A finite number >= 0."""
    if not isinstance(value, (int, float, np.number)) or not 0.0 <= value < math.inf:
        raise InputError(f"{name} must be finite and >= 0, got {value!r:.80}", argument=name)
    return float(value)


def positive(name: str, value: float, least: float) -> float:
    """A number above `least`; infinity is one."""
    if not isinstance(value, (int, float, np.number)) or not value > least:
        raise InputError(f"{name} must be > {least:g}, got {value}", argument=name)
    return float(value)


def checked_ids(ids: ArrayLike, pages: int) -> Ids:
    """Ids of pages there are."""
    given = whole_ids(ids)
    bad = (given < 0) | (given >= pages)
    if bad.any():
        raise InputError(f"ids must be those of pages, from 0 to {pages - 1}, got {given[np.argmax(bad)]}", "ids")
    return given


MOST = 1e15
"""Sums are kept in 32 bits."""


def counts(name: str, values: ArrayLike, n: int) -> NDArray[np.float64]:
    """One number from 0 to MOST for each of n, or one for all."""
    given = column(name, values)
    if given.ndim and len(given) not in (1, n):
        raise InputError(f"{name} must be one or one for each of {n}, got {len(given)}", argument=name)
    bad = ~((given >= 0.0) & (given <= MOST))
    if np.any(bad):
        row = int(np.argmax(bad)) if given.ndim else 0
        wrong = np.atleast_1d(given)[row]
        rule = f"at most {MOST:g}" if MOST < wrong < np.inf else "finite and >= 0"
        raise InputError(f"{name} must be {rule}, got {wrong} in row {row}", argument=name, row=row)
    return np.array(np.broadcast_to(given, (n,)))


def flags(name: str, values: ArrayLike, n: int) -> NDArray[np.bool_]:
    """One yes or no for each of n."""
    given = counts(name, np.asarray(values, dtype=np.float64), n)
    bad = (given != 0.0) & (given != 1.0)
    if bad.any():
        raise InputError(f"{name} must be 0 or 1, got {given[np.argmax(bad)]}", argument=name)
    return np.asarray(given != 0.0)


def labels(name: str, values: ArrayLike | None, n: int, dtype: type[Any], dense: int) -> NDArray[Any]:
    """One number >= 0 for each of n, -1 for none; not above `dense`, for each number up to the highest takes memory."""
    if values is None:
        return np.full(n, -1, dtype=dtype)
    given = np.asarray(values)
    most = np.iinfo(dtype).max
    if (
        given.shape not in ((), (n,))
        or not np.issubdtype(given.dtype, np.integer)
        or np.any(given < -1)
        or np.any(given > most)
    ):
        raise InputError(f"{name} must be {n} whole numbers from 0 to {most} (-1: none)", argument=name)
    if given.size and given.max() > dense:
        raise InputError(f"{name} must be numbered without gaps, 0, 1, 2, ..., got {given.max()}", argument=name)
    return np.array(np.broadcast_to(given, (n,)), dtype=dtype)
