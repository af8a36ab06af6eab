"""How every page answers one multiplier: its threshold, its crawl rate, and what they cost together."""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.model.inverse import inverse_without_signals, solve
from recrawl.model.scalar import psi as psi_at
from recrawl.model.scalar import value

Array = NDArray[np.float64]


@jit
def _answer(
    target: float,
    alpha: float,
    kappa: float,
    gamma: float,
    mu: float,
    delta: float,
    guess: float,
) -> tuple[float, float]:
    """(threshold, rate) of one page that is crawled when its value reaches `target`."""
    v_inf = mu / delta if delta > 0.0 else 0.0
    if target >= v_inf:
        return math.inf, 0.0
    if target <= 0.0:
        return 0.0, (math.inf if alpha > 0.0 else gamma)
    if gamma == 0.0 or kappa == 0.0:
        x = inverse_without_signals(target, v_inf, guess)
        return x, alpha / x
    if not 0.0 < guess < math.inf:
        guess = max(inverse_without_signals(target, v_inf, math.nan), 1e-150)
    x, psi = solve(target / mu, (v_inf - target) / mu, alpha, kappa, gamma, delta, 0, guess)
    return x, 1.0 / psi


@jit
def respond(
    level: float,
    alpha: Array,
    kappa: Array,
    gamma: Array,
    mu: Array,
    delta: Array,
    cost: Array,
    floor: Array,
    floor_x: Array,
    x: Array,
    rate: Array,
) -> float:
    """Fill thresholds (from their old values as guesses) and rates at multiplier `level`; return the summed cost.

    The sum is compensated (Neumaier), so that a million rates add up to the budget to the last digits.
    """
    total = 0.0
    lost = 0.0
    for i in range(len(mu)):
        x[i], rate[i] = _answer(level * cost[i], alpha[i], kappa[i], gamma[i], mu[i], delta[i], x[i])
        if rate[i] < floor[i]:
            x[i] = floor_x[i]
            rate[i] = floor[i]
        spent = cost[i] * rate[i]
        new = total + spent
        lost += (total - new) + spent if abs(total) >= abs(spent) else (spent - new) + total
        total = new
    return total + lost


@jit
def _threshold_of_rate(rate: float, alpha: float, kappa: float, gamma: float) -> float:
    """The threshold whose crawl rate is `rate`: psi(x) = 1/rate by bisection in log x; 0 or inf beyond the ends."""
    target = 1.0 / rate
    if psi_at(math.inf, alpha, kappa, gamma) <= target:
        return math.inf
    low = -690.0
    high = 690.0
    if psi_at(math.exp(low), alpha, kappa, gamma) >= target:
        return 0.0
    for _ in range(64):
        middle = 0.5 * (low + high)
        if psi_at(math.exp(middle), alpha, kappa, gamma) < target:
            low = middle
        else:
            high = middle
    return math.exp(high)


@jit
def floor_thresholds(floor: Array, alpha: Array, kappa: Array, gamma: Array, delta: Array, out: Array) -> None:
    """The thresholds at which pages are crawled at their least rate; inf where there is none or nothing changes."""
    for i in range(len(floor)):
        if floor[i] > 0.0 and delta[i] > 0.0:
            out[i] = _threshold_of_rate(floor[i], alpha[i], kappa[i], gamma[i])
        else:
            out[i] = math.inf


@jit
def page_freshness(x: Array, rate: Array, alpha: Array, kappa: Array, gamma: Array, delta: Array, out: Array) -> None:
    """Long-run freshness F = e^-x + rate V(x)/mu.

    It equals w/psi at rate = 1/psi(x), and is also right between two thresholds of equal value (where psi jumps, or
    between x = inf and not crawling at all), where time is shared and freshness is linear in the rate.
    """
    for i in range(len(x)):
        if delta[i] <= 0.0:
            out[i] = 1.0
        else:
            out[i] = min(1.0, math.exp(-x[i]) + rate[i] * value(x[i], alpha[i], kappa[i], gamma[i], 1.0, 0))
