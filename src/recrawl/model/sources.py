"""Several sources of signals for the same pages: what a lone signal weighs, and that a coincidence is certain news."""

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import numbers
from recrawl.errors import InputError
from recrawl.model.source_table import SIZE, solve_table

Array = NDArray[np.float64]

NEVER = -1.0
"""The weight of a source that announces nothing: its signals are not even heard."""

_NOISE = 1e-9
"""A weight below this moves nothing a float would show."""


class Sources:
    """Classes of pages by the quality of their sources: one row a class, one column a source.

    ===================== ============ ===================================================================
    `recall`              lambda_k     share of the changes that source k signals, each independently
    `false_per_change`    nu_k/Delta   its false signals per change of the page
    ===================== ============ ===================================================================

    Rates are per change, so that pages of one class may change at different rates.  `from_rates` takes them per unit of
    time.  Signals of several sources at once are a *coincidence*: false signals practically never make one.

    >>> both = Sources(recall=[0.5, 0.4], false_per_change=[0.2, 0.6])
    >>> both.unsignalled_share.round(6).tolist(), both.coincidence_rate.round(6).tolist()
    ([0.3], [0.2])
    >>> both.lone_rate.round(6).tolist(), both.weight.round(4).tolist()
    ([[0.5, 0.8]], [[0.9163, 0.2877]])
    """

    def __init__(self, recall: ArrayLike, false_per_change: ArrayLike) -> None:
        shares, false = _alike(recall=recall, false_per_change=false_per_change)
        if shares.ndim != 2 or shares.shape[1] < 1:
            raise InputError(f"recall must have one row a class, one column a source, got shape {shares.shape}")
        _refuse("recall", shares, (shares >= 0.0) & (shares <= 1.0), "be in [0, 1]")
        _refuse("false_per_change", false, (false >= 0.0) & (false < np.inf), "be finite and >= 0")
        self.recall, self.false_per_change = shares.copy(), false.copy()

    @classmethod
    def from_rates(cls, change_rate: ArrayLike, recall: ArrayLike, false_signal_rate: ArrayLike) -> Self:
        """Classes from false signals per unit of time, for pages of this change rate > 0.

        >>> Sources.from_rates([2.0], recall=[[0.5, 0.4]], false_signal_rate=[[0.4, 1.2]]).false_per_change.tolist()
        [[0.2, 0.6]]
        """
        delta = np.atleast_1d(numbers("change_rate", change_rate))
        if delta.ndim != 1 or not np.all((delta > 0.0) & (delta < np.inf)):
            raise InputError(
                "change_rate must be finite and > 0 for each class; pages that never change need none", "change_rate"
            )
        false, rates = _alike(false_signal_rate=false_signal_rate, change_rate=delta[:, None])
        return cls(recall, false / rates)

    def __len__(self) -> int:
        return len(self.recall)

    @property
    def count(self) -> int:
        """How many sources there are."""
        return int(self.recall.shape[1])

    @property
    def unsignalled_share(self) -> Array:
        """alpha/Delta, the share of changes that no source signals."""
        return np.asarray(np.prod(1.0 - self.recall, axis=1))

    @property
    def lone_true(self) -> Array:
        """Changes that source k alone signals, per change."""
        others = [np.prod(1.0 - np.delete(self.recall, k, axis=1), axis=1) for k in range(self.count)]
        return np.asarray(self.recall * np.stack(others, axis=1))

    @property
    def lone_rate(self) -> Array:
        """g_k/Delta, lone signals of source k per change of the page, true or false."""
        return np.asarray(self.false_per_change + self.lone_true)

    @property
    def coincidence_rate(self) -> Array:
        """c/Delta, the share of changes that two or more sources signal."""
        return np.asarray(np.maximum(1.0 - self.unsignalled_share - self.lone_true.sum(axis=1), 0.0))

    @cached_property
    def weight(self) -> Array:
        """kappa_k = log(g_k/nu_k), what a lone signal adds to staleness; -1 for a source that announces no change.

        inf where no signal is false; 0 where a lone signal is never true (another source signals every change).
        """
        with np.errstate(divide="ignore", over="ignore"):
            ratio = np.divide(
                self.lone_true,
                self.false_per_change,
                out=np.full_like(self.recall, np.inf),
                where=self.false_per_change > 0.0,
            )
        return np.where(self.recall > 0.0, np.log1p(ratio), NEVER)

    @cached_property
    def tables(self) -> Array:
        """The solution of each class on the grid, then the weights of its sources."""
        out = np.empty((len(self), SIZE + self.count))
        for row in range(len(self)):
            weights = self.weight[row]
            certain = weights == np.inf
            jumps = (weights > _NOISE) & ~certain
            lone, ended = self.lone_rate[row], float(self.coincidence_rate[row])
            solve_table(
                float(self.unsignalled_share[row]), lone[jumps], weights[jumps], ended + lone[certain].sum(), out[row]
            )
        out[:, SIZE:] = self.weight
        return out


def _alike(**columns: ArrayLike) -> tuple[Array, ...]:
    """Arrays of one shape: a row a class, a column a source; one row or column counts for all."""
    found = {name: np.atleast_2d(numbers(name, values)) for name, values in columns.items()}
    try:
        return tuple(np.broadcast_arrays(*found.values()))
    except ValueError:
        names, shapes = " and ".join(found), " and ".join(str(values.shape) for values in found.values())
        raise InputError(
            f"{names} must have as many rows and columns each, got shapes {shapes}", next(iter(found))
        ) from None


def _refuse(name: str, values: Array, good: NDArray[np.bool_], rule: str) -> None:
    if not good.all():
        row, source = (int(i) for i in np.argwhere(~good)[0])
        raise InputError(f"{name} must {rule}, got {values[row, source]} in row {row}", argument=name, row=row)
