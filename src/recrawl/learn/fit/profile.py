"""Confidence intervals by profile likelihood.

A value of a quantity belongs to the interval when the best fit with that value is at most q/2 below the best fit of
all, q the chi-square quantile of one degree of freedom.  Unlike standard errors this needs no symmetry, respects the
bounds, and has an answer where the estimate is 0, infinite or not unique: a one-sided bound, or everything that fits.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.stats import chi2

from recrawl.learn.fit.likelihood import Array, log_likelihood, maximise, slopes
from recrawl.learn.fit.poisson_rate import Counted
from recrawl.learn.fit.solve import CERTAIN, Solution
from recrawl.learn.outcomes import Outcomes

Range = tuple[float, float]

_ROUNDING = 1e-12
"""Relative error of a log-likelihood.  A drop below it would be found by chance, so none is taken to be smaller."""


class Profile:
    """The set of (alpha, kappa_1 .., gamma_1 ..) that fit at a level, and the range of any function over it.

    Inside, features and weights have the units of `Outcomes.scaled`, and signal rates the coordinates of `Counted`.
    """

    def __init__(self, data: Outcomes, solution: Solution, level: float) -> None:
        scaled, self._units, self._heavy = data.scaled()
        self._rows, self._weights, self._linear = scaled.rows, scaled.row_weights, scaled.linear
        self._counts = [Counted(float(n), data.time_seen) for n in data.signals_seen]
        self._none = np.zeros(len(self._units))
        exposure = np.where(scaled.features > 0.0, scaled.features, np.inf).min(axis=0, initial=np.inf)
        certain, theta = np.where(exposure < np.inf, CERTAIN / exposure, CERTAIN), solution.theta * self._units
        self._certain = np.maximum(certain, np.where(np.isfinite(theta), theta, 0.0))
        self._best = np.minimum(theta, self._certain)
        self._most = self._likelihood(self._best)
        self._drop_counts = float(chi2.ppf(level, 1)) / 2.0
        self._drop = max(self._drop_counts / self._heavy, _ROUNDING * abs(self._most))

    def parameters(self) -> list[Range]:
        """Ranges of alpha and each kappa, the others free."""
        with np.errstate(over="ignore"):
            return [(float(a / u), float(b / u)) for (a, b), u in zip(self._box, self._units, strict=True)]

    def signal_rates(self) -> list[Range]:
        """Ranges of each gamma: counts are Poisson, and tell nothing about the other parameters."""
        found = [(of.rate(low), of.rate(high)) for of, (low, high) in zip(self._counts, self._reaches, strict=True)]
        return [pair if of.time > 0.0 else (0.0, np.inf) for of, pair in zip(self._counts, found, strict=True)]

    def derived(self, quantity: Callable[[Array], float]) -> Range:
        """Range of a quantity of (alpha, kappa .., gamma ..) that moves one way in each."""
        low, high = np.array(self._box + self._reaches).T
        high = np.minimum(high, np.concatenate((self._certain, np.full(len(self._counts), np.inf))))
        best = np.clip(np.concatenate((self._best, np.zeros(len(self._counts)))), low, high)

        def natural(x: Array) -> float:
            rates = [of.rate(v) for of, v in zip(self._counts, x[len(self._best) :], strict=True)]
            return quantity(np.concatenate((x[: len(self._best)] / self._units, rates)))

        with np.errstate(over="ignore"):
            middle = natural(best)
            least, most = (self._extreme(natural, best, low, high, sign) for sign in (1.0, -1.0))
        return min(least, middle), max(most, middle)

    # -- inside ------------------------------------------------------------------------------------------------------

    @cached_property
    def _box(self) -> list[Range]:
        return [self._parameter(i) for i in range(len(self._best))]

    @cached_property
    def _reaches(self) -> list[Range]:
        return [of.reach(self._drop_counts) for of in self._counts]

    def _parameter(self, i: int) -> Range:
        best = float(self._best[i])
        low = 0.0
        if best > 0.0 and self._surplus(0.0, i) < 0.0:
            low = self._end(best, 0.0, i)
        if self._linear[i] == 0.0:
            return low, np.inf
        # -S_i theta_i is in l, so l falls below any level by here at the latest.
        step = max(best, self._drop / self._linear[i])
        while self._surplus(best + step, i) >= 0.0:
            step *= 2.0
            if best + step == np.inf:
                return low, np.inf
        return low, self._end(best, best + step, i)

    def _end(self, inside: float, outside: float, i: int) -> float:
        """Where theta_i ceases to fit; the outside, too wide, should rounding say that the best does not fit either."""
        if self._surplus(inside, i) <= 0.0:
            return outside
        return float(brentq(self._surplus, inside, outside, args=(i,), xtol=1e-300, rtol=1e-10, maxiter=2000))

    def _surplus(self, value: float, i: int) -> float:
        """How far the best fit with theta_i = value lies above the least allowed (-1e300 for an impossible one)."""
        theta = self._best.copy()
        theta[i] = value
        held = np.zeros(len(theta), dtype=np.bool_)
        held[i] = True
        held |= self._linear == 0.0  # at infinity, or as good
        if not np.isfinite(self._likelihood(theta)):
            theta = np.where(held, theta, np.maximum(theta, 1e-3 * self._certain))
        reached, _ = maximise(theta, held, self._rows, self._weights, self._linear, self._none, self._none)
        return max(reached - self._most + self._drop, -1e300)

    def _likelihood(self, theta: Array) -> float:
        return log_likelihood(theta, self._rows, self._weights, self._linear, self._none, self._none)

    def _extreme(self, quantity: Callable[[Array], float], best: Array, low: Array, high: Array, sign: float) -> float:
        """Least (sign 1) or greatest (sign -1) quantity over what fits.

        Solved in units of the box, of the drop, and of what the quantity does over the box: the solver's tolerances are
        absolute.  Where it does not end on a point that fits, the answer is the corner of the box: never too narrow.
        """
        p = len(self._best)
        width = np.where(high > low, high - low, 1.0)
        corner, span = _corner(quantity, low, high, sign)

        def point(u: Array) -> Array:
            return np.clip(low + width * u, low, high)

        def aim(u: Array) -> float:
            return sign * quantity(point(u)) / span

        def fits(u: Array) -> float:
            x = point(u)
            lost = sum(of.loss(v) for of, v in zip(self._counts, x[p:], strict=True)) / self._heavy
            return max(1.0 + (self._likelihood(x[:p]) - self._most - lost) / self._drop, -1e6)

        def fits_slope(u: Array) -> Array:
            x = np.maximum(point(u), np.where(np.arange(len(u)) < p, 1e-12 * width, -np.inf))
            gradient, information = np.empty(p), np.empty((p, p))
            slopes(x[:p], self._rows, self._weights, self._linear, self._none, self._none, gradient, information)
            lost = np.array([of.slope(v) for of, v in zip(self._counts, x[p:], strict=True)]) / self._heavy
            return np.concatenate((gradient, -lost)) * width / self._drop

        begin = (best - low) / width
        bounds = [(0.0, 1.0 if b > a else 0.0) for a, b in zip(low, high, strict=True)]
        reached = []
        # From the best fit and from between it and the corner: at the best fit the slope may be 0 (no signals seen).
        for start in (begin, 0.5 * (begin + (corner - low) / width)):
            found = minimize(
                aim,
                start,
                bounds=bounds,
                constraints={"type": "ineq", "fun": fits, "jac": fits_slope},
                method="SLSQP",
                options={"maxiter": 200, "ftol": 1e-9},
            )
            if found.success and fits(found.x) >= -1e-4 and found.fun <= aim(begin) + 1e-12:
                reached.append(float(quantity(point(found.x))))
        return sign * min(sign * value for value in reached) if reached else float(quantity(corner))


def _corner(quantity: Callable[[Array], float], low: Array, high: Array, sign: float) -> tuple[Array, float]:
    """The corner of the box where the quantity is least or greatest (it moves one way in each), and its span."""
    ends = np.stack(np.meshgrid(*np.stack((low, high), axis=1), indexing="ij"), axis=-1).reshape(-1, len(low))
    values = sign * np.array([quantity(end) for end in ends])
    span = float(values.max() - values.min())
    return ends[int(np.argmin(values))], span if 0.0 < span < np.inf else 1.0
