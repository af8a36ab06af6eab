"""What a log says about each of its pages, and how sure it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import digamma, polygamma

from recrawl.learn.fit.likelihood import Array
from recrawl.learn.logs.log import CrawlLog, Ids
from recrawl.learn.pages.prior import Prior
from recrawl.model import Pages


@dataclass(frozen=True)
class PageFits:
    """Pages with the parameters their logs and groups suggest.

    `crawls` and `changes` are counts over the intervals used; `signals` came in `observed_time`, that of the intervals
    or longer.
    `certainty` has the pseudo-counts behind alpha and phi (1/sqrt is about the relative standard error of alpha) and
    the correlation of their logarithm and logit.  `prior` has one entry a group of `groups`, each begun with
    `group_start` pages of the population.
    """

    names: Sequence[str]
    pages: Pages
    groups: Sequence[str]
    group: Ids
    prior: Prior
    crawls: Ids
    changes: Ids
    signals: Array
    observed_time: Array
    certainty: Array
    group_start: float
    converged: bool

    @property
    def change_rate_error(self) -> Array:
        """Standard error of each page's change rate, by the delta method, prior included."""
        alpha, kappa, gamma, _ = self.pages.columns
        phi = np.exp(-kappa)
        shape, counts, together = self.certainty.T
        unsignalled = alpha / np.sqrt(shape)
        signalled = gamma * np.sqrt(phi * (1.0 - phi) / counts)
        rate = (1.0 - phi) ** 2 * gamma / (self.prior.signal_rate[self.group] + self.observed_time)
        error: Array = np.sqrt(unsignalled**2 + signalled**2 - 2.0 * together * unsignalled * signalled + rate)
        return error

    def of(self, rows: Ids) -> Self:
        """The pages of these rows, in their order, and their groups."""
        kept, group = np.unique(self.group[rows], return_inverse=True)
        return replace(
            self,
            names=[self.names[k] for k in rows.tolist()],
            pages=self.pages[rows],
            groups=[self.groups[k] for k in kept.tolist()],
            group=group.astype(np.int64),
            prior=Prior(*(column[kept] for column in self.prior)),
            crawls=self.crawls[rows],
            changes=self.changes[rows],
            signals=self.signals[rows],
            observed_time=self.observed_time[rows],
            certainty=self.certainty[rows],
        )

    def predict(self, log: CrawlLog) -> Array:
        """Probability that each interval of a log of the same pages ends in a change, given all that is not known.

        Staleness x = alpha tau + kappa n is uncertain: its mean and variance come from the Gamma of alpha, the Beta of
        phi and their correlation, and the mean of e^-x is that under a Gamma of the same two.  Putting in the estimates
        instead would say "changed" a little too often: the mean of e^-x is above e^-(mean of x).
        """
        page, n = log.page, log.signals
        phi = np.exp(-self.pages.signal_weight[page])
        shape, counts, together = self.certainty[page].T
        by_time = self.pages.unsignalled_rate[page] * log.elapsed
        false = np.maximum(phi * counts, 1e-9)
        weight, spread = digamma(counts) - digamma(false), polygamma(1, false) - polygamma(1, counts)
        stale = by_time + n * weight
        variance = by_time**2 / shape + n**2 * spread - 2.0 * together * by_time * n * np.sqrt(spread / shape)
        scale = np.maximum(variance / stale, 1e-12)
        chance: Array = -np.expm1(-stale / scale * np.log1p(scale))
        return chance
