"""Every check of what callers pass, once: numbers, times, ids, and one value for each of many pages.

A check returns the value in the form the code works with, or raises an InputError that names the argument, the rule,
the value it got and, where there is one, the way out.
"""

import math
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.errors import InputError

Ids = NDArray[np.int64]
Values = NDArray[np.float64]

MOST_COUNT = 1e15
"""The highest count: sums of counts are kept in 32 bits."""
SPARE_LABELS = 100_000
"""How far numbers of hosts and the like may run ahead of what they label: each number takes memory, used or not."""


# -- one value --------------------------------------------------------------------------------------------------------


def real(value: object) -> float | None:
    """A real number as a float, NaN and infinities included; None for anything else.

    >>> real(2), real("2"), real(10**400)
    (2.0, None, None)
    """
    if not isinstance(value, (int, float, np.integer, np.floating)):
        return None
    if isinstance(value, np.generic) and value.dtype.kind == "m":  # a span of time counts as a whole number to numpy
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def finite_time(now: float, least: float = -math.inf, name: str = "now") -> float:
    """`now` as a float, refused where it is not finite or before `least`."""
    time = real(now)
    if time is None or not math.isfinite(time) or time < least:
        after = f" and not before {least}, the time of the last call" if math.isfinite(least) else ""
        raise InputError(f"{name} must be a finite time{after}, got {_shown(now)}", argument=name)
    return time


def whole_number(name: str, value: int, least: int) -> int:
    """`value` as an int, refused where it is not a whole number or below `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name} must be a whole number >= {least}, got {_shown(value)}", argument=name)
    return int(value)


def at_least_0(name: str, value: float) -> float:
    """A finite number >= 0."""
    number = real(value)
    if number is None or not 0.0 <= number < math.inf:
        raise InputError(f"{name} must be finite and >= 0, got {_shown(value)}", argument=name)
    return number


def above(name: str, value: float, least: float, *, finite: bool = False) -> float:
    """A number above `least`; infinity is one unless it must be `finite`."""
    number = real(value)
    if number is None or not number > least or (finite and number == math.inf):
        rule = f"finite and > {least:g}" if finite else f"> {least:g}"
        raise InputError(f"{name} must be {rule}, got {_shown(value)}", argument=name)
    return number


def between(name: str, value: float, least: float, most: float) -> float:
    """A number from `least` to `most`."""
    number = real(value)
    if number is None or not least <= number <= most:
        raise InputError(f"{name} must be from {least:g} to {most:g}, got {_shown(value)}", argument=name)
    return number


def _shown(value: object) -> str:
    """A value for a message, cut where it is long; whole numbers of 400 digits are."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


# -- columns ----------------------------------------------------------------------------------------------------------


def numbers(name: str, values: ArrayLike) -> Values:
    """`values` as float64, or an InputError; masked entries are NaN, which the checks then refuse."""
    try:
        if isinstance(values, np.ma.MaskedArray):
            values = np.ma.filled(values.astype(np.float64), np.nan)
        given = np.asarray(values)
        if given.dtype.kind in "biufO":
            return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{name} must be numbers, got {_shown(values)}", argument=name)


def column(name: str, values: ArrayLike) -> Values:
    """A scalar or one-dimensional array of float64, or an InputError that says what it is instead."""
    array = numbers(name, values)
    if array.ndim > 1:
        raise InputError(f"{name} must be a scalar or one-dimensional, got shape {array.shape}", argument=name)
    return array


def _one_or_each(name: str, values: ArrayLike, n: int) -> Values:
    """One number, or one for each of n; still in the shape it came in."""
    given = column(name, values)
    if given.ndim and len(given) not in (1, n):
        raise InputError(f"{name} must be one number or {n}, got {len(given)}", argument=name)
    return given


def _refuse(name: str, given: Values, bad: NDArray[np.bool_], rule: str) -> None:
    if np.any(bad):
        row = int(np.argmax(bad)) if given.ndim else 0
        wrong = np.atleast_1d(given)[row]
        raise InputError(f"{name} must be {rule}, got {wrong} in row {row}", argument=name, row=row)


def per_page(name: str, values: ArrayLike, n: int, *, positive: bool) -> Values:
    """One number a page, above 0 or not below it."""
    given = _one_or_each(name, values, n)
    _refuse(name, given, ~(given > 0.0) if positive else ~(given >= 0.0), "> 0" if positive else ">= 0")
    return np.array(np.broadcast_to(given, (n,)))


def counts(name: str, values: ArrayLike, n: int) -> Values:
    """One number from 0 to MOST_COUNT for each of n, or one for all."""
    given = _one_or_each(name, values, n)
    _refuse(name, given, ~((given >= 0.0) & (given < np.inf)), "finite and >= 0")
    _refuse(name, given, given > MOST_COUNT, f"at most {MOST_COUNT:g}")
    return np.array(np.broadcast_to(given, (n,)))


