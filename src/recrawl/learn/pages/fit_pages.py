"""Whole logs: parameters of every page, each page helped by its group as far as its own crawls leave room.

Empirical Bayes.  A page's estimate is the most probable one under its group's prior (prior.py): with few crawls it is
near the group's mean, with many it is its own maximum likelihood.  The priors come from the pages themselves, by
alternating (EM): posteriors of all pages given the priors, then each group's prior from its pages' posteriors.

Groups shrink too: each begins with some pages' worth of the whole population, so that a host with one page is not its
own prior.  How many is chosen by what predicts better: fitted to every other interval, tried on those between.
"""

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma

from recrawl.arguments import column
from recrawl.errors import InputError, UndeterminedError
from recrawl.learn.fit.likelihood import Array, Flags
from recrawl.learn.logs.log import CrawlLog, Ids
from recrawl.learn.pages.page_fits import PageFits
from recrawl.learn.pages.posterior import page_modes
from recrawl.learn.pages.prior import Prior, beta_prior, gamma_prior
from recrawl.model import Pages

Means = tuple[Array, Array]

GROUP_STARTS = (1.0, 4.0, 16.0, 1e6)
"""Pages of the population a group may begin with; the last makes all groups one."""

ROUNDS = 60
_SETTLED = 3e-3
"""Priors that move by less than this, relative, are settled: far below what a page's own data say."""

_TRIED_PAGES = 2_000
_TRIED_ROUNDS = 15


def fit_pages(
    log: CrawlLog | str | os.PathLike[str],
    group: str | Sequence[str] | None = None,
    importance: ArrayLike = 1.0,
    observed_time: ArrayLike | None = None,
    n_signals: ArrayLike | None = None,
) -> PageFits:
    """Parameters of every page of a log; `log` may be the path of a CSV or Parquet file (logs.read).

    `group` names pages that are alike: a column of the log (`"host"`), or one label a page; None pools all.  Signal
    rates come from the intervals, or from `n_signals` of each page in its `observed_time` (a file says both).
    """
    if isinstance(log, (str, os.PathLike)):
        from recrawl.learn.logs.read import read_log

        file = read_log(log, by=group if isinstance(group, str) else None)
        log = file.log
        if observed_time is None and n_signals is None:
            observed_time, n_signals = file.observed_time, file.n_signals
    if len(log) == 0:
        raise UndeterminedError(
            "log holds no interval between two crawls of a page with a known outcome; nothing can be estimated from it"
        )
    groups, index = _groups(log, group)
    start = _group_start(log, groups, index)
    watched = _watched(len(log.names), observed_time, n_signals)
    return _Estimation(log, groups, index, start, watched).run(ROUNDS, importance)


def _watched(pages: int, observed_time: ArrayLike | None, n_signals: ArrayLike | None) -> tuple[Array, Array] | None:
    if observed_time is None and n_signals is None:
        return None
    if observed_time is None or n_signals is None:
        raise InputError("observed_time and n_signals must be given together, or neither", argument="observed_time")
    time, came = column("observed_time", observed_time), column("n_signals", n_signals)
    for name, values in (("observed_time", time), ("n_signals", came)):
        if values.shape != (pages,) or not np.all((values >= 0.0) & (values < np.inf)):
            raise InputError(f"{name} must be one finite number >= 0 for each of {pages} pages", argument=name)
    if not time.any():
        raise InputError("observed_time must be > 0 for a page at least", argument="observed_time")
    return time, came


def _groups(log: CrawlLog, group: str | Sequence[str] | None) -> tuple[list[str], Ids]:
    if group is None:
        return ["all"], np.zeros(len(log.names), dtype=np.int64)
    if isinstance(group, str):
        if group not in log.labels:
            known = ", ".join(log.labels) or "none"
            raise InputError(f"group must be a column of the log, got {group!r}; it has: {known}", argument="group")
        group = log.labels[group]
    if len(group) != len(log.names):
        raise InputError(f"group must be one label for each of {len(log.names)} pages, got {len(group)}", "group")
    labels, index = np.unique(np.asarray(group, dtype=np.str_), return_inverse=True)
    return labels.tolist(), index.astype(np.int64)


def _group_start(log: CrawlLog, groups: list[str], group: Ids) -> float:
    """The member of `GROUP_STARTS` under which one half of the intervals predicts the other best.

    Tried on whole groups, in the order of their names, of some thousand pages.
    """
    if len(groups) == 1:
        return GROUP_STARTS[0]
    size = np.cumsum(np.bincount(group[np.unique(log.page)], minlength=len(groups)))  # others have nothing to predict
    last = int(np.searchsorted(size, _TRIED_PAGES))
    part = log.part(group[log.page] <= last)
    gains = [sum(_gain(a, b, groups, group, start) for a, b in _halves(part)) for start in GROUP_STARTS]
    return GROUP_STARTS[int(np.argmax(gains))]


def _halves(log: CrawlLog) -> list[tuple[CrawlLog, CrawlLog]]:
    even, odd = log.split()
    return [(even, odd), (odd, even)] if len(odd) else []


def _gain(fitted: CrawlLog, tried: CrawlLog, groups: list[str], group: Ids, start: float) -> float:
    """Log-likelihood of the intervals tried under what the others taught."""
    chance = _Estimation(fitted, groups, group, start).run(_TRIED_ROUNDS).predict(tried)
    return float(np.sum(np.log(np.maximum(np.where(tried.changed == 1.0, chance, 1.0 - chance), 1e-9))))


