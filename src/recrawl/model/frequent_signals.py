"""The sums of Theorem 1 term by term, where signals are not rare (theta x >= 2).

Theory of operation
-------------------
Write theta = gamma/alpha, n = floor(x/kappa), and count the terms from the last one: j = n - i, so that
y_j = x - i kappa = frac + j kappa,  z_j = theta y_j,  k_j = i + 1 = n + 1 - j.  With r = theta/(1 + theta) = e^-L:

    gamma psi = sum P(k, z)          gamma V = sum e^(-i kappa) D_k(y),   D_k(y) = r^k P(k, z + y) - e^-y P(k, z)

1. Most terms are near "P = 1".  Take P = 1 everywhere, which sums in closed form (`all_ones`), and add back what is
   missing:  gamma V = e^-x (all_ones + S),  gamma psi = (n+1) - T,  where
   S = sum_j e^-z sum_{l<k} z^l/l! (1 - r^(k-l)),  T = sum_j Q(k, z).  Every summand of S and T is positive.
2. Going up in j, z grows by c = theta kappa while k falls, so the missing parts die out fast and the loop stops there.
3. k up to FACTORIAL_TERMS is summed by Horner's rule.  Beyond it (strong, frequent signals: c is large there, or the
   modes of many_signals.py would have been used) scipy's incomplete gamma function takes over, and the first terms,
   where P = 0 to the last digit, are skipped: the number of terms looked at stays bounded by about ten.
4. Where r^sqrt(k) is close to 1, the difference that S then is loses digits; it comes from moments of k - l instead.
"""

import math

from recrawl._jit import jit
from recrawl.model.incomplete_gamma import gammaincc
from recrawl.model.rare_signals import lower_gamma_series
from recrawl.model.steps import RECIPROCALS, SPLIT

FACTORIAL_TERMS = 64

_TINY = 1e-18
_WIDTH = 9.0  # standard deviations beyond which a Poisson tail is below 1e-18


@jit
def _sinhc_minus_1(u: float) -> float:
    """sinh(u)/u - 1 without cancellation."""
    if u >= 1.0:
        return math.sinh(u) / u - 1.0
    q = u * u
    s = 1.0 + q / 210.0
    s = 1.0 + q / 156.0 * s
    s = 1.0 + q / 110.0 * s
    s = 1.0 + q / 72.0 * s
    s = 1.0 + q / 42.0 * s
    s = 1.0 + q / 20.0 * s
    return q / 6.0 * s


@jit
def all_ones(terms: float, x: float, kappa: float, log_r: float) -> float:
    """e^x sum_{i < terms} (e^(-i kappa) r^(i+1) - e^-x) = sum expm1(x - L - i (kappa + L)), with L = -log r.

    Written around the middle of the progression, so that nothing cancels when x is small.
    """
    if terms == 1.0:
        return math.expm1(x - log_r)
    step = kappa + log_r
    middle = x - log_r - 0.5 * (terms - 1.0) * step
    one = _sinhc_minus_1(0.5 * step)
    spread = (_sinhc_minus_1(0.5 * terms * step) - one) / (1.0 + one)
    return terms * (math.expm1(middle) * (1.0 + spread) + spread)


@jit
def _missing_by_moments(k: float, z: float, q: float, log_r: float) -> float:
    """sum_{l<k} pois(l; z) (1 - e^(-(k-l)L)) for L sqrt(k) << 1, from the first three moments of k - l."""
    density = math.exp((k - 1.0) * math.log(z) - z - math.lgamma(k))
    m1 = (k - z) * q + z * density
    m2 = (k - z) * m1 + z * q
    m3 = (k - z) * m2 + z * (2.0 * m1 - q)
    return log_r * (m1 - log_r * (0.5 * m2 - log_r * m3 / 6.0))


@jit
def _missing_large_k(k: float, z: float, theta: float) -> tuple[float, float]:
    """`missing_at` for k beyond FACTORIAL_TERMS."""
    log_r = math.log1p(1.0 / theta)
    if z == 0.0:
        return -math.expm1(-k * log_r), 1.0
    q = gammaincc(k, z)
    if q == 0.0:
        return 0.0, 0.0
    if log_r * math.sqrt(k) < 1e-4:  # the fourth moment would add 1e-16; the difference below would cancel
        return _missing_by_moments(k, z, q, log_r), q
    y = z / theta
    return q - math.exp(min(y - k * log_r, 700.0)) * gammaincc(k, z + y), q  # times e^-x: 0 long before that bound


@jit
def _lower_gamma(k: int, z: float) -> float:
    """e^z P(k, z) for z well below k."""
    power = 1.0
    for p in range(1, k + 1):
        power *= z * RECIPROCALS[p]
    return lower_gamma_series(k, z, power)


@jit
def missing_at(k: float, z: float, theta: float) -> tuple[float, float]:
    """The summands of S and T at one k: what "P = 1" leaves out there."""
    if k > FACTORIAL_TERMS:
        return _missing_large_k(k, z, theta)
    if z > 700.0:  # Q(64, 700) is below the smallest float
        return 0.0, 0.0
    phi_1 = 1.0 / (1.0 + theta)
    r = theta * phi_1
    phi = phi_1
    s = phi_1
    t = 1.0
    for terms_left in range(int(k) - 1, 0, -1):
        factor = z * RECIPROCALS[terms_left]
        phi = r * phi + phi_1  # 1 - r^(m+1) from 1 - r^m
        s = phi + factor * s
        t = 1.0 + factor * t
    e_z = math.exp(-z)
    if z < 0.3 * k:  # Q is nearly 1 and flat: 1 - P keeps psi monotone there
        return s * e_z, 1.0 - e_z * _lower_gamma(int(k), z)
    return s * e_z, t * e_z


@jit
def _missing(first: float, n: float, frac: float, kappa: float, theta: float) -> tuple[float, float]:
    """S and T of rule 1, over the terms from j = `first` on."""
    c = theta * kappa if n > 0.0 else 0.0
    z = theta * frac + first * c
    enough = _TINY / (1.0 + theta)
    s_sum = 0.0
    t_sum = 0.0
    k = n + 1.0 - first
    while k >= 1.0:
        s, t = missing_at(k, z, theta)
        s_sum += s
        t_sum += t
        if s <= enough and t < _TINY:  # enough may underflow to 0, and then s does too
            break
        k -= 1.0
        z += c
    return s_sum, t_sum


@jit
def frequent(
    x: float, alpha: float, kappa: float, gamma: float, delta: float, n: float, frac: float
) -> tuple[float, float]:
    """(V or C, psi) for theta x >= 2."""
    theta = gamma / alpha
    first = 0.0
    if n > FACTORIAL_TERMS:
        c = theta * kappa
        first = max(0.0, math.floor((n + 1.0 - _WIDTH * math.sqrt(n + 1.0) - theta * frac) / (1.0 + c)))
    terms = n + 1.0 - first
    s, t = _missing(first, n, frac, kappa, theta)
    psi = (terms - t) / gamma
    e_x = math.exp(-x)
    if x < SPLIT:
        return e_x * (all_ones(terms, x, kappa, math.log1p(1.0 / theta)) + s) / gamma, psi
    # Not a power of e^-kappa r: sixty factors have sixty times its rounding error, and V is a difference of this.
    beyond = math.exp(-terms * (kappa + math.log1p(1.0 / theta)))
    return beyond / delta + e_x * (terms - s) / gamma, psi
