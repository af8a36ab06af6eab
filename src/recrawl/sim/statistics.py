"""A mean over repetitions with its standard error, and whether a difference is more than chance."""

from dataclasses import dataclass
from math import inf, isinf, isnan, nan, sqrt
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from recrawl.errors import InputError

SIGNIFICANT = 0.01
"""One-sided probability below which a difference is called significant."""


@dataclass(frozen=True)
class Estimate:
    """A mean over independent repetitions and its standard error, NaN where there is one repetition only."""

    mean: float
    standard_error: float
    repetitions: int

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """The estimate from one number a repetition.

        >>> Estimate.of([1.0, 2.0, 3.0])
        Estimate(mean=2.0, standard_error=0.5773502691896258, repetitions=3)
        """
        given = np.asarray(values, dtype=np.float64)
        if given.ndim != 1 or len(given) == 0:
            raise InputError(f"values must be one number a repetition, got shape {given.shape}", argument="values")
        n = len(given)
        return cls(float(given.mean()), float(given.std(ddof=1)) / sqrt(n) if n > 1 else nan, n)

    @classmethod
    def exact(cls, value: float) -> Self:
        """A number that was computed, not sampled: no standard error."""
        return cls(float(value), 0.0, 1)

    def __neg__(self) -> "Estimate":
        return Estimate(-self.mean, self.standard_error, self.repetitions)

    @property
    def z(self) -> float:
        """The mean in standard errors; NaN where no standard error is known."""
        if self.standard_error == 0.0:
            return 0.0 if self.mean == 0.0 else inf * np.sign(self.mean)
        return self.mean / self.standard_error

    def chance(self) -> float:
        """One-sided probability of a mean this far above 0 if the truth were 0 (Student's t); 1 when unknown."""
        from scipy.stats import t

        if isnan(self.z):
            return 1.0
        if isinf(self.z):  # no spread at all: computed, or the same in every repetition
            return 0.0 if self.z > 0.0 else 1.0
        return float(t.sf(self.z, self.repetitions - 1))

    @property
    def above_zero(self) -> bool:
        """Whether the mean is above 0 by more than chance."""
        return self.chance() < SIGNIFICANT

    @property
    def below_zero(self) -> bool:
        """Whether the mean is below 0 by more than chance."""
        return (-self).above_zero

    def columns(self) -> dict[str, float | int]:
        """The three numbers by name, as the last columns of a table."""
        return {"mean": self.mean, "standard_error": self.standard_error, "repetitions": self.repetitions}

    def __str__(self) -> str:
        error = "?" if isnan(self.standard_error) else f"{self.standard_error:.2g}"
        return f"{self.mean:+.2g} ± {error}" if abs(self.mean) < 0.01 else f"{self.mean:.4f} ± {error}"


def paired_difference(values: ArrayLike, others: ArrayLike) -> Estimate:
    """The mean of values - others, repetition by repetition: what both worlds share drops out of the error.

    >>> paired_difference([5.0, 7.0], [4.0, 6.0])
    Estimate(mean=1.0, standard_error=0.0, repetitions=2)
    """
    first, second = np.asarray(values, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if first.shape != second.shape:
        raise InputError(f"others must be as many as values, got {second.shape} and {first.shape}", argument="others")
    return Estimate.of(first - second)
