"""The quality of one source of signals, whatever the other sources do.

Changes it does not tell of are independent of its signals, so the likelihood of one source (fit.py) holds for each of
several, be they independent or copies of each other.  What it says is a measure for estimates that assume more.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recrawl.errors import UndeterminedError
from recrawl.learn.fit.fit import Fit, fit


class Alone(NamedTuple):
    """Recall and precision with standard errors; NaN, with an error of inf, where the crawls cannot tell."""

    recall: float
    recall_error: float
    precision: float
    precision_error: float


def fit_alone(elapsed: ArrayLike, signals: ArrayLike, changed: ArrayLike) -> Alone:
    """Of the source whose `signals` these are, from crawls as for `fit`.

    >>> found = fit_alone(np.ones(80), np.tile([0, 1, 1, 0], 20), np.tile([0, 1, 0, 1, 0, 1, 1, 0], 10))
    >>> round(found.precision, 2), round(found.precision_error, 2)
    (0.67, 0.1)
    """
    found = fit(elapsed, signals, changed)
    return Alone(*_recall(found), *_precision(found))


def _precision(found: Fit) -> tuple[float, float]:
    try:
        value = float(found.precision)
    except UndeterminedError:
        return np.nan, np.inf
    return value, float((1.0 - value) * np.sqrt(found.covariance[1, 1])) if value < 1.0 else np.inf


def _recall(found: Fit) -> tuple[float, float]:
    """recall = gamma p/(alpha + gamma p), p = 1 - e^-kappa: its error from those of alpha, kappa and gamma."""
    try:
        value, change = float(found.recall), found.change_rate
    except UndeterminedError:
        return np.nan, np.inf
    kappa, gamma = float(found.signal_weight), float(found.signal_rate)
    if not np.isfinite(kappa) or gamma == 0.0 or not np.isfinite(found.covariance).all():
        return value, np.inf
    true = -np.expm1(-kappa)
    slope = np.array([-value, (1.0 - value) * gamma * np.exp(-kappa), (1.0 - value) * true]) / change
    return value, float(np.sqrt(np.maximum(slope @ found.covariance @ slope, 0.0)))
