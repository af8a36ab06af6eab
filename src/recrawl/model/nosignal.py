"""A page without signals: V = P(2, x)/alpha, psi = x/alpha, w = (1 - e^-x)/alpha."""

import math

from recrawl._jit import jit


@jit
def p2(x: float) -> float:
    """P(2, x) = 1 - e^-x (1 + x), to full relative accuracy at both ends.

    Below 1 the plain form cancels (P(2, x) ~ x^2/2), so the positive series e^-x (x^2/2! + x^3/3! + ...) is used.
    """
    if x >= 1.0:
        return 1.0 - math.exp(-x) * (1.0 + x) if x < 750.0 else 1.0
    s = 1.0 / 6402373705728000.0  # 1/18!
    s = s * x + 1.0 / 355687428096000.0
    s = s * x + 1.0 / 20922789888000.0
    s = s * x + 1.0 / 1307674368000.0
    s = s * x + 1.0 / 87178291200.0
    s = s * x + 1.0 / 6227020800.0
    s = s * x + 1.0 / 479001600.0
    s = s * x + 1.0 / 39916800.0
    s = s * x + 1.0 / 3628800.0
    s = s * x + 1.0 / 362880.0
    s = s * x + 1.0 / 40320.0
    s = s * x + 1.0 / 5040.0
    s = s * x + 1.0 / 720.0
    s = s * x + 1.0 / 120.0
    s = s * x + 1.0 / 24.0
    s = s * x + 1.0 / 6.0
    s = s * x + 0.5
    return math.exp(-x) * x * x * s
