"""Signals that come late: what they weigh, how a page ages meanwhile, and what a crawl of it is then worth.

Theory of operation
-------------------
A signal arrives some latency after its change; G(s) is the chance that it is there after s, H(s) = int_0^s (1 - G).

1. At age s since the crawl, with signals that arrived at ages a_1 .. a_n since,

       P[fresh] = exp(-alpha s - lambda Delta H(s)) prod_j (1 - lambda Delta G(a_j)/gamma)

   The first factor counts the changes nobody will signal, and those whose signal is still under way; the others the
   chance that a signal is false or tells of a change before the crawl.  So staleness gains a known function of age,
   (Delta - alpha) H(s), and a signal weighs kappa(a) = -log(1 - (1 - e^-kappa) G(a)): next to nothing right after the
   crawl, kappa in the end.  Exact given the signals since the crawl; what earlier crawls saw is left out.
2. The index must know that a page first ages at the full rate.  With d the mean latency and u_d = Delta d it takes the
   cycle psi(u) = u/Delta up to u_d and d + psi_NCIS(u - u_d) from there on, and V = mu int e^-v psi as ever:

       V(u) = (mu/Delta) P(2, u)                                                          u <= u_d
       V(u) = (mu/Delta) P(2, u_d) + mu d (e^-u_d - e^-u) + e^-u_d V_NCIS(u - u_d)        u >  u_d

   It grows, and to mu/Delta.  Exact where every signal is equally late.
3. Kernels read G and H from a table (late_table.py), so that any latency will do.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl._jit import jit
from recrawl.model.functions import broadcastable
from recrawl.model.latencies import KnownLatency
from recrawl.model.nosignal import p2
from recrawl.model.pages import Pages
from recrawl.model.scalar import FLAT, value_given_delta

Array = NDArray[np.float64]


def late_staleness(pages: Pages, elapsed: ArrayLike, latency: KnownLatency) -> Array:
    """What age alone adds to staleness, alpha s + (Delta - alpha) H(s).

    >>> from recrawl.model.latencies import Constant
    >>> pages = Pages.from_rates(change_rate=1.0, importance=1.0, recall=0.5, false_signal_rate=0.5)
    >>> late_staleness(pages, [[1.0], [5.0]], Constant(2.0)).ravel().tolist()
    [1.0, 3.5]
    """
    s = broadcastable(pages, "elapsed", elapsed, least=0.0)
    announced = pages.change_rate - pages.unsignalled_rate
    return np.asarray(pages.unsignalled_rate * s + announced * latency.survival_integral(s))


def late_weight(pages: Pages, age: ArrayLike, latency: KnownLatency) -> Array:
    """What a signal adds to staleness that arrives at this age since the crawl: from 0 up to the signal weight.

    >>> from recrawl.model.latencies import Exponential
    >>> pages = Pages.from_rates(change_rate=1.0, importance=1.0, recall=0.5, false_signal_rate=0.5)
    >>> late_weight(pages, [[0.0], [1.0], [100.0]], Exponential(1.0)).round(4).ravel().tolist()
    [0.0, 0.3799, 0.6931]
    """
    a = broadcastable(pages, "age", age, least=0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(np.expm1(-pages.signal_weight) * latency.cdf(a)))


@jit
def late_part(x: float, mu: float, delta: float, mean: float) -> tuple[float, float, float]:
    """(a, b, y) such that the late value is a + b V(y), V being that of signals which come at once."""
    if x <= 0.0 or delta <= 0.0 or mu <= 0.0:
        return 0.0, 0.0, 0.0
    first = delta * mean
    if x <= first:
        return mu / delta * p2(x), 0.0, 0.0
    share = math.exp(-first)
    return mu / delta * p2(first) + share * (mu * mean * -math.expm1(first - x)), share, x - first


@jit
def late_slope(x: float, mu: float, delta: float, mean: float, slope: float) -> float:
    """dV/dx of the late value at 0 < x < inf, given that of V at y (`late_part`)."""
    if delta <= 0.0 or mu <= 0.0:
        return 0.0
    first = delta * mean
    if x <= first:
        return mu * math.exp(-x) * x / delta
    return math.exp(-first) * slope + mu * mean * math.exp(-x)


@jit
def late_value(
    x: float, alpha: float, kappa: float, gamma: float, mu: float, delta: float, terms: int, mean: float
) -> float:
    """The crawl value where signals are late by `mean`."""
    if terms == 0 and x >= FLAT and delta > 0.0:
        return mu / delta
    a, b, y = late_part(x, mu, delta, mean)
    return a + b * value_given_delta(y, alpha, kappa, gamma, mu, delta, terms)
