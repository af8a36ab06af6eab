"""V and its 1-, 2- and 3-term approximations."""

from typing import TYPE_CHECKING

import numpy as np

from recrawl.model import Pages, crawl_value
from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Check, Verdict
from recrawl.paper.settings import Settings
from recrawl.sim.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The crawl value and its approximations"
PAPER = (
    "The figure draws V for one page with the sums cut after 1, 2 and 3 terms: all from below, and one red line as "
    "the asymptote of all of them. The text: a small number of terms, e.g. 3, approximates V very well."
)

CHANGE_RATE, RECALL = 1.0, 0.5
NOISE = {"strong signals": 0.05, "medium signals": 0.3, "weak signals": 2.0}
"""False signals per unit of time; the paper does not give its page, so three kinds are tried."""

TERMS = (1, 2, 3)
VERY_WELL = 0.01
STALENESS = np.concatenate([np.linspace(0.05, 8.0, 160), [np.inf]])


def run(settings: Settings) -> Result:
    """Evaluate the value on a grid; nothing is drawn at random."""
    del settings
    values = {
        (kind, terms): crawl_value(_page(nu), STALENESS[:, None], terms=terms)[:, 0] * CHANGE_RATE
        for kind, nu in NOISE.items()
        for terms in (0, *TERMS)
    }
    rows: list[Row] = [
        {"page": kind, "terms": terms or "all", "staleness": float(x)} | Estimate.exact(v).columns()
        for (kind, terms), column in values.items()
        for x, v in zip(STALENESS[::8], column[::8], strict=True)
    ]
    setting = f"change rate 1, recall {RECALL}, false signals {', '.join(f'{nu:g}' for nu in NOISE.values())}; V/V(∞)"
    return Result(rows, verdict(values), lambda figure: _draw(figure, values), setting, size=(10.5, 3.8))


def _page(nu: float) -> Pages:
    return Pages.from_rates(CHANGE_RATE, 1.0, RECALL, nu)


def verdict(values: dict[tuple[str, int], np.ndarray]) -> Verdict:
    """From below on the whole grid, the same height at infinity, three terms within 1% everywhere."""
    excess = max(float((values[kind, j] - values[kind, 0]).max()) for kind in NOISE for j in TERMS)
    ends = {kind: [float(values[kind, j][-1]) for j in TERMS] for kind in NOISE}
    gap = {kind: 1.0 - min(end) for kind, end in ends.items()}
    lost = {kind: float((1.0 - values[kind, 3] / values[kind, 0]).max()) for kind in NOISE}
    said = "; ".join(f"{kind}: {', '.join(f'{end:.3f}' for end in ends[kind])}" for kind in NOISE)
    return Verdict(
        [
            Check("the approximations are never above V", excess <= 1e-12, f"Largest excess {excess:.1e}."),
            Check(
                "V and its approximations have one asymptote",
                max(gap.values()) < 1e-3,
                f"V ends at 1; with 1, 2, 3 terms it ends at {said}. J terms end at 1 - (ν/(Δ+ν))^J.",
            ),
            Check(
                "three terms approximate V very well (within 1%)",
                max(lost.values()) < VERY_WELL,
                "Largest share of V missing: " + "; ".join(f"{k} {v:.2%}" for k, v in lost.items()) + ".",
            ),
        ]
    )


def _draw(figure: "Figure", values: dict[tuple[str, int], np.ndarray]) -> None:
    for axes, (kind, nu) in zip(figure.subplots(1, len(NOISE), sharey=True), NOISE.items(), strict=True):
        axes.axhline(1.0, color="#cc0000", lw=0.9, label="V(∞)")
        axes.plot(STALENESS[:-1], values[kind, 0][:-1], color=plots.colour("greedy-ncis"), lw=2.0, label="V, exact")
        for j in TERMS:
            shade = plots.colour(f"ncis-approx-{j}")
            axes.plot(STALENESS[:-1], values[kind, j][:-1], color=shade, ls="--", lw=1.4, label=f"{j} of its terms")
        axes.set_xlabel("staleness x = ατ + κn")
        plots.finish(axes, "", f"{kind}: ν = {nu:g}", legend=axes is figure.axes[0])
    figure.axes[0].set_ylabel("V(x) / V(∞)")
