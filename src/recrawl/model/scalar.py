"""V, psi and w of one page at any staleness in [0, inf], corners included.

Corners that are legal and have a documented value:

- x = 0: V = psi = w = 0 (by convention where alpha = 0: there psi starts at 1/gamma for any x > 0).
- x = inf: V = mu/Delta, w = 1/Delta, psi = inf (1/gamma where one signal is certain news).
- Delta = 0, a page that never changes: crawling it gains nothing, V = 0 everywhere; no staleness x > 0 is ever
  reached, so psi = w = inf there.
- mu = 0, a page nobody asks for: V = 0.

`terms` is 0 for the exact value, J for its first J terms (truncated.py).
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.model.kernels import change_rate, parts
from recrawl.model.steps import SPLIT
from recrawl.model.truncated import truncated, truncated_limit

Array = NDArray[np.float64]

FLAT = 45.0
"""From here on 1/Delta - V is less than half the last digit of V: Delta C <= e^-x (1 + x + kappa), or one term."""


@jit
def _has_terms(kappa: float, gamma: float, terms: int) -> bool:
    """Whether truncation changes anything: without (telling) signals there is nothing to truncate."""
    return terms > 0 and gamma > 0.0 and kappa > 0.0


@jit
def value_and_slope(
    x: float, alpha: float, kappa: float, gamma: float, delta: float, terms: int
) -> tuple[float, float]:
    """`parts` for any number of terms, at 0 < x < inf and delta > 0; the second is psi, with V' = e^-x psi."""
    if _has_terms(kappa, gamma, terms):
        v, psi = truncated(x, alpha, kappa, gamma, terms)
        if x < SPLIT:
            return v, psi
        return truncated_limit(alpha, kappa, gamma, terms) - v, psi
    return parts(x, alpha, kappa, gamma, delta)


@jit
def value(x: float, alpha: float, kappa: float, gamma: float, mu: float, terms: int) -> float:
    """The crawl value V."""
    return value_given_delta(x, alpha, kappa, gamma, mu, change_rate(alpha, kappa, gamma), terms)


@jit
def value_given_delta(x: float, alpha: float, kappa: float, gamma: float, mu: float, delta: float, terms: int) -> float:
    """The crawl value V, for callers that keep Delta = change_rate(alpha, kappa, gamma)."""
    if x <= 0.0 or delta <= 0.0 or mu <= 0.0:
        return 0.0
    if _has_terms(kappa, gamma, terms):
        if x == math.inf:
            return mu * truncated_limit(alpha, kappa, gamma, terms)
        return mu * truncated(x, alpha, kappa, gamma, terms)[0]
    if x >= FLAT:
        return mu / delta
    u = parts(x, alpha, kappa, gamma, delta)[0]
    if x < SPLIT:
        return mu * u
    return mu / delta - mu * u


@jit
def value_with_slope(
    x: float, alpha: float, kappa: float, gamma: float, mu: float, delta: float, terms: int, slope: Array
) -> float:
    """`value_given_delta` at 0 < x < inf, to the last bit, with dV/dx = mu e^-x psi written to slope[0]."""
    slope[0] = 0.0
    if x <= 0.0 or delta <= 0.0 or mu <= 0.0:
        return 0.0
    if _has_terms(kappa, gamma, terms):
        v, psi_x = truncated(x, alpha, kappa, gamma, terms)
        slope[0] = mu * math.exp(-x) * psi_x
        return mu * v
    if x >= FLAT:
        return mu / delta
    u, psi_x = parts(x, alpha, kappa, gamma, delta)
    slope[0] = mu * math.exp(-x) * psi_x
    if x < SPLIT:
        return mu * u
    return mu / delta - mu * u


@jit
def psi(x: float, alpha: float, kappa: float, gamma: float) -> float:
    """The mean cycle length at threshold x."""
    if x <= 0.0:
        return 0.0
    delta = change_rate(alpha, kappa, gamma)
    if delta <= 0.0:
        return math.inf
    if x == math.inf:
        return 1.0 / gamma if kappa == math.inf and gamma > 0.0 else math.inf
    return parts(x, alpha, kappa, gamma, delta)[1]


@jit
def w(x: float, alpha: float, kappa: float, gamma: float) -> float:
    """The mean fresh time per cycle at threshold x: w = V + e^-x psi (all positive)."""
    if x <= 0.0:
        return 0.0
    delta = change_rate(alpha, kappa, gamma)
    if delta <= 0.0:
        return math.inf
    if x == math.inf:
        return 1.0 / delta
    u, p = parts(x, alpha, kappa, gamma, delta)
    if x < SPLIT:
        return u + math.exp(-x) * p
    return 1.0 / delta - u + math.exp(-x) * p
