"""How late signals come, from those whose source says when it happened."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2

from recrawl.arguments import column
from recrawl.errors import InputError
from recrawl.learn.fit.fit import Interval, checked_level
from recrawl.learn.fit.likelihood import Array


@dataclass(frozen=True, eq=False)
class Latency:
    """Latencies seen, smallest first, as a distribution: `cdf` and `survival_integral` are those of the sample.

    `mean` is also that of the best exponential distribution; `exponential_gap` says how far the sample is from it, as
    the greatest difference of distribution functions (above 1.1/sqrt(n): not exponential, false alarm about 5%).
    """

    values: Array

    @property
    def mean(self) -> float:
        """Mean latency."""
        return float(self.values.mean())

    def mean_interval(self, level: float = 0.95) -> Interval:
        """Confidence interval of the mean, exact where latencies are exponential: 2 sum/mean is chi-square of 2n."""
        n, total = len(self.values), float(self.values.sum())
        tail = (1.0 - checked_level(level)) / 2.0
        return Interval(2.0 * total / float(chi2.isf(tail, 2 * n)), 2.0 * total / float(chi2.ppf(tail, 2 * n)))

    def quantile(self, share: ArrayLike) -> Array:
        """Latency that this share of the signals does not exceed."""
        return np.asarray(np.quantile(self.values, np.asarray(share, dtype=np.float64)))

    def cdf(self, s: ArrayLike) -> Array:
        """G(s), the share of signals that are there after s."""
        return np.searchsorted(self.values, np.asarray(s, dtype=np.float64), side="right") / len(self.values)

    def survival_integral(self, s: ArrayLike) -> Array:
        """Integral of 1 - G from 0 to s: the mean of min(latency, s); it tends to the mean."""
        at = np.asarray(s, dtype=np.float64)
        below = np.searchsorted(self.values, at, side="right")
        return (self._sums[below] + (len(self.values) - below) * at) / len(self.values)

    @property
    def exponential_gap(self) -> float:
        """Greatest difference between G and the exponential distribution of the same mean."""
        n = len(self.values)
        model = -np.expm1(-self.values / self.mean) if self.mean > 0.0 else np.ones(n)
        steps = np.arange(n + 1) / n
        return float(max(np.max(steps[1:] - model), np.max(model - steps[:-1])))

    @cached_property
    def _sums(self) -> Array:
        return np.concatenate(([0.0], np.cumsum(self.values)))


def latency(happened: ArrayLike, arrived: ArrayLike) -> Latency:
    """Latencies of signals that say when the change `happened`, beside when they `arrived`.

    Only signals that have arrived are in the sample, so the newest changes are left out of it: take a stretch of time
    that ended longer ago than the greatest latency.

    >>> found = latency(happened=[0.0, 1.0, 2.0], arrived=[1.0, 1.5, 5.0])
    >>> found.mean, found.cdf(1.0).round(4).tolist(), found.survival_integral(1.0).round(4).tolist()
    (1.5, 0.6667, 0.8333)
    """
    begin, end = np.atleast_1d(column("happened", happened)), np.atleast_1d(column("arrived", arrived))
    if begin.shape != end.shape or not len(begin):
        raise InputError(
            f"happened and arrived must be as many, at least 1, got {len(begin)} and {len(end)}", "arrived"
        )
    late = end - begin
    if not (late >= 0.0).all() or np.isinf(late).any():
        row = int(np.argmin((late >= 0.0) & (late < np.inf)))
        raise InputError(
            f"arrived must be finite and not before happened, got {end[row]} and {begin[row]} in row {row}",
            argument="arrived",
            row=row,
        )
    return Latency(np.sort(late))
