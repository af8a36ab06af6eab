"""Empirical crawl rates of every page beside those of BASELINE: what the scatter figures are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recrawl.optimal import optimum
from recrawl.paper.report import plots
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.contest import Instance
from recrawl.paper.trials.parallel import each
from recrawl.sim import Run, World, simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_DOTS = 1_500
"""Drawn in one panel; more only makes the file larger."""


@dataclass(frozen=True)
class PageRates:
    """One instance: what each page is like, BASELINE's rate for it, and each policy's."""

    change_rate: Array
    recall: Array
    precision: Array
    baseline: Array
    empirical: dict[str, Array]
    redundant: dict[str, Array]
    """Crawls per unit of time that found no change."""


def described(settings: Settings) -> str:
    """What was run, in words."""
    count = settings.instance_count(instances.FEW_REPETITIONS)
    return f"R = {instances.RATE:g}, t ≤ {settings.long(instances.HORIZON):g}, {count} instances"


def page_rates(setting: str, m: int, policies: Sequence[str], settings: Settings) -> list[PageRates]:
    """The instances of one number of pages; rates are over the whole run, as in the paper."""
    repetitions = settings.instance_count(instances.FEW_REPETITIONS)
    horizon = settings.long(instances.HORIZON)
    tasks = [(Instance(setting, m, settings.seed + rep, horizon, 0.0), tuple(policies)) for rep in range(repetitions)]
    return each(_run, tasks, settings)


def _run(task: tuple[Instance, tuple[str, ...]]) -> PageRates:
    instance, policies = task
    pages = instances.draw(instance.setting, instance.m, instance.seed)
    world = World.draw(pages, instance.horizon, instance.seed)
    runs = {name: simulate(pages, name, instances.RATE, world=world) for name in policies}
    baseline = optimum(pages, instances.RATE, use_signals=False).rates
    return PageRates(
        pages.change_rate,
        pages.recall,
        pages.precision,
        baseline,
        {name: run.rates for name, run in runs.items()},
        {name: _redundant(run) for name, run in runs.items()},
    )


def _redundant(run: Run) -> Array:
    idle = run.crawl_pages[~run.outcomes.changed]
    return np.bincount(idle, minlength=len(run.world)) / run.horizon


def joined(found: Sequence[PageRates], name: str) -> Array:
    """A column over all instances: of the pages, or a policy's rates."""
    return np.concatenate([getattr(f, name) if hasattr(f, name) else f.empirical[name] for f in found])


def scatter(axes: "Axes", found: Sequence[PageRates], policy: str, by: str | None, title: str) -> Any:
    """A dot a page: BASELINE's rate against the policy's, coloured ``by`` a column."""
    x, y = joined(found, "baseline"), joined(found, policy)
    chosen = np.random.default_rng(0).permutation(len(x))[:MOST_DOTS]
    look: dict[str, Any] = {"color": plots.colour(policy)}
    if by is not None:
        look = {"c": joined(found, by)[chosen], "cmap": "viridis", "vmin": 0.0, "vmax": 1.0}
    dots = axes.scatter(x[chosen], y[chosen], s=4, linewidths=0, **look)
    top = 1.05 * max(float(x.max()), float(np.quantile(y, 0.995)))
    axes.plot([0.0, top], [0.0, top], color="#cc0000", lw=0.8)
    axes.set(xlim=(0.0, top), ylim=(0.0, top), xlabel="BASELINE rate")
    plots.finish(axes, "empirical rate", title, legend=False)
    return dots
