"""The staleness at which a page reaches a given value: V inverted.

Theory of operation
-------------------
1. Below SPLIT the equation is solved as log V = log v in log x (slope between 1 and 2 at the small end), from there as
   log C = log(V(inf) - v) in x (slope near -1): both are nearly straight lines, so Newton's method needs three to five
   steps from a fair guess, with V' = e^-x psi coming along with V.
2. Every step narrows a bracket, and one that would leave it is replaced by a bisection; so kinks (strong signals make
   psi a staircase) slow it down at worst.
3. Without signals V = P(2, x)/alpha: x - log(1 + x) = q = -log(1 - v/V(inf)), a branch of Lambert's W.
4. v >= V(inf) is never reached: inf.
"""

import math

from recrawl._jit import jit
from recrawl.model.kernels import change_rate
from recrawl.model.scalar import value, value_and_slope
from recrawl.model.steps import SPLIT

TOLERANCE = 1e-13
"""Relative error of x at which Newton's method stops."""


@jit
def _lambert_excess(q: float, guess: float) -> float:
    """The x > 0 with x - log(1 + x) = q, that is -1 - W_-1(-e^(-1-q)); `guess` may be NaN."""
    if 0.2 < guess < 50.0 and q > 0.005:
        x = guess
    else:
        s = math.sqrt(2.0 * q)
        if s < 2.0:  # Stirling's series
            t = 139.0 / 5443200.0 - s / 204120.0
            t = 1.0 / 17010.0 - s * t
            t = 1.0 / 4320.0 + s * t
            t = -1.0 / 270.0 + s * t
            t = 1.0 / 36.0 + s * t
            t = 1.0 / 3.0 + s * t
            x = s * (1.0 + s * t)
            if s < 0.1:  # the next term is below the last digit
                return x
        else:
            x = q + math.log1p(q + math.log1p(q))
    for _ in range(20):
        step = (x - math.log1p(x) - q) * (1.0 + x) / x
        if abs(step) < 1e-8 * x:  # Newton's order is enough
            return x - step
        step /= 1.0 - 0.5 * step / (x * (1.0 + x))  # Halley
        x = x - step if step < x else 0.5 * x
        if abs(step) < 1e-5 * x:  # the order is cubic: what is left is below the last digit
            break
    return x


@jit
def inverse_without_signals(v: float, v_inf: float, guess: float) -> float:
    """The x with P(2, x) = v/v_inf, for 0 < v < v_inf; `guess` may be anything (NaN: none)."""
    share = v / v_inf
    q = -math.log1p(-share) if share < 0.5 else -math.log((v_inf - v) / v_inf)
    return _lambert_excess(q, guess)


@jit
def solve(
    v: float,
    rest: float,
    alpha: float,
    kappa: float,
    gamma: float,
    delta: float,
    terms: int,
    guess: float,
) -> tuple[float, float]:
    """(x, psi(x)) with V(x) = v per unit importance, given rest = V(inf) - v > 0 and a guess > 0."""
    low = 0.0
    high = math.inf
    x = guess
    psi = 0.0
    log_v = math.log(v)
    log_c = math.log(rest)
    for _ in range(200):
        u, psi = value_and_slope(x, alpha, kappa, gamma, delta, terms)
        e_x = math.exp(-x)
        slope = e_x * psi / u  # of -log C in x, or of log V in x
        if x < SPLIT:
            error = math.log(u) - log_v if u > 0.0 else -1.0
            new = x * math.exp(-error / (slope * x))
        else:
            error = log_c - math.log(u) if u > 0.0 else 1.0
            new = x - error / slope
        if error < 0.0:
            low = x
        else:
            high = x
        if error == 0.0 or abs(new - x) <= TOLERANCE * x:
            break
        if not (low < new < high):
            new = 2.0 * x if high == math.inf else (0.5 * high if low == 0.0 else 0.5 * (low + high))
            if not (low < new < high):
                break
        x = new
    return x, psi


@jit
def inverse(v: float, alpha: float, kappa: float, gamma: float, mu: float, terms: int) -> float:
    """The x with V(x) = v; inf where V(inf) <= v, 0 where v <= 0 < V(inf)."""
    delta = change_rate(alpha, kappa, gamma)
    v_inf = value(math.inf, alpha, kappa, gamma, mu, terms)
    if v >= v_inf:
        return math.inf
    if v <= 0.0:
        return 0.0
    guess = inverse_without_signals(v, v_inf, math.nan)
    if gamma == 0.0 or kappa == 0.0:
        return guess
    return solve(v / mu, (v_inf - v) / mu, alpha, kappa, gamma, delta, terms, max(guess, 1e-150))[0]
