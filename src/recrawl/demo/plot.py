"""The picture of a demo: true freshness over time, of all crawlers."""

import io
from typing import TYPE_CHECKING

import numpy as np

from recrawl.demo.result import Result
from recrawl.demo.settings import EQUAL, NUTCH, OURS, STORMCRAWLER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLE = {
    EQUAL: ("#7f7f7f", "-", 3.2),
    STORMCRAWLER: ("#E69F00", (0, (3, 3)), 1.8),
    NUTCH: ("#D55E00", "-", 1.4),
    OURS: ("#0072B2", "-", 2.4),
}
"""Colours of Okabe and Ito, line style and width, the lowest line first: StormCrawler's rule mostly does what equal
intervals do, and must be seen on top of them."""
SMOOTHED = 5
"""Parts of the timeline over which is averaged."""
_YEAR = 365.25


def png(result: Result) -> bytes:
    """As bytes of a PNG; needs matplotlib."""
    from matplotlib.figure import Figure

    from recrawl.paper.report.plots import palette

    figure = Figure(figsize=(8.0, 4.6), layout="constrained")
    axes = figure.subplots()
    _lines(axes, result)
    axes.set_xlim(0.0, result.days / _YEAR)
    axes.set_xticks(range(int(result.days / _YEAR + 0.05) + 1))
    axes.set_xlabel("years of the web")
    axes.set_ylabel("copies that are fresh (weighted by importance)")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100.0 * value:.0f}%")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(
        f"{result.pages:,} real pages over real HTTP, {result.budget:g} requests a page and month each", fontsize=11
    )
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    stream = io.BytesIO()
    figure.savefig(stream, dpi=150, format="png", metadata={"Software": None})
    return palette(stream.getvalue())


def _lines(axes: "Axes", result: Result) -> None:
    for row in sorted(result.rows, key=lambda row: -row.freshness):
        shade, line, width = STYLE[row.agent]
        values = smooth(np.array(row.timeline))
        at = (np.arange(len(values)) + 0.5) * result.days / len(values) / _YEAR
        label = f"{row.name}: {100.0 * row.freshness:.1f}% over all the time"
        order = 2 + list(STYLE).index(row.agent)
        axes.plot(at, values, color=shade, linestyle=line, linewidth=width, label=label, zorder=order)


def smooth(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The mean of each value and its neighbours.

    >>> smooth(np.array([0.0, 0.0, 5.0, 0.0, 0.0])).tolist()[2]
    1.0
    """
    half = SMOOTHED // 2
    return np.array([values[max(k - half, 0) : k + half + 1].mean() for k in range(len(values))])