def flags(name: str, values: ArrayLike, n: int) -> NDArray[np.bool_]:
    """One yes or no for each of n; one for all only where n is one, since outcomes are not shared by accident."""
    given = column(name, values)
    if given.size != n:
        raise InputError(f"{name} must be one for each of {n}, got {given.size}", argument=name)
    _refuse(name, given, (given != 0.0) & (given != 1.0), "0 or 1")
    return np.asarray(np.broadcast_to(given != 0.0, (n,)))


def times(name: str, values: ArrayLike, n: int, ever: bool = False) -> Values:
    """One time, or one for each of n; -inf, "any time", only where `ever`."""
    one: object = values
    if isinstance(one, float) and math.isfinite(one):
        return np.array((one,))
    given = np.atleast_1d(_one_or_each(name, values, n))
    _refuse(name, given, np.isnan(given) | (given == np.inf) | ((given == -np.inf) & (not ever)), "a finite time")
    return np.array(given)


def labels(
    name: str,
    values: ArrayLike | None,
    n: int,
    dtype: type[Any],
    most: int,
    rule: str = "numbered without gaps, 0, 1, 2, ...",
) -> NDArray[Any]:
    """One whole number from 0 to `most` for each of n, -1 for none; `rule` is what those beyond `most` are told."""
    if values is None:
        return np.full(n, -1, dtype=dtype)
    try:
        given = np.asarray(values)
    except (ValueError, OverflowError):  # ragged, or beyond 64 bits
        given = np.empty((0, 0))
    if given.size == n == 0:
        return np.empty(0, dtype=dtype)
    if given.shape not in ((), (n,)) or not np.issubdtype(given.dtype, np.integer) or np.any(given < -1):
        raise InputError(f"{name} must be {n} whole numbers >= 0 (-1: none), got {_shown(values)}", argument=name)
    if given.size and given.max() > min(most, np.iinfo(dtype).max):
        raise InputError(f"{name} must be {rule}, got {given.max()}", argument=name)
    return np.array(np.broadcast_to(given, (n,)), dtype=dtype)


def folder_numbers(values: ArrayLike, n: int) -> NDArray[np.uint64]:
    """One whole number for each of n, equal for pages of one folder and 0 for none."""
    try:
        given = np.asarray(values)
    except (ValueError, OverflowError):  # ragged, or beyond 64 bits
        given = np.empty((0, 0))
    if given.size == n == 0:
        return np.empty(0, dtype=np.uint64)
    if given.shape != (n,) or not np.issubdtype(given.dtype, np.integer) or (given < 0).any():
        raise InputError(f"folders must be {n} whole numbers >= 0 (0: none), got {_shown(values)}", argument="folders")
    return given.astype(np.uint64)


# -- ids --------------------------------------------------------------------------------------------------------------


def whole_ids(ids: ArrayLike) -> Ids:
    """One or many ids as whole numbers; whether there are such pages is for the caller to say."""
    if is_plain(ids):
        return ids
    try:
        given = np.atleast_1d(np.asarray(ids))
    except (ValueError, OverflowError):  # ragged, or beyond 64 bits
        given = np.atleast_2d(np.nan)
    if given.size == 0 and given.ndim == 1:
        return np.empty(0, dtype=np.int64)
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise InputError(f"ids must be whole numbers, got {_shown(ids)}", argument="ids")
    return np.array(given, dtype=np.int64)


def is_plain(ids: ArrayLike) -> TypeGuard[Ids]:
    """Whether ids are what kernels take: there is nothing to convert.

    Read-only arrays are another kind to numba: kernels would be compiled once more for them.
    """
    if not isinstance(ids, np.ndarray) or ids.dtype != np.int64 or ids.ndim != 1:
        return False
    return bool(ids.flags.c_contiguous and ids.flags.writeable)


def known_ids(ids: ArrayLike, pages: int) -> Ids:
    """Ids of pages there are, from 0 to `pages` - 1."""
    given = whole_ids(ids)
    bad = (given < 0) | (given >= pages)
    if bad.any():
        raise unknown_id(given[np.argmax(bad)], pages)
    return given


def unknown_id(wrong: int, pages: int) -> InputError:
    """The error for an id that no page has; ids from 0 to `pages` - 1 were given out so far."""
    if not 0 <= wrong < pages:
        there = f"there are 0 to {pages - 1}" if pages else "there are none yet"
        return InputError(f"ids must be those of pages, got {wrong}; {there}", argument="ids")
    return InputError(f"ids must be those of pages, got {wrong}, which was removed", argument="ids")


def all_different(ids: Ids) -> Ids:
    """The ids, refused where one occurs twice."""
    if len(ids) > 1:
        rising = np.sort(ids)
        again = rising[1:] == rising[:-1]
        if again.any():
            twice = rising[np.argmax(again)]
            raise InputError(f"ids must differ, got {twice} more than once; name each page once a call", argument="ids")
    return ids


def some_importance(importance: Values) -> None:
    """Refuse pages of which none matters: no freshness weighted by importance is better than another."""
    if len(importance) and not importance.any():
        count = len(importance)
        which = "the page" if count == 1 else f"all {count} pages"
        raise InputError(
            f"importance must be positive for some page, got 0 for {which}; leave it out where all matter alike",
            argument="importance",
        )