class _Estimation:
    """The alternation; arrays are one entry a page unless said."""

    def __init__(
        self, log: CrawlLog, groups: list[str], group: Ids, start: float, watched: tuple[Array, Array] | None = None
    ) -> None:
        self.log, self.groups, self.group, self.start = log, groups, group, start
        m = len(log.names)
        changed = log.changed == 1.0
        self.crawls = np.bincount(log.page, minlength=m)
        self.changes = np.bincount(log.page[changed], minlength=m)
        inside, time = _sums(log.page, log.signals, m), _sums(log.page, log.elapsed, m)
        self.time, self.signals = watched or (time, inside)
        self.interval_time = float(time.sum())
        still = ~changed
        self.linear = np.column_stack([_sums(log.page[still], c[still], m) for c in (log.elapsed, log.signals)])
        self.rows = np.column_stack((log.elapsed[changed], log.signals[changed]))
        self.begin = np.concatenate(([0], np.cumsum(self.changes)))
        self.seen = self.crawls > 0
        self.heard = inside > 0.0  # so that crawls say something about its signals
        self.theta = np.empty((m, 2))
        self.certainty = np.empty((m, 3))

    def run(self, rounds: int, importance: ArrayLike = 1.0) -> PageFits:
        prior = self._first_prior()
        self.theta[:] = np.column_stack((prior.shape / prior.rate, np.log1p(prior.true / prior.false)))[self.group]
        settled = False
        for _ in range(rounds):
            lost = self._posteriors(prior)
            after = self._next_prior(prior)
            move = max(float(np.max(np.abs(b - a) / a)) for a, b in zip(prior, after, strict=True))
            prior = after
            if move < _SETTLED:
                settled = True
                break
        lost = self._posteriors(prior)
        g = self.group
        gamma = (prior.signal_shape[g] + self.signals) / (prior.signal_rate[g] + self.time)
        if not self.signals.any():
            gamma = np.zeros(len(g))
        kappa = np.where(gamma > 0.0, self.theta[:, 1], 0.0)
        pages = Pages(self.theta[:, 0], kappa, gamma, importance)
        return PageFits(
            self.log.names,
            pages,
            self.groups,
            g,
            prior,
            self.crawls,
            self.changes,
            self.signals,
            self.time,
            self.certainty,
            self.start,
            settled and lost == 0,
        )

    def _posteriors(self, prior: Prior) -> int:
        p = prior
        return page_modes(
            self.begin,
            self.rows,
            self.linear,
            self.group,
            p.shape,
            p.rate,
            p.false,
            p.true,
            self.theta,
            self.certainty,
        )

    def _first_prior(self) -> Prior:
        """Weak, and around one page that had all crawls: half of the changes unsignalled."""
        rate = max(float(self.changes.sum()), 0.5) / self.interval_time
        heard = max(float(self.signals.sum()), 0.5) / float(self.time.sum())
        first = (1.0, 2.0 / rate, 1.0, 1.0, 1.0, 1.0 / heard)
        return Prior(*(np.full(len(self.groups), x) for x in first))

    def _next_prior(self, prior: Prior) -> Prior:
        """Each group's prior from its pages' posteriors."""
        alpha, shape = self.theta[:, 0], self.certainty[:, 0]
        phi, counts = np.exp(-self.theta[:, 1]), self.certainty[:, 1]
        # Counts are Poisson, so the posterior of a signal rate is a Gamma again.
        heard, watched = prior.signal_shape[self.group] + self.signals, prior.signal_rate[self.group] + self.time
        return Prior(
            *gamma_prior(*self._means(self.seen, _gamma_means(alpha, shape), _gamma_means(*self._vague(0)))),
            *beta_prior(*self._means(self.heard, _beta_means(phi, counts), _beta_means(0.5, 2.0))),
            *gamma_prior(
                *self._means(self.time > 0.0, _gamma_means(heard / watched, heard), _gamma_means(*self._vague(4)))
            ),
        )

    def _vague(self, k: int) -> tuple[float, float]:
        """Mean and shape of a Gamma in the first prior: the page that nothing is known about."""
        first = self._first_prior()
        return float(first[k][0] / first[k + 1][0]), float(first[k][0])

    def _means(self, chosen: Flags, values: Means, vague: Means) -> list[Array]:
        """Means by group over the chosen pages.

        A group begins with `start` pages of the population, and the population with one of the first prior, so
        that no rate goes to 0 because nothing was seen.
        """
        g, n = self.group[chosen], len(self.groups)
        size = np.bincount(g, minlength=n)
        means = []
        for value, first in zip(values, vague, strict=True):
            mine = np.asarray(value)[chosen]
            everyone = (mine.sum() + first) / (len(mine) + 1.0)
            total = _sums(g, mine, n)
            means.append((total + self.start * everyone) / (size + self.start))
        return means


def _sums(index: Ids, values: Array, n: int) -> Array:
    return np.bincount(index, weights=values, minlength=n).astype(np.float64)


def _gamma_means(mean: ArrayLike, shape: ArrayLike) -> Means:
    """Means of x and log x under a Gamma distribution."""
    m, a = np.asarray(mean, dtype=np.float64), np.asarray(shape, dtype=np.float64)
    return m, np.log(m) + digamma(a) - np.log(a)


def _beta_means(mean: ArrayLike, counts: ArrayLike) -> Means:
    """Means of x and x^2 under a Beta distribution."""
    m = np.asarray(mean, dtype=np.float64)
    return m, m**2 + m * (1.0 - m) / (np.asarray(counts, dtype=np.float64) + 1.0)
