"""The three functions of one page, by case: which form is exact where.

Theory of operation
-------------------
`parts` returns (V, psi) per unit importance when x < SPLIT and (1/Delta - V, psi) when x >= SPLIT.  Everything else
follows: V' = e^-x psi, w = V + e^-x psi.  With xi = x/kappa (how many signals fit into x) and c = gamma kappa/alpha:

    | case                                   | form                                | file            |
    |----------------------------------------|-------------------------------------|-----------------|
    | no signals, or they say nothing        | P(2, x)/alpha                       | nosignal.py     |
    | xi >= settled(c), or xi > WHOLE        | asymptote                           | many_signals.py |
    | xi > DIRECT, signals neither weak nor strong | asymptote and modes           | many_signals.py |
    | alpha = 0: time does not age the page  | every P = 1                         | here            |
    | theta x < 2                            | positive series                     | rare_signals.py |
    | otherwise                              | "P = 1" plus what is missing        | frequent_signals.py |

Each costs a bounded number of operations, however large xi is.
"""

import math

from recrawl._jit import jit
from recrawl.model.frequent_signals import all_ones, frequent
from recrawl.model.many_signals import many, settled
from recrawl.model.nosignal import p2
from recrawl.model.rare_signals import rare
from recrawl.model.steps import SPLIT, remainder

DIRECT = 24.0
"""Up to this many signals the sum is taken term by term rather than by modes."""

WHOLE = 1e15
"""Beyond this many signals floor(x/kappa) is not known to the last digit, and one term more or less is none of it."""


@jit
def change_rate(alpha: float, kappa: float, gamma: float) -> float:
    """Delta = alpha + gamma (1 - e^-kappa)."""
    return alpha - gamma * math.expm1(-kappa)


@jit
def _all_signalled(x: float, kappa: float, gamma: float, delta: float) -> tuple[float, float]:
    """alpha = 0: psi = ceil(x/kappa)/gamma and V = int e^-u psi du.

    Staleness is then a multiple of kappa; rounding must not push it over the next step, hence the slack.
    """
    n = 0.0
    if kappa <= x:
        n, frac = remainder(x, kappa)
        if frac <= 1e-12 * x and n > 0.0:
            n -= 1.0
    terms = n + 1.0
    if x < SPLIT:
        return math.exp(-x) * all_ones(terms, x, kappa, 0.0) / gamma, terms / gamma
    return math.exp(-terms * kappa) / delta + math.exp(-x) * terms / gamma, terms / gamma


@jit
def parts(x: float, alpha: float, kappa: float, gamma: float, delta: float) -> tuple[float, float]:
    """(V, psi) for x < SPLIT, (1/Delta - V, psi) for x >= SPLIT, at 0 < x < inf, delta > 0 and unit importance.

    `delta` must be change_rate(alpha, kappa, gamma).
    """
    if gamma == 0.0 or kappa == 0.0 or gamma * x < 1e-18 * alpha:
        if x < SPLIT:
            return p2(x) / alpha, x / alpha
        return math.exp(-x) * (1.0 + x) / alpha, x / alpha
    theta = gamma / alpha
    n = 0.0
    frac = x
    if kappa <= x:
        c = theta * kappa
        xi = x / kappa
        if xi >= settled(c) or xi > WHOLE:
            return many(x, alpha, kappa, gamma, delta, False)
        if xi > DIRECT and math.sqrt(xi) > 0.25 * (1.0 + c):
            return many(x, alpha, kappa, gamma, delta, True)
    if theta == math.inf:
        return _all_signalled(x, kappa, gamma, delta)
    if kappa <= x:
        n, frac = remainder(x, kappa)
    if theta * x < 2.0:
        return rare(x, alpha, kappa, gamma, delta, n, frac)
    return frequent(x, alpha, kappa, gamma, delta, n, frac)
