"""Freshness against bandwidth, with and without signals: the numbers of the curve."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from recrawl.errors import InfeasibleError
from recrawl.model import Pages
from recrawl.optimal.optimum import optimum

if TYPE_CHECKING:
    from recrawl.optimal.plan import Watcher

Values = npt.NDArray[np.float64]

POINTS = 15
SPAN = 8.0


@dataclass(frozen=True)
class Curve:
    """Best freshness at ``rates``, log-spaced around ``rate``, with and without signals."""

    rate: float
    rates: Values
    with_signals: Values
    without_signals: Values

    def between(self, values: Values, rates: float | Values) -> Values:
        """One of the two rows of values read off at ``rates``, straight between points on the log axis."""
        return np.interp(np.log(rates), np.log(self.rates), values)

    def span(self) -> tuple[float, float]:
        """The vertical range: the values, or within [0, 1] a little around them when they are all the same."""
        both = np.concatenate((self.with_signals, self.without_signals))
        low, high = float(both.min()), float(both.max())
        if high - low < 1e-3:
            return max(low - 5e-4, 0.0), min(high + 5e-4, 1.0)
        return low, high


def freshness_curve(pages: Pages, rate: float, floor: float, share: float, progress: "Watcher") -> Curve:
    """Solve from rate/8 to 8 rate. ``pages`` are a ``share`` of all, whose rate is ``rate``.

    Rates too low to keep every page at the floor have no solution and are left out.
    """
    least = floor * len(pages) / share * (1.0 + 1e-9)
    rates = np.geomspace(max(rate / SPAN, least), rate * SPAN, POINTS)
    found = np.empty((2, POINTS))
    for i, at in enumerate(rates):
        progress.stage(f"drawing the curve ({i + 1} of {POINTS})")
        for j, use_signals in enumerate((True, False)):
            try:
                solved = optimum(pages, at * share, use_signals=use_signals, floor=floor, progress=progress.step)
            except InfeasibleError as error:  # the rate it names is not one the user gave
                raise InfeasibleError(
                    f"no curve from rate/{SPAN:g} to {SPAN:g} rate, see --no-curve: {error}"
                ) from error
            found[j, i] = solved.freshness
    return Curve(rate, rates, found[0], found[1])
