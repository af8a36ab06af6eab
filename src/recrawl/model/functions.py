"""The public functions of a page: checked, broadcast over NumPy arrays, computed by the kernels.

Every function takes Pages of length m and an array that broadcasts against shape (m,): a scalar, one number a page, or
a grid with pages along the last axis.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl._jit import jit
from recrawl.arguments import numbers
from recrawl.errors import InputError
from recrawl.model import scalar
from recrawl.model.inverse import inverse
from recrawl.model.pages import Pages, some_pages

Array = NDArray[np.float64]


@jit
def _values(x: Array, alpha: Array, kappa: Array, gamma: Array, mu: Array, terms: int, out: Array) -> None:
    for row in range(x.shape[0]):
        for i in range(x.shape[1]):
            out[row, i] = scalar.value(x[row, i], alpha[i], kappa[i], gamma[i], mu[i], terms)


@jit
def _lengths(x: Array, alpha: Array, kappa: Array, gamma: Array, _mu: Array, _terms: int, out: Array) -> None:
    for row in range(x.shape[0]):
        for i in range(x.shape[1]):
            out[row, i] = scalar.psi(x[row, i], alpha[i], kappa[i], gamma[i])


@jit
def _fresh_times(x: Array, alpha: Array, kappa: Array, gamma: Array, _mu: Array, _terms: int, out: Array) -> None:
    for row in range(x.shape[0]):
        for i in range(x.shape[1]):
            out[row, i] = scalar.w(x[row, i], alpha[i], kappa[i], gamma[i])


@jit
def _thresholds(v: Array, alpha: Array, kappa: Array, gamma: Array, mu: Array, terms: int, out: Array) -> None:
    for row in range(v.shape[0]):
        for i in range(v.shape[1]):
            out[row, i] = inverse(v[row, i], alpha[i], kappa[i], gamma[i], mu[i], terms)


def _over_pages(
    kernel: Callable[..., Any], pages: Pages, name: str, argument: ArrayLike, terms: int = 0, least: float = 0.0
) -> Array:
    some_pages(pages)
    values = broadcastable(pages, name, argument, least)
    shape = np.broadcast_shapes(values.shape, (len(pages),))
    grid = np.ascontiguousarray(np.broadcast_to(values, shape)).reshape(math.prod(shape[:-1]), shape[-1])
    columns = [np.ascontiguousarray(np.broadcast_to(c, shape[-1:])) for c in pages.columns]
    out = np.empty(grid.shape)
    kernel(grid, *columns, terms, out)
    return out.reshape(shape)


def broadcastable(pages: Pages, name: str, values: ArrayLike, least: float = -np.inf) -> Array:
    """`values` as float64 with no NaN and none below `least`, whose shape goes with the pages."""
    array = numbers(name, values)
    try:
        np.broadcast_shapes(array.shape, (len(pages),))
    except ValueError:
        raise InputError(
            f"{name} must be a scalar or have one entry for each of the {len(pages)} pages along its last axis, "
            f"got shape {array.shape}",
            argument=name,
        ) from None
    bad = ~(array >= least)
    if bad.any():
        where = np.unravel_index(int(np.argmax(bad)), array.shape) if array.ndim else ()
        place = f" in row {int(where[-1])}" if where else ""
        rule = "be a number" if least == -np.inf else f"be >= {least:g}"
        raise InputError(
            f"{name} must {rule}, got {array[where]}{place}", argument=name, row=int(where[-1]) if where else None
        )
    return array


def staleness(pages: Pages, elapsed: ArrayLike, signals: ArrayLike) -> Array:
    """The staleness x = alpha elapsed + kappa signals since the last crawl; the copy is fresh with probability e^-x.

    One signal makes it infinite where no signal is false (kappa = inf).

    >>> pages = Pages.from_rates(change_rate=1.0, importance=1.0, recall=0.5, false_signal_rate=0.5)
    >>> staleness(pages, elapsed=2.0, signals=1).round(6).tolist()
    [1.693147]
    """
    tau = broadcastable(pages, "elapsed", elapsed, least=0.0)
    n = broadcastable(pages, "signals", signals, least=0.0)
    with np.errstate(invalid="ignore"):
        jumps = np.where((n > 0.0) & (pages.signal_weight > 0.0), pages.signal_weight * n, 0.0)
        drift = np.where(pages.unsignalled_rate > 0.0, pages.unsignalled_rate * tau, 0.0)
    result: Array = drift + jumps
    return result


def crawl_value(pages: Pages, x: ArrayLike, terms: int = 0) -> Array:
    r"""The crawl value V(x) = mu (w(x) - e^-x psi(x)) = mu \int_0^x e^-u psi(u) du, exact at constant cost.

    It grows from V(0) = 0 to V(inf) = mu/Delta.  A page that never changes or that nobody asks for has value 0.
    `terms` = J > 0 takes the first J terms of the paper's sum only (its approximations; for comparison).

    >>> pages = Pages.from_rates(change_rate=1.0, importance=1.0, recall=0.5, false_signal_rate=0.5)
    >>> crawl_value(pages, [[0.5], [1.0], [float("inf")]]).round(6).ravel().tolist()
    [0.134513, 0.321103, 1.0]
    """
    _check_terms(terms)
    return _over_pages(_values, pages, "x", x, terms)


def cycle_length(pages: Pages, x: ArrayLike) -> Array:
    """The mean time psi(x) from a crawl until staleness reaches x; 1/psi is the crawl rate at threshold x.

    >>> cycle_length(Pages.from_rates(change_rate=2.0, importance=1.0), 3.0).tolist()
    [1.5]
    """
    return _over_pages(_lengths, pages, "x", x)


def cycle_freshness(pages: Pages, x: ArrayLike) -> Array:
    """The mean time w(x) for which the copy is fresh within a cycle of threshold x; w/psi is the long-run freshness.

    >>> cycle_freshness(Pages.from_rates(change_rate=2.0, importance=1.0), float("inf")).tolist()
    [0.5]
    """
    return _over_pages(_fresh_times, pages, "x", x)


def threshold(pages: Pages, value: ArrayLike, terms: int = 0) -> Array:
    """The staleness x at which V(x) = value; inf where V(inf) <= value, 0 where the value is not above 0.

    >>> pages = Pages.from_rates(change_rate=1.0, importance=1.0, recall=0.5, false_signal_rate=0.5)
    >>> threshold(pages, [[0.25], [1.0]]).round(6).ravel().tolist()
    [0.805675, inf]
    """
    _check_terms(terms)
    return _over_pages(_thresholds, pages, "value", value, terms, least=-np.inf)


def _check_terms(terms: int) -> None:
    if not isinstance(terms, (int, np.integer)) or terms < 0:
        raise InputError(f"terms must be a whole number >= 0 (0 means all of them), got {terms!r}", argument="terms")
