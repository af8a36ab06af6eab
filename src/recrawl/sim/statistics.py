"""Means over repetitions, with their standard errors."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recrawl.errors import InputError


class Estimate(NamedTuple):
    """A mean and its standard error, NaN where there is one repetition only."""

    mean: float
    error: float


def mean_and_error(values: ArrayLike) -> Estimate:
    """The mean of independent repetitions.

    >>> mean_and_error([1.0, 2.0, 3.0])
    Estimate(mean=2.0, error=0.5773502691896258)
    """
    given = np.asarray(values, dtype=np.float64)
    if given.ndim != 1 or len(given) == 0:
        raise InputError(f"values must be one number a repetition, got shape {given.shape}", argument="values")
    error = float(given.std(ddof=1)) / math.sqrt(len(given)) if len(given) > 1 else math.nan
    return Estimate(float(given.mean()), error)


def paired_difference(values: ArrayLike, others: ArrayLike) -> Estimate:
    """The mean of values - others, repetition by repetition: what both worlds share drops out of the error.

    >>> paired_difference([5.0, 7.0], [4.0, 6.0])
    Estimate(mean=1.0, error=0.0)
    """
    first, second = np.asarray(values, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if first.shape != second.shape:
        raise InputError(f"others must be as many as values, got {second.shape} and {first.shape}", argument="others")
    return mean_and_error(first - second)
