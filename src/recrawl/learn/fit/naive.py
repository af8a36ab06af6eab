"""The paper's statistical estimator of signal quality, for comparison: it is biased, and why is below."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recrawl.errors import UndeterminedError
from recrawl.learn.outcomes import outcomes


@dataclass(frozen=True)
class Naive:
    """Counts of intervals, and the shares the paper makes of them."""

    signalled: float
    changed: float
    both: float

    @property
    def precision(self) -> float:
        """Intervals with a signal and a change, of those with a signal (the paper prints another denominator)."""
        if self.signalled == 0.0:
            raise UndeterminedError("precision cannot be told: no interval had a signal")
        return self.both / self.signalled

    @property
    def recall(self) -> float:
        """Intervals with a signal and a change, of those with a change."""
        if self.changed == 0.0:
            raise UndeterminedError("recall cannot be told: no interval changed")
        return self.both / self.changed


def naive(elapsed: ArrayLike, signals: ArrayLike, changed: ArrayLike, weights: ArrayLike | None = None) -> Naive:
    """The share of intervals where signal and change fell together (paper, appendix on estimation).

    Both come out too high: a false signal in an interval that happens to contain a change counts as true, the more so
    the longer the intervals.

    >>> found = naive(elapsed=[1.0, 1.0, 1.0, 1.0], signals=[1, 1, 0, 2], changed=[1, 0, 1, 1])
    >>> round(found.precision, 4), round(found.recall, 4)
    (0.6667, 0.6667)
    """
    data = outcomes(elapsed, signals, changed, weights=weights)
    signalled = (data.features[:, 1:] > 0.0).any(axis=1)
    w = data.weights
    return Naive(
        float(w @ signalled), float(w @ data.changed), float(w @ np.logical_and(signalled, data.changed).astype(float))
    )
