"""How far a signal rate may be from the one that was counted: the Poisson part of the likelihood."""

import math
from dataclasses import dataclass

from scipy.optimize import brentq


@dataclass(frozen=True)
class Counted:
    """Signals of one source, `seen` in a `time`.

    Its rate is found from a coordinate v: (seen/time) e^v, or v/time where none was seen.  With the rate itself the
    likelihood of 1e20 signals would be lost in rounding.
    """

    seen: float
    time: float

    def rate(self, v: float) -> float:
        """Signals per unit of time."""
        if self.time == 0.0:  # never watched: any rate will do
            return v
        return self.seen / self.time * math.exp(v) if self.seen > 0.0 else v / self.time

    def loss(self, v: float) -> float:
        """By how much the log-likelihood is below its maximum."""
        if self.time == 0.0:
            return 0.0
        return self.seen * _above_tangent(v) if self.seen > 0.0 else v

    def slope(self, v: float) -> float:
        """Of the loss."""
        if self.time == 0.0:
            return 0.0
        return self.seen * math.expm1(v) if self.seen > 0.0 else 1.0

    def reach(self, drop: float) -> tuple[float, float]:
        """Where the loss is `drop`; (0, 1) where nothing bounds it."""
        if self.time == 0.0:
            return 0.0, 1.0
        share = min(drop / self.seen, 1e300) if self.seen > 0.0 else math.inf
        if share == math.inf:
            return 0.0, drop

        def surplus(v: float) -> float:
            return share - _above_tangent(v)

        # Above 0, e^v - 1 - v is more than v^2/2; below, more than -1 - v, and more than v^2/3 down to -1.
        above = 1.01 * min(math.sqrt(2.0 * share), 2.0 + math.log1p(share))
        below = -math.sqrt(3.0 * share) if 3.0 * share < 1.0 else -2.0 - 1.01 * share
        low, high = (brentq(surplus, 0.0, end, xtol=1e-300, rtol=1e-12, maxiter=2000) for end in (below, above))
        return low, high


def _above_tangent(v: float) -> float:
    """e^v - 1 - v, also where the difference would cancel."""
    if abs(v) < 1e-3:
        return v * v * (1.0 / 2.0 + v * (1.0 / 6.0 + v * (1.0 / 24.0 + v / 120.0)))
    return math.expm1(v) - v
