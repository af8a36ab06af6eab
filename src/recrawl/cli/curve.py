"""Freshness against bandwidth: the numbers, and a drawing of them in plain text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from recrawl.errors import InfeasibleError
from recrawl.model import Pages
from recrawl.optimal import optimum

if TYPE_CHECKING:
    from recrawl.cli.planning import Watcher

Values = npt.NDArray[np.float64]

POINTS = 15
SPAN = 8.0

_HEIGHT = 14
_MARGIN = 7  # room for "100% |" left of the drawing


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


def rate_text(rate: float) -> str:
    """A rate for people: four digits, or all before the point.

    >>> rate_text(0.0012345678), rate_text(12.5), rate_text(100000.4)
    ('0.001235', '12.5', '100,000')
    """
    return f"{rate:,.0f}" if 1e3 <= rate < 1e15 else f"{rate:.4g}"


def draw(curve: Curve, width: int = 80, *, ascii_only: bool = False) -> list[str]:
    """The curve as lines of text no wider than ``width`` (kept between 40 and 100 columns)."""
    with_mark, without_mark, chosen, corner, bar, rule = "*o:+|-" if ascii_only else "●○┊└│─"
    columns = max(40, min(width, 100)) - _MARGIN
    at = np.geomspace(curve.rates[0], curve.rates[-1], columns)
    low, high = curve.span()

    grid = [[" "] * columns for _ in range(_HEIGHT)]
    here = _column(curve, curve.rate, columns)
    for line in grid:
        line[here] = chosen
    for values, mark in ((curve.without_signals, without_mark), (curve.with_signals, with_mark)):
        level = (curve.between(values, at) - low) / (high - low)
        for column, row in enumerate(np.rint((1.0 - level) * (_HEIGHT - 1)).astype(int)):
            grid[row][column] = mark

    lines = ["best freshness against crawl rate", f"{with_mark} with signals   {without_mark} without signals"]
    for row, line in enumerate(grid):
        label = high - (high - low) * row / (_HEIGHT - 1)
        shown = f"{label:>4.0%}" if row % 3 == 1 else "    "
        lines.append(f"{shown} {bar}{''.join(line)}".rstrip())
    lines.append(f"     {corner}{rule * columns}")
    lines.append(_tick_line(curve, columns))
    return lines


def _column(curve: Curve, rate: float, columns: int) -> int:
    share = np.log(rate / curve.rates[0]) / np.log(curve.rates[-1] / curve.rates[0])
    return round(float(share) * (columns - 1))


def _tick_line(curve: Curve, columns: int) -> str:
    """Rates under the axis: the chosen one first, then those that still find room."""
    line = [" "] * (columns + _MARGIN)
    for factor in (1.0, 1 / SPAN, SPAN, 1 / 4, 4.0, 1 / 2, 2.0):
        rate = curve.rate * factor
        if not curve.rates[0] * (1 - 1e-9) <= rate <= curve.rates[-1] * (1 + 1e-9):
            continue
        label = rate_text(rate)
        begin = _MARGIN - 1 + _column(curve, rate, columns) - len(label) // 2
        begin = max(0, min(begin, len(line) - len(label)))
        around = line[max(0, begin - 2) : begin + len(label) + 2]
        if set(around) == {" "}:
            line[begin : begin + len(label)] = label
    return "".join(line).rstrip()
