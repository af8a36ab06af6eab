"""Errors by resampling pages: how much a number would move had other pages of the same kind been looked at.

Pages are drawn again with replacement, the same ones for every policy, so that differences are paired.
"""

import numpy as np

from recrawl.sim.events import Times

RESAMPLES = 1_000


class Resampling:
    """How often each of n pages is in each of the samples.

    >>> drawn = Resampling(3, np.random.default_rng(0), resamples=500)
    >>> drawn.means(np.array([[0.5, 0.5, 0.5]]), np.ones(3)).shape
    (1, 500)
    """

    def __init__(self, pages: int, rng: np.random.Generator, resamples: int = RESAMPLES) -> None:
        drawn = rng.multinomial(pages, np.full(pages, 1.0 / pages), resamples)
        self._counts: Times = drawn.astype(np.float64)

    def means(self, fresh: Times, weights: Times) -> Times:
        """Weighted mean of each row of `fresh` (policies by pages) in each sample: policies by samples.

        A sample in which nothing counts, as of few pages that are all gone early, is left out.
        """
        total = self._counts @ weights
        counts = self._counts if total.all() else self._counts[total > 0.0]
        return np.asarray((fresh * weights) @ counts.T / total[total > 0.0])


def weighted_mean(fresh: Times, weights: Times) -> float:
    """Freshness of all pages together."""
    return float(fresh @ weights / weights.sum())
