"""The sums of Theorem 1 term by term, where signals are rare (theta x < 2): positive power series.

With y = x - i kappa, z = theta y, k = i + 1 (see frequent_signals.py for the terms):

    P(k, z) = e^-z (z^k/k! + z^(k+1)/(k+1)! + ...)
    D_k(y)  = e^-(z+y) z^k sum_{m>=1} ((z+y)^m - z^m)/(k+m)!
    gamma C = gamma q^(n+1)/Delta + e^-x sum_i [ e^-z sum_{l<k} r^(k-l) z^l/l! + P(k, z) ],   q = r e^-kappa

No term is negative, so nothing cancels however rare the signals or small the staleness.
"""

import math

from recrawl._jit import jit
from recrawl.model.steps import RECIPROCALS, SPLIT, whole_power

_NEGLIGIBLE = 1e-17


@jit
def lower_gamma_series(k: int, z: float, power: float) -> float:
    """e^z P(k, z), given its first term z^k/k!."""
    total = power
    term = power
    m = k + 1
    while term > _NEGLIGIBLE * total:
        term *= z * RECIPROCALS[m]
        total += term
        m += 1
    return total


@jit
def value_series(k: int, y: float, z: float, power: float) -> float:
    """e^(z+y) D_k(y), given z^k/k!."""
    v = z + y
    scale: float = power * RECIPROCALS[k + 1]
    difference = y  # v^m - z^m
    z_power = z
    term = scale * difference
    total = term
    m = k + 2
    while term > _NEGLIGIBLE * total:
        difference = v * difference + y * z_power
        z_power *= z
        scale *= RECIPROCALS[m]
        term = scale * difference
        total += term
        m += 1
    return total


@jit
def mixed_sum(k: int, z: float, r: float) -> float:
    """sum_{l<k} r^(k-l) z^l/l!, by Horner's rule."""
    weight = r
    total = r
    for terms_left in range(k - 1, 0, -1):
        weight *= r
        total = weight + z * RECIPROCALS[terms_left] * total
    return total


@jit
def rare(
    x: float, alpha: float, kappa: float, gamma: float, delta: float, n: float, frac: float
) -> tuple[float, float]:
    """(V or C, psi) for theta x < 2, from i = 0 up, each term being about z times smaller."""
    theta = gamma / alpha
    r = gamma / (alpha + gamma)
    value = 0.0
    psi = 0.0
    for i in range(int(n) + 1):
        k = i + 1
        y = frac + (n - i) * kappa if i < n else frac
        z = theta * y
        e_z = math.exp(-z)
        power = z
        for p in range(2, k + 1):
            power *= z * RECIPROCALS[p]
        if x < SPLIT:
            term = e_z * value_series(k, y, z, power)
            psi += e_z * lower_gamma_series(k, z, power)
        else:
            mixed = mixed_sum(k, z, r)
            below = e_z * lower_gamma_series(k, z, power)
            psi += below
            term = e_z * mixed + below
        value += term
        if term < _NEGLIGIBLE * value:
            break
    value *= math.exp(-x) / gamma
    if x >= SPLIT:
        value += whole_power(r * math.exp(-kappa), n + 1.0) / delta
    return value, psi / gamma
