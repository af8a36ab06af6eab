"""Do changes happen as often as predicted?  Predictions for each half of the crawls, learned from the other half."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from recrawl.errors import UndeterminedError
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.logs.log import CrawlLog
from recrawl.learn.pages.fit_pages import fit_pages

BINS = 10


class Calibration(NamedTuple):
    """Intervals in bins of predicted change: mean prediction, share that changed, its 95% interval, and how many."""

    predicted: Array
    observed: Array
    low: Array
    high: Array
    intervals: Array


def calibration(log: CrawlLog, group: str | Sequence[str] | None = None, bins: int = BINS) -> Calibration:
    """Predicted against observed change, in bins of about as many intervals each.

    Every interval is predicted from a fit that did not see it: every other interval of each page is held out, in turn.
    The binomial intervals are exact (Clopper and Pearson) for the mean prediction of a bin.
    """
    even, odd = log.split()
    if not len(odd):
        raise UndeterminedError(
            "no page was crawled often enough to hold out half of its crawls; calibration needs two"
        )
    predicted = np.concatenate(
        [fit_pages(fitted, group).predict(tried) for fitted, tried in ((even, odd), (odd, even))]
    )
    changed = np.concatenate((odd.changed, even.changed))
    return binned(predicted, changed, bins)


def binned(predicted: Array, changed: Array, bins: int = BINS) -> Calibration:
    """Gather predictions into bins, each with its exact binomial interval."""
    order = np.argsort(predicted, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    count = np.array([len(part) for part in parts], dtype=np.float64)
    hits = np.array([changed[part].sum() for part in parts])
    misses = count - hits
    with np.errstate(all="ignore"):  # beta(0, .) has no quantiles; the bound is 0 or 1 there
        low = np.where(hits > 0.0, beta.ppf(0.025, hits, misses + 1.0), 0.0)
        high = np.where(misses > 0.0, beta.ppf(0.975, hits + 1.0, misses), 1.0)
    return Calibration(np.array([predicted[part].mean() for part in parts]), hits / count, low, high, count)
