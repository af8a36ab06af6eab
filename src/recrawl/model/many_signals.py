"""Thresholds that many signals fit into: the asymptote of psi and the few modes still alive.

Theory of operation
-------------------
psi(x) is the mean time in which a drift alpha with jumps kappa at rate gamma passes the level x.  Its Laplace
transform is 1/(s (alpha s + gamma (1 - e^(-kappa s)))).  The double pole at 0 gives the asymptote A + Bx (which is
Wald's identity with the mean overshoot), every other pole s = sigma/kappa a mode that dies out like e^(s x):

    psi(x) = A + Bx + sum_k R_k e^(sigma_k xi),   xi = x/kappa, c = gamma kappa/alpha
    sigma_k + log(1 + sigma_k/c) = 2 pi i k,      R_k = kappa / (sigma_k (alpha + gamma kappa + alpha sigma_k))

1. The slowest mode has |e^(sigma_1 xi)| < e^-32 once xi >= `settled(c)`; with its small factor R_1 it is then below
   the last digit and psi *is* the asymptote.  For weak signals (c small) that takes a handful of signals.
2. Before that, modes k = 1, 2, ... are added until they no longer matter.  The caller comes here only when sqrt(xi)
   is not small against 1 + c, where at most about six do.
3. V = mu int e^-u psi du term by term.  For x >= SPLIT the complement C = int_x^inf e^-u psi du is returned; below it
   the constant C_0 = 1/Delta - A - B, itself a difference of nearly equal numbers, is written out in closed form.
"""

import cmath
import math

from recrawl._jit import jit
from recrawl.model.nosignal import p2
from recrawl.model.steps import SPLIT

_MODES = 12


@jit
def settled(c: float) -> float:
    """The number of signals from which on psi is its asymptote: 32 / |Re sigma_1(c)|, rounded up in steps."""
    if c < 0.01:
        if c < 1e-4:
            return 1.95 if c < 1e-6 else 2.75
        return 3.5 if c < 1e-3 else 4.85
    if c < 0.2:
        if c < 0.03:
            return 5.95
        return 8.0 if c < 0.1 else 9.9
    if c < 0.5:
        return 11.5 if c < 0.3 else 14.4
    return 32.0 * ((1.0 + c) * (1.0 + c) / 19.739208802178716 + 0.31 + 0.16 * c)


@jit
def _mode(k: int, c: float) -> complex:
    """sigma_k by Newton's method; the start is one step of the fixed point, the limit is reached in 3-5 steps."""
    turn = complex(0.0, 2.0 * math.pi * k)
    sigma = turn - cmath.log(1.0 + turn / c)
    for _ in range(20):
        step = (sigma + cmath.log(1.0 + sigma / c) - turn) / (1.0 + 1.0 / (c + sigma))
        sigma -= step
        if abs(step) < 1e-15 * abs(sigma):
            break
    return sigma


@jit
def modes(x: float, alpha: float, kappa: float, gamma: float) -> tuple[float, float]:
    """sum_k R_k e^(sigma_k xi) and sum_k R_k e^(sigma_k xi)/(1 - s_k), over both signs of k."""
    c = gamma * kappa / alpha
    drift = alpha + gamma * kappa
    xi = x / kappa
    psi = 0.0
    integral = 0.0
    for k in range(1, _MODES + 1):
        sigma = _mode(k, c)
        term = 2.0 * cmath.exp(sigma * xi) * kappa / (sigma * (drift + alpha * sigma))
        psi += term.real
        integral += (term / (1.0 - sigma / kappa)).real
        if abs(term) * drift < 1e-17 * x:
            break
    return psi, integral


@jit
def _third_order(kappa: float) -> float:
    """kappa/2 - 1 + (1 - e^-kappa)/kappa = kappa^2/6 - kappa^3/24 + ..., for kappa < 1."""
    if kappa > 0.7:
        return 0.5 * kappa - 1.0 - math.expm1(-kappa) / kappa
    s = 1.0 - kappa / 15.0
    for d in range(14, 3, -1):
        s = 1.0 - kappa / d * s
    return kappa * kappa / 6.0 * s


@jit
def many(x: float, alpha: float, kappa: float, gamma: float, delta: float, with_modes: bool) -> tuple[float, float]:
    """(V or C, psi) from the asymptote, with the living modes where asked."""
    drift = alpha + gamma * kappa
    b = 1.0 / drift
    a = 0.5 * gamma * (kappa * b) * (kappa * b)
    mode_psi = 0.0
    mode_integral = 0.0
    if with_modes:
        mode_psi, mode_integral = modes(x, alpha, kappa, gamma)
    psi = a + b * x + mode_psi
    e_x = math.exp(-x)
    if x >= SPLIT:
        return e_x * (a + b * (1.0 + x) + mode_integral), psi
    e3 = _third_order(kappa)
    jump = gamma * kappa * b  # the share of the drift that comes in jumps
    c0 = jump * (0.5 * kappa * jump * (0.5 * kappa - e3) - e3) / delta
    return c0 - a * math.expm1(-x) + b * p2(x) - e_x * mode_integral, psi
