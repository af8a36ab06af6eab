"""What a group of pages says about a page before its own crawls do.

Unsignalled rates of a group are Gamma(a, b) (mean a/b), its shares of false signals phi = e^-kappa are Beta(c, d) (mean
c/(c+d)), its signal rates Gamma(g, h).  In the coordinates log alpha and logit phi these add

    a log(alpha) - b alpha  -  c kappa + d log(1 - e^-kappa)

to the log-likelihood: concave, with the maximum at the mean, and in the shape the solver knows.  Read as data: b units
of time with a unsignalled changes in them, and c + d signals of which d were true.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from recrawl.learn.fit.likelihood import Array

_SHAPE_RANGE = (0.1, 1e4)
_SHARE_STRENGTH = (0.5, 1e4)


class Prior(NamedTuple):
    """One entry a group."""

    shape: Array
    rate: Array
    false: Array
    true: Array
    signal_shape: Array
    signal_rate: Array


def gamma_prior(mean: Array, mean_log: Array) -> tuple[Array, Array]:
    """Shape and rate of the Gamma distribution with these means of x and log x: its maximum-likelihood fit.

    >>> shape, rate = gamma_prior(np.array([2.0]), np.array([float(digamma(3.0) - np.log(1.5))]))
    >>> shape.round(6).tolist(), rate.round(6).tolist()
    ([3.0], [1.5])
    """
    gap = np.maximum(np.log(mean) - mean_log, 1e-9)
    shape = (3.0 - gap + np.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)  # within 1.5%; Newton does the rest
    for _ in range(4):
        slope = 1.0 / shape - polygamma(1, shape)
        shape = np.maximum(shape - (np.log(shape) - digamma(shape) - gap) / slope, 0.1 * shape)
    shape = np.clip(shape, *_SHAPE_RANGE)
    return shape, shape / mean


def beta_prior(mean: Array, mean_square: Array) -> tuple[Array, Array]:
    """The two counts of the Beta distribution with these moments.

    >>> [x.round(6).tolist() for x in beta_prior(np.array([0.25]), np.array([0.1]))]
    [[1.0], [3.0]]
    """
    mean = np.clip(mean, 1e-6, 1.0 - 1e-6)
    variance = np.maximum(mean_square - mean**2, 1e-12)
    strength = np.clip(mean * (1.0 - mean) / variance - 1.0, *_SHARE_STRENGTH)
    return mean * strength, (1.0 - mean) * strength
