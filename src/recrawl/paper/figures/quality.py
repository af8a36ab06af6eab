"""Importance-weighted histograms of the signals' precision and recall."""

from typing import TYPE_CHECKING

import numpy as np

from recrawl.model import Pages
from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Check, Verdict
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances, signal_quality
from recrawl.sim.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Precision and recall of the signals"
PAPER = (
    "The figure is a histogram of precision and recall over pages with sitemaps, weighted by importance, from data "
    "of the authors' own crawler. The text: the signals are noisy, and very few pages have both above 0.8."
)

BINS = np.linspace(0.0, 1.0, 21)
PAGES = 10_000
VERY_FEW = 0.02
KINDS = ("noisy", "stand-in")
"""The instances of figure `noisy`, and the distribution that stands for the authors' data in `semisynthetic`."""

NO_DATA = (
    "The authors' histograms cannot be rerun, their data being confidential; shown is the quality used in this report."
)
STAND_IN = (
    "'stand-in' has the few properties the text gives, by construction: Beta(1, 2.49) for precision and Beta(1, 3.27) "
    "for recall have their 95th percentiles at .7 and .6, the bounds of GREEDY-CIS+ that match the best 5%."
)


def run(settings: Settings) -> Result:
    """Histograms of the quality used in the other figures; the authors' own data are not public."""
    repetitions = settings.instance_count(instances.FEW_REPETITIONS)
    m = settings.page_counts([1_000, PAGES])[-1]
    drawn = {kind: [_pages(kind, m, settings.seed + rep) for rep in range(repetitions)] for kind in KINDS}
    both = {kind: Estimate.of([_share_above(pages, 0.8) for pages in drawn[kind]]) for kind in KINDS}
    histograms = {(kind, name): _histograms(drawn[kind], name) for kind in KINDS for name in ("precision", "recall")}
    rows: list[Row] = [
        {
            "pages": kind,
            "quality": name,
            "from": float(BINS[b]),
            "to": float(BINS[b + 1]),
            **Estimate.of(column).columns(),
        }
        for (kind, name), counts in histograms.items()
        for b, column in enumerate(counts.T)
    ]
    notes = [NO_DATA, STAND_IN]
    setting = f"{m:,} pages, {repetitions} instances, share of importance in bins of width 0.05"
    return Result(
        rows,
        verdict(both),
        lambda figure: _draw(figure, histograms),
        setting,
        notes,
        "not the paper's data",
        (8.0, 5.0),
    )


def _pages(kind: str, m: int, seed: int) -> Pages:
    pages = instances.noisy(m, seed)
    if kind == "noisy":
        return pages
    rng = np.random.default_rng([seed, 1])
    precision, recall = signal_quality.draw_quality(rng, rng.uniform(size=m) < signal_quality.TOP)
    return Pages.from_quality(pages.change_rate, pages.importance, precision, recall)


def _share_above(pages: Pages, bound: float) -> float:
    """Importance of the pages with precision and recall both above the bound, as a share."""
    return float(pages.importance @ ((pages.precision > bound) & (pages.recall > bound)) / pages.importance.sum())


def _histograms(drawn: list[Pages], name: str) -> np.ndarray:
    """One row an instance: the share of importance in each bin."""
    weights = [pages.importance / pages.importance.sum() for pages in drawn]
    return np.array(
        [np.histogram(getattr(pages, name), BINS, weights=w)[0] for pages, w in zip(drawn, weights, strict=True)]
    )


def verdict(both: dict[str, Estimate]) -> Verdict:
    """Very few pages, we say below 2% of importance, have both above 0.8."""
    return Verdict(
        [
            Check(
                f"in the quality used for '{kind}', very few pages have precision and recall above 0.8",
                estimate.mean < VERY_FEW,
                f"{estimate.mean:.2%} of importance (less than {VERY_FEW:.0%} counts as very few).",
            )
            for kind, estimate in both.items()
        ]
    )


def _draw(figure: "Figure", histograms: dict[tuple[str, str], np.ndarray]) -> None:
    grid = figure.subplots(2, 2, sharex=True)
    for axes, ((kind, name), counts) in zip(grid.flat, histograms.items(), strict=True):
        shade = plots.colour("greedy-ncis" if kind == "noisy" else "greedy-cis+")
        axes.bar(BINS[:-1], counts.mean(axis=0), width=0.05, align="edge", color=shade, edgecolor="white", lw=0.4)
        plots.finish(axes, "share of importance", f"{name}, pages of '{kind}'", legend=False)
        axes.set_xlabel(name)
