"""URLs that look like the published dataset from afar, for when it is not at hand.

What is known of the data and kept: change rates within [.0005, 7] per day and spread over orders of magnitude (here
log-normal, median .1 per day, sigma 1.5 of the natural logarithm, drawn again where outside); importance a
heavy-tailed whole number (here Pareto with index 1.5, rounded up); about 5% of the URLs labelled "complete", with 26.4%
of the importance (here the importance of labelled URLs is multiplied by the factor that makes it so on average).
What is not known and left out: that importance, change rate and label go together in the data.
"""

import numpy as np

from recrawl.datasets.change_rates import HIGHEST, LOWEST
from recrawl.datasets.sample import UrlSample

MEDIAN_RATE, SPREAD = 0.1, 1.5
PARETO_INDEX = 1.5
COMPLETE, COMPLETE_IMPORTANCE = 0.05, 0.264


def stand_in(size: int, seed: int) -> UrlSample:
    """``size`` made-up URLs.

    >>> len(stand_in(1_000, seed=0))
    1000
    """
    rng = np.random.default_rng(seed)
    rate = np.exp(rng.normal(np.log(MEDIAN_RATE), SPREAD, size))
    while (outside := (rate < LOWEST) | (rate > HIGHEST)).any():
        rate[outside] = np.exp(rng.normal(np.log(MEDIAN_RATE), SPREAD, int(outside.sum())))
    complete = rng.uniform(size=size) < COMPLETE
    odds = COMPLETE_IMPORTANCE / (1.0 - COMPLETE_IMPORTANCE)
    factor = np.where(complete, odds * (1.0 - COMPLETE) / COMPLETE, 1.0)
    importance = np.ceil((1.0 + rng.pareto(PARETO_INDEX, size)) * factor)
    return UrlSample(importance, rate, complete)
