"""A mean over repetitions with its standard error, and whether a difference is more than chance."""

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

SIGNIFICANT = 0.01
"""One-sided probability below which a difference is called significant."""


@dataclass(frozen=True)
class Estimate:
    """A mean over ``reps`` independent repetitions; the standard error of a single one is not known (nan)."""

    mean: float
    standard_error: float
    reps: int

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """The estimate from one number a repetition.

        >>> Estimate.of([1.0, 2.0, 3.0])
        Estimate(mean=2.0, standard_error=0.5773502691896258, reps=3)
        """
        array = np.asarray(values, dtype=np.float64)
        n = len(array)
        error = float(array.std(ddof=1)) / sqrt(n) if n > 1 else nan
        return cls(float(array.mean()), error, n)

    @property
    def z(self) -> float:
        """The mean in standard errors; nan where no error is known."""
        if self.standard_error == 0.0:
            return 0.0 if self.mean == 0.0 else inf * np.sign(self.mean)
        return self.mean / self.standard_error

    def chance(self) -> float:
        """One-sided probability of a mean this far above 0 if the truth were 0 (Student's t); 1 when unknown."""
        from scipy.stats import t

        if np.isnan(self.z):
            return 1.0
        if np.isinf(self.z):  # no spread at all: computed, or the same in every repetition
            return 0.0 if self.z > 0.0 else 1.0
        return float(t.sf(self.z, self.reps - 1))

    @property
    def above_zero(self) -> bool:
        """Whether the mean is above 0 by more than chance."""
        return self.chance() < SIGNIFICANT

    @property
    def below_zero(self) -> bool:
        """Whether the mean is below 0 by more than chance."""
        return Estimate(-self.mean, self.standard_error, self.reps).above_zero

    def columns(self) -> dict[str, float | int]:
        """The three columns every table ends with."""
        return {"mean": self.mean, "standard_error": self.standard_error, "reps": self.reps}

    def __str__(self) -> str:
        error = "?" if np.isnan(self.standard_error) else f"{self.standard_error:.2g}"
        return f"{self.mean:+.2g} ± {error}" if abs(self.mean) < 0.01 else f"{self.mean:.4f} ± {error}"


def paired(first: ArrayLike, second: ArrayLike) -> Estimate:
    """first minus second, repetition by repetition: what both share cancels.

    >>> paired([0.5, 0.7], [0.4, 0.6]).mean.__round__(6)
    0.1
    """
    return Estimate.of(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64))


def exact(value: float) -> Estimate:
    """A number that was computed, not sampled: no standard error."""
    return Estimate(float(value), 0.0, 1)
