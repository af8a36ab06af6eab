"""The first J terms of the value only: the paper's G-NCIS-APPROX-J, kept to show what truncation costs."""

import math

from recrawl._jit import jit
from recrawl.model.frequent_signals import FACTORIAL_TERMS, missing_at
from recrawl.model.rare_signals import lower_gamma_series, mixed_sum, value_series
from recrawl.model.steps import RECIPROCALS, SPLIT, whole_power


@jit
def _term(k: int, y: float, theta: float) -> tuple[float, float]:
    """(D_k(y), P(k, theta y)) for y > 0."""
    if theta == math.inf:
        return -math.expm1(-y), 1.0
    z = theta * y
    if z >= 2.0:
        s, t = missing_at(float(k), z, theta)
        log_r = math.log1p(1.0 / theta)
        if y > 30.0:  # e^y is out of reach soon, and the limit r^k all there is
            return math.exp(-k * log_r) - math.exp(-y) * (1.0 - s), 1.0 - t
        return math.exp(-y) * (math.expm1(y - k * log_r) + s), 1.0 - t
    if k > FACTORIAL_TERMS:  # z^k/k! < 1e-60
        return 0.0, 0.0
    power = z
    for p in range(2, k + 1):
        power *= z * RECIPROCALS[p]
    below = math.exp(-z) * lower_gamma_series(k, z, power)
    if y < SPLIT:
        return math.exp(-y - z) * value_series(k, y, z, power), below
    r = theta / (1.0 + theta)
    return whole_power(r, float(k)) - math.exp(-y) * (math.exp(-z) * mixed_sum(k, z, r) + below), below


@jit
def truncated(x: float, alpha: float, kappa: float, gamma: float, terms: int) -> tuple[float, float]:
    """(V_J, psi_J) with J = `terms`, at 0 < x < inf, gamma > 0 and unit importance; V_J' = e^-x psi_J."""
    theta = gamma / alpha
    value = 0.0
    psi = 0.0
    for i in range(terms):
        y = x - i * kappa if i > 0 else x
        if y <= 0.0:
            break
        d, p = _term(i + 1, y, theta)
        weight = math.exp(-i * kappa) if i > 0 else 1.0
        value += weight * d
        psi += p
        if weight < 1e-18 or p < 1e-18:
            break
    return value / gamma, psi / gamma


@jit
def truncated_limit(alpha: float, kappa: float, gamma: float, terms: int) -> float:
    """V_J(inf) = (1/gamma) sum_{i<J} r (r e^-kappa)^i, which falls short of 1/Delta."""
    r = gamma / (alpha + gamma)
    q = r * math.exp(-kappa)
    if 1.0 - q < 1e-3 / terms:  # the closed form would cancel, and all terms are nearly equal
        total = 0.0
        power = 1.0
        for _ in range(terms):
            total += power
            power *= q
        return r * total / gamma
    return r * (1.0 - math.pow(q, terms)) / (1.0 - q) / gamma
