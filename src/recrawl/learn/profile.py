"""Confidence intervals by profile likelihood.

A value of a quantity belongs to the interval when the best fit with that value is at most q/2 below the best fit of
all, q the chi-square quantile of one degree of freedom.  Unlike standard errors this needs no symmetry, respects the
bounds, and has an answer where the estimate is 0, infinite or not unique: a one-sided bound, or everything that fits.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.stats import chi2

from recrawl.learn.likelihood import Array, log_likelihood, maximise, slopes
from recrawl.learn.outcomes import Outcomes
from recrawl.learn.solve import CERTAIN, Solution

Range = tuple[float, float]


class Profile:
    """The set of (alpha, kappa_1 .., gamma_1 ..) that fit at a level, and the range of any function over it."""

    def __init__(self, data: Outcomes, solution: Solution, level: float) -> None:
        self._rows, self._weights, self._linear = data.rows, data.row_weights, data.linear
        self._seen, self._time = data.signals_seen, data.time_seen
        self._none = np.zeros(len(solution.theta))
        self._drop = float(chi2.ppf(level, 1)) / 2.0
        self._least = solution.log_likelihood - self._drop
        exposure = np.where(data.features > 0.0, data.features, np.inf).min(axis=0, initial=np.inf)
        certain = np.where(exposure < np.inf, CERTAIN / exposure, CERTAIN)
        self._best = np.minimum(solution.theta, certain)
        self._certain = certain

    def parameter(self, i: int) -> Range:
        """Range of theta_i, the others free."""
        best = self._best[i]
        low = 0.0
        if best > 0.0 and self._surplus(0.0, i) < 0.0:
            low = brentq(self._surplus, 0.0, best, args=(i,), xtol=1e-300, rtol=1e-10)
        if self._linear[i] == 0.0:
            return low, np.inf
        # -S_i theta_i is in l, so l falls below any level by here at the latest.
        step = max(best, self._drop / self._linear[i])
        while self._surplus(best + step, i) >= 0.0:
            step *= 2.0
        return low, brentq(self._surplus, best, best + step, args=(i,), xtol=1e-300, rtol=1e-10)

    def signal_rate(self, k: int) -> Range:
        """Range of gamma_k: counts are Poisson, and tell nothing about the other parameters."""
        seen, time = float(self._seen[k]), self._time
        if time == 0.0:
            return 0.0, np.inf

        def surplus(gamma: float) -> float:
            return self._drop + self._rate_change(seen, time, gamma)

        rate = seen / time
        low = brentq(surplus, rate * np.exp(-1.0 - self._drop / max(seen, 1e-9)), rate) if seen > 0.0 else 0.0
        return low, brentq(surplus, rate, rate + (2.0 * self._drop + 4.0 * np.sqrt(self._drop * (seen + 1.0))) / time)

    def derived(self, quantity: Callable[[Array], float], box: list[Range]) -> Range:
        """Range of a quantity that moves one way in each parameter; `box` holds the parameters' own ranges."""
        p = len(self._best)
        cap = np.concatenate((self._certain, np.full(len(self._seen), np.inf)))
        low = np.array([a for a, _ in box])
        high = np.minimum([b for _, b in box], cap)
        if not np.isfinite(high).all():  # signals were never watched
            high = np.where(np.isfinite(high), high, 1.0)
        best = np.concatenate((self._best[:p], self._seen / self._time if self._time > 0.0 else 0.0 * self._seen))
        best = np.clip(best, low, high)
        return self._extreme(quantity, best, low, high, 1.0), self._extreme(quantity, best, low, high, -1.0)

    # -- inside ------------------------------------------------------------------------------------------------------

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
        return max(reached - self._least, -1e300)

    def _likelihood(self, theta: Array) -> float:
        return log_likelihood(theta, self._rows, self._weights, self._linear, self._none, self._none)

    @staticmethod
    def _rate_change(seen: float, time: float, gamma: float) -> float:
        """Log-likelihood of a Poisson rate beside that of the best, seen/time."""
        if seen == 0.0:
            return -gamma * time
        ratio = gamma * time / seen
        return seen * (np.log(ratio) - ratio + 1.0) if ratio > 0.0 else -1e300

    def _extreme(self, quantity: Callable[[Array], float], best: Array, low: Array, high: Array, sign: float) -> float:
        """Least (sign 1) or greatest (sign -1) quantity over what fits.

        Solved in units of the box.  Where the solver does not end on a point that fits, the answer is the corner of the
        box: never too narrow.
        """
        p = len(self._best)
        width = np.where(high > low, high - low, 1.0)

        def point(u: Array) -> Array:
            return np.clip(low + width * u, low, high)

        def aim(u: Array) -> float:
            return sign * quantity(point(u))

        def fits(u: Array) -> float:
            theta = point(u)
            rates = sum(self._rate_change(n, self._time, g) for n, g in zip(self._seen, theta[p:], strict=True))
            return max(self._likelihood(theta[:p]) + rates - self._least, -1e6)

        def fits_slope(u: Array) -> Array:
            theta = np.maximum(point(u), 1e-12 * width)
            gradient, information = np.empty(p), np.empty((p, p))
            slopes(theta[:p], self._rows, self._weights, self._linear, self._none, self._none, gradient, information)
            rates = np.where(self._seen > 0.0, self._seen / theta[p:], 0.0) - self._time
            return np.concatenate((gradient, rates)) * width

        corner = self._corner(quantity, low, high, sign)
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

    @staticmethod
    def _corner(quantity: Callable[[Array], float], low: Array, high: Array, sign: float) -> Array:
        """The corner of the box where the quantity is least or greatest; it moves one way in each parameter."""
        ends = np.stack(np.meshgrid(*np.stack((low, high), axis=1), indexing="ij"), axis=-1).reshape(-1, len(low))
        corner: Array = ends[int(np.argmin([sign * quantity(end) for end in ends]))]
        return corner
