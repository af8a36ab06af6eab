"""True freshness over time in plain text."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from recrawl.cli import layout

if TYPE_CHECKING:
    from recrawl.demo.result import Result

_HEIGHT = 14
_MARGIN = 6  # room for "100% |" left of the drawing
_YEAR = 365.25
_KEEP = "_"  # between words of a name, while lines are broken


def draw(result: "Result", width: int = 80, *, ascii_only: bool = False) -> list[str]:
    """A line for each crawler, as lines of text no wider than ``width`` (kept between 40 and 100 columns)."""
    from recrawl.demo.settings import AGENTS, OURS

    marks = dict(zip(AGENTS, "*.no" if ascii_only else "●·▵○", strict=True))
    corner, bar, rule = "+|-" if ascii_only else "└│─"
    columns = max(40, min(width, 100)) - _MARGIN
    values = {row.agent: _columns(np.array(row.timeline), columns) for row in result.rows}
    known = np.concatenate(list(values.values()))
    known = known[~np.isnan(known)]
    low, high = np.floor(known.min() * 20.0) / 20.0, min(np.ceil(known.max() * 20.0) / 20.0, 1.0)
    high = high if high > low else low + 0.05
    grid = [[" "] * columns for _ in range(_HEIGHT)]
    for agent in sorted(values, key=lambda agent: agent == OURS):  # ours on top
        for column, value in enumerate(values[agent].tolist()):
            if value == value:
                grid[round((high - value) / (high - low) * (_HEIGHT - 1))][column] = marks[agent]
    names = "   ".join(f"{marks[row.agent]} {row.name}".replace(" ", _KEEP) for row in result.rows)
    legend = [line.replace(_KEEP, " ") for line in layout.lines(names, columns + _MARGIN, indent="")]
    lines = ["true freshness over time", *legend]
    for row, line in enumerate(grid):
        label = high - (high - low) * row / (_HEIGHT - 1)
        shown = f"{label:>4.0%}" if row % 3 == 0 else "    "
        lines.append(f"{shown} {bar}{''.join(line)}".rstrip())
    lines.append(f"     {corner}{rule * columns}")
    lines.append(_years(result.days / _YEAR, columns))
    return lines


def _columns(
    timeline: "np.ndarray[tuple[int], np.dtype[np.float64]]", columns: int
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The mean of the timeline in each column."""
    if len(timeline) <= columns:
        return timeline[(np.arange(columns) * len(timeline)) // columns]
    edges = np.linspace(0, len(timeline), columns + 1).astype(int)
    return np.array([timeline[a:b].mean() for a, b in pairwise(edges)])


def _years(years: float, columns: int) -> str:
    """Where each year begins, under the axis."""
    line = [" "] * (columns + _MARGIN)
    for year in range(int(years + 0.05) + 1):
        text = f"{year}" if year else "0 years"
        at = min(_MARGIN + round(year / years * (columns - 1)), len(line) - len(text))
        if not "".join(line[max(at - 1, 0) : at + len(text) + 1]).strip():
            line[at : at + len(text)] = text
    return "".join(line).rstrip()
