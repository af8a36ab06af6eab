"""The common look of the plots: one colour and marker a policy, error bars, words on the axes."""

import io
from collections.abc import Sequence
from math import log10
from typing import TYPE_CHECKING, Any

from recrawl.errors import MissingExtraError
from recrawl.paper.report.result import Result
from recrawl.sim.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours: told apart by every kind of sight. The markers tell them apart in grey print.
STYLE: dict[str, tuple[str, str, str]] = {
    "optimum": ("#000000", "_", "optimum with signals (Theorem 1)"),
    "baseline": ("#7f7f7f", "_", "BASELINE (optimum without signals)"),
    "greedy": ("#D55E00", "s", "GREEDY"),
    "greedy-cis": ("#E69F00", "^", "GREEDY-CIS"),
    "greedy-cis+": ("#CC79A7", "v", "GREEDY-CIS+"),
    "greedy-ncis": ("#0072B2", "o", "GREEDY-NCIS"),
    "ncis-approx-1": ("#009E73", "1", "G-NCIS-APPROX-1"),
    "ncis-approx-2": ("#56B4E9", "2", "G-NCIS-APPROX-2"),
    "ncis-approx-3": ("#882255", "3", "G-NCIS-APPROX-3"),
    "lds": ("#882255", "D", "LDS"),
    "greedy-ncis delayed": ("#56B4E9", "P", "GREEDY-NCIS, signals late"),
    "greedy-ncis-d": ("#009E73", "X", "GREEDY-NCIS-D, signals late"),
    "late": ("#CC79A7", "*", "signals late, weighed by age"),
    "better source": ("#E69F00", "^", "better source of each page alone"),
    "merged": ("#009E73", "X", "all sources as one"),
    "multiplied": ("#56B4E9", "P", "sources as if independent"),
    "sources": ("#0072B2", "*", "lone signals and coincidences"),
}
DPI = 100
LEAST_GAP = 0.1
"""Between two labels on an axis of page counts, as a share of its width."""


def require() -> None:
    """Refuse to begin where nothing could be drawn."""
    try:
        import matplotlib  # noqa: F401, ICN001
    except ImportError as error:
        raise MissingExtraError("drawing the figures", "plot") from error


def colour(policy: str) -> str:
    """The policy's colour, the same in every figure."""
    return STYLE[policy][0]


def label(policy: str) -> str:
    """The policy's name as the paper writes it."""
    return STYLE[policy][2]


def line(axes: "Axes", policy: str, x: Sequence[float], estimates: Sequence[Estimate], **more: Any) -> None:
    """A policy's means over ``x`` with bars of two standard errors either way."""
    shade, marker, name = STYLE[policy]
    bars = [2.0 * e.standard_error if e.standard_error == e.standard_error else 0.0 for e in estimates]
    options: dict[str, Any] = {"color": shade, "marker": marker, "label": name, "capsize": 3, "linewidth": 1.3}
    axes.errorbar(x, [e.mean for e in estimates], yerr=bars, **(options | {"markersize": 5} | more))


def page_axis(axes: "Axes", counts: Sequence[int]) -> None:
    """Number of pages, logarithmic, with a tick at every number tried; labels that would overlap are left out."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    axes.set_xticks(list(counts), _tick_labels(counts))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("pages m (crawl rate R = 100 per unit of time)")


def _tick_labels(counts: Sequence[int]) -> list[str]:
    """A label for each number that is far enough from the last labelled one.

    >>> _tick_labels([100, 200, 500, 750, 1_000, 10_000])
    ['100', '200', '500', '', '1,000', '10,000']
    """
    width = log10(max(counts) / min(counts))
    labels, last = [], 0.0
    for m in counts:
        fits = log10(m / last) > LEAST_GAP * width if last else True
        labels.append(f"{m:,}" if fits else "")
        last = float(m) if fits else last
    return labels


def finish(axes: "Axes", ylabel: str, title: str | None = None, *, legend: bool = True) -> None:
    """Labels, a light grid and the legend."""
    axes.set_ylabel(ylabel)
    if title:
        axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(frameon=False, fontsize=8)


def png(result: Result, title: str) -> bytes:
    """Draw a result; the colours are cut to a palette, which makes the file a third as large."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=result.size, layout="constrained")
    result.draw(figure)
    figure.suptitle(f"{title} [{result.label}]" if result.label else title, fontsize=11)
    stream = io.BytesIO()
    figure.savefig(stream, dpi=DPI, format="png", metadata={"Software": None})
    return palette(stream.getvalue())


def palette(picture: bytes) -> bytes:
    """A PNG with its colours cut to a palette."""
    from PIL import Image  # matplotlib depends on it

    out = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(colors=128).save(out, format="PNG", optimize=True)
    return out.getvalue()
