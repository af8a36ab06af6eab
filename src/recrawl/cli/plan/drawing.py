"""The freshness-against-bandwidth curve in plain text."""

import numpy as np

from recrawl.cli.numbers import rate_text
from recrawl.optimal.curve import SPAN, Curve

_HEIGHT = 14
_MARGIN = 7  # room for "100% |" left of the drawing


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
