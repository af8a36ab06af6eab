"""Predicted against observed change as a picture."""

from typing import TYPE_CHECKING

import numpy as np

from recrawl.cli import picture

if TYPE_CHECKING:
    from recrawl.learn import Calibration

_DOTS = "#0072B2"


def save(path: str, checked: "Calibration") -> None:
    """Draw ``checked`` into a file."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=(5.4, 5.0), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0.0, 1.0], [0.0, 1.0], color="0.6", linestyle=":", linewidth=1.2, label="as predicted")
    bars = np.maximum([checked.observed - checked.low, checked.high - checked.observed], 0.0)
    axes.errorbar(
        checked.predicted,
        checked.observed,
        yerr=bars,
        fmt="o",
        color=_DOTS,
        capsize=3,
        markersize=5,
        label="observed, 95% binomial interval",
    )
    for scale in (axes.xaxis, axes.yaxis):
        scale.set_major_formatter(PercentFormatter(xmax=1.0, decimals=None))
    axes.set_xlabel("predicted chance of a change (crawls not used to predict)")
    axes.set_ylabel("share of crawls that found a change")
    axes.set_title(f"Calibration: {int(checked.intervals.sum()):,} intervals in {len(checked.intervals)} bins")
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.grid(alpha=0.25)
    axes.legend(loc="upper left")
    picture.save(path, figure)
