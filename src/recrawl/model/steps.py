"""Small exact steps that the sums share: remainders, whole powers, reciprocals, and where V gives way to C."""

import math

import numpy as np

from recrawl._jit import jit

SPLIT = 1.0
"""At and above this staleness the kernels return the complement C = 1/Delta - V, below it V.

C is a sum of positive terms where V saturates, so V = 1/Delta - C stays exact, and monotone, up to the point where it
is flat to the last digit; while x is small the same holds for V itself.
"""

RECIPROCALS = 1.0 / np.maximum(np.arange(256), 1)
"""1/m, so that series multiply instead of divide."""


@jit
def remainder(x: float, kappa: float) -> tuple[float, float]:
    """floor(x/kappa) and x - floor(x/kappa) kappa, the latter without rounding error (Dekker's product).

    A naive x - n kappa would lose digits that a large gamma/alpha then magnifies.
    """
    n = float(math.floor(x / kappa))
    p = n * kappa
    a = 134217729.0 * n
    n_high = a - (a - n)
    n_low = n - n_high
    b = 134217729.0 * kappa
    k_high = b - (b - kappa)
    k_low = kappa - k_high
    error = ((n_high * k_high - p) + n_high * k_low + n_low * k_high) + n_low * k_low
    rest = (x - p) - error
    if rest < 0.0:
        return n - 1.0, rest + kappa
    return n, rest


@jit
def whole_power(base: float, exponent: float) -> float:
    """base^exponent for a small whole exponent, by squaring."""
    result = 1.0
    n = int(exponent)
    while n > 0:
        if n & 1:
            result *= base
        base *= base
        n >>= 1
    return result
