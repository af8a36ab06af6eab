"""The appendix's trial of estimators: what both of its figures run, tabulate and draw."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Verdict
from recrawl.paper.settings import Settings
from recrawl.paper.trials import appendix, parallel
from recrawl.sim.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGES_A_RATE = 40
"""Pages for each crawl rate; the paper does not say how many it drew."""

QUALITIES = ("precision", "recall")

_SHADES = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7")
"""Okabe and Ito's: told apart by every kind of sight."""

READING = (
    "The text does not say how crawls are spaced: here they are a Poisson process, at 1/4, 1/2, 1, 2 and 4 times the "
    "change rate in equal parts. Its formula for naive precision divides by intervals with a change; meant, and used, "
    "are intervals with a signal."
)


class Task(NamedTuple):
    """One page at one crawl rate."""

    estimate: Callable[[appendix.Trial], tuple[float, float]]
    crawl_ratio: float
    seed: tuple[int, int, int]
    horizon: float


class Trials(NamedTuple):
    """Truth and estimates of precision and recall, a row a page."""

    crawl_ratio: np.ndarray
    truth: np.ndarray
    estimates: np.ndarray

    def errors(self, quality: str) -> np.ndarray:
        """Estimate minus truth."""
        k = QUALITIES.index(quality)
        return np.asarray(self.estimates[:, k] - self.truth[:, k])


def result(
    estimate: Callable[[appendix.Trial], tuple[float, float]],
    settings: Settings,
    verdict: Callable[[Trials], Verdict],
    notes: Sequence[str] = (),
) -> Result:
    """Run the trial of one estimator; the same seed draws the same pages for both."""
    pages = settings.instance_count(PAGES_A_RATE)
    horizon = settings.time(appendix.APPENDIX_HORIZON)
    tasks = [
        Task(estimate, ratio, (settings.seed, k, rep), horizon)
        for k, ratio in enumerate(appendix.CRAWL_RATIOS)
        for rep in range(pages)
    ]
    found = np.array(parallel.each(_try, tasks, settings))
    trials = Trials(np.array([task.crawl_ratio for task in tasks]), found[:, :2], found[:, 2:])
    setting = (
        f"{pages} pages at each of {len(appendix.CRAWL_RATIOS)} crawl rates, horizon {horizon:,.0f}, precision and "
        "recall ~ U[.2, .95], mean time between changes ~ U[2, 20]"
    )
    return Result(_rows(trials), verdict(trials), lambda figure: _draw(figure, trials), setting, (READING, *notes))


def _try(task: Task) -> tuple[float, float, float, float]:
    trial = appendix.draw(np.random.default_rng(task.seed), task.crawl_ratio, task.horizon)
    precision, recall = task.estimate(trial)
    return trial.page.precision.item(), trial.page.recall.item(), precision, recall


def _rows(trials: Trials) -> list[Row]:
    rows: list[Row] = []
    for quality in QUALITIES:
        errors = trials.errors(quality)
        for ratio in (*appendix.CRAWL_RATIOS, 0.0):
            mine = errors[trials.crawl_ratio == ratio] if ratio else errors
            rate = ratio or "all"
            for measure, values in (("bias", mine), ("absolute error", np.abs(mine))):
                rows.append(
                    {"quality": quality, "crawl_ratio": rate, "measure": measure, **Estimate.of(values).columns()}
                )
    return rows


def _draw(figure: "Figure", trials: Trials) -> None:
    for k, (quality, axes) in enumerate(zip(QUALITIES, figure.subplots(1, 2), strict=True)):
        axes.plot([0.0, 1.0], [0.0, 1.0], color="0.6", linestyle=":", linewidth=1.2)
        for ratio, marker, shade in zip(appendix.CRAWL_RATIOS, "osD^v", _SHADES, strict=True):
            mine = trials.crawl_ratio == ratio
            axes.plot(
                trials.truth[mine, k],
                trials.estimates[mine, k],
                marker,
                color=shade,
                markersize=4,
                alpha=0.7,
                label=f"{ratio:g} crawls a change",
            )
        plots.finish(axes, f"estimated {quality}", quality, legend=k == 0)
        axes.set_xlabel(f"true {quality}")
        axes.set_xlim(0.15, 1.02)
        axes.set_ylim(0.15, 1.02)
