"""Precision and recall of real signals, as far as the paper's text tells; its histograms rest on data nobody else has.

What the text says: very few pages have both above .8; the best 5% of the precisions lie above .7 and the best 5% of the
recalls above .6 (the bounds of GREEDY-CIS+ were chosen "to match all top URLs", which are given the upper 5%).

The simplest falling density on [0, 1] with a 95th percentile at q is Beta(1, b) with .05^(1/b) = 1 - q.  That makes
b = 2.49 for precision (mean .29) and 3.27 for recall (mean .23), drawn independently.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TOP = 0.05
PRECISION_95, RECALL_95 = 0.7, 0.6
LEAST_PRECISION = 0.05
"""Signals per change are recall/precision: near 0 a few pages would send more signals than all others together."""


def shape(percentile_95: float) -> float:
    """b of the Beta(1, b) with that 95th percentile.

    >>> round(shape(0.7), 3)
    2.488
    """
    return log(TOP) / log(1.0 - percentile_95)


def quantile(u: Array, percentile_95: float) -> Array:
    """The value below which a share ``u`` of the pages lies.

    >>> quantile(np.array([0.0, 0.95, 1.0]), 0.7).round(6).tolist()
    [0.0, 0.7, 1.0]
    """
    return 1.0 - (1.0 - u) ** (1.0 / shape(percentile_95))


def draw_quality(rng: np.random.Generator, top: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Precision and recall: from the upper 5% of each distribution where ``top``, from the lower 95% elsewhere."""
    low, high = np.where(top, 1.0 - TOP, 0.0), np.where(top, 1.0, 1.0 - TOP)
    precision = np.maximum(quantile(rng.uniform(low, high), PRECISION_95), LEAST_PRECISION)
    return precision, quantile(rng.uniform(low, high), RECALL_95)


def corrupt(values: Array, p: float, noise: Array) -> Array:
    """(1-p) value + p noise: an estimate that is wrong by a share ``p`` of pure chance."""
    return (1.0 - p) * values + p * noise
