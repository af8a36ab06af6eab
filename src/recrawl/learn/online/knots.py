"""The signal rates at which the weights of types are kept."""

import math

from recrawl._jit import jit
from recrawl.learn.online.layout import KNOT_STEP, KNOTS, LOW_KNOT, PACE, Memory


@jit
def knot_of(memory: Memory, rate: float) -> float:
    """Where a signal rate lies among the knots: 1.25 is a quarter of the way from the second to the third."""
    at = math.log(rate / (LOW_KNOT * memory.numbers[PACE])) / KNOT_STEP
    return min(max(at, 0.0), KNOTS - 1.0)
