"""The paper's trial of estimators (appendix "Estimating model parameters"), as tables for figures and tests.

Precision and recall ~ U[.2, .95], mean time between changes ~ U[2, 20], crawls at a quarter to four times the change
rate, horizon 100,000.  The paper does not say how crawls are spaced: here they are a Poisson process, or even.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from recrawl.learn.fit.fit import fit
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.fit.naive import naive
from recrawl.model import Pages

APPENDIX_HORIZON = 100_000.0
CRAWL_RATIOS = (0.25, 0.5, 1.0, 2.0, 4.0)


class Trial(NamedTuple):
    """True parameters of one page, and what crawling it showed."""

    page: Pages
    elapsed: Array
    signals: Array
    changed: Array


class Row(NamedTuple):
    """One page in a figure: what is true, and what an estimator made of it."""

    crawl_ratio: float
    change_rate: float
    true_precision: float
    precision: float
    true_recall: float
    recall: float


def draw(
    rng: np.random.Generator, crawl_ratio: float, horizon: float = APPENDIX_HORIZON, *, even: bool = False
) -> Trial:
    """One page of the appendix, crawled at `crawl_ratio` times its change rate."""
    precision, recall = rng.uniform(0.2, 0.95, size=2)
    page = Pages.from_quality(1.0 / rng.uniform(2.0, 20.0), 1.0, precision, recall)
    return crawl(rng, page, crawl_ratio * page.change_rate.item(), horizon, even=even)


def crawl(rng: np.random.Generator, page: Pages, rate: float, horizon: float, *, even: bool = False) -> Trial:
    """What crawls of a page show: its hidden processes are Poisson, so counts per interval are enough."""
    crawls = round(rate * horizon) if even else rng.poisson(rate * horizon)
    times = np.arange(1, crawls + 1) / rate if even else np.sort(rng.uniform(0.0, horizon, size=crawls))
    elapsed = np.diff(times, prepend=0.0)
    hidden = rng.poisson(page.unsignalled_rate * elapsed)
    true = rng.poisson((page.signal_rate - page.false_signal_rate) * elapsed)
    false = rng.poisson(page.false_signal_rate * elapsed)
    return Trial(page, elapsed, (true + false).astype(np.float64), (hidden + true > 0).astype(np.float64))


def naive_quality(trial: Trial) -> tuple[float, float]:
    """Precision and recall by the paper's statistical estimator."""
    found = naive(trial.elapsed, trial.signals, trial.changed)
    return found.precision, found.recall


def fitted_quality(trial: Trial) -> tuple[float, float]:
    """Precision and recall by maximum likelihood."""
    found = fit(trial.elapsed, trial.signals, trial.changed)
    return found.precision, found.recall


def table(
    estimate: Callable[[Trial], tuple[float, float]], pages: int, seed: int, horizon: float = APPENDIX_HORIZON
) -> list[Row]:
    """The trial of one estimator on `pages` pages for each crawl rate; the same seed draws the same pages.

    >>> rows = table(naive_quality, pages=1, seed=0, horizon=1000.0)
    >>> len(rows) == len(CRAWL_RATIOS)
    True
    """
    rows = []
    for k, ratio in enumerate(CRAWL_RATIOS):
        rng = np.random.default_rng((seed, k))
        for _ in range(pages):
            trial = draw(rng, ratio, horizon)
            page = trial.page
            precision, recall = estimate(trial)
            truth = page.change_rate.item(), page.precision.item(), page.recall.item()
            rows.append(Row(ratio, truth[0], truth[1], precision, truth[2], recall))
    return rows
