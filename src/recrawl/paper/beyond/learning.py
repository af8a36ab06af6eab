"""Learning while crawling, as a share of an oracle that knows the parameters."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Check, Verdict
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances, learning_worlds
from recrawl.paper.trials.parallel import each
from recrawl.sim import Learning
from recrawl.sim.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Learning while crawling"
PAPER = (
    "Not in the paper, which assumes the parameters. GREEDY-NCIS is told nothing but the importance of pages, and "
    "learns from signals and crawl outcomes; shown is its freshness as a share of that of GREEDY-NCIS which knows "
    "everything, in the same worlds."
)

REPETITIONS = 20
WINDOWS = 40
LATE = slice(20, 40)
"""The second half."""
BY = slice(28, 30)
"""When drift, which comes at half-time, must have been followed: t = 700 to 750."""
END = slice(36, 40)
PERIODS = {"t < 10%": slice(0, 4), "10% to 50%": slice(4, 20), "late (50% to 100%)": LATE, "whole": slice(0, 40)}

RECOVERED = 0.02
HALF_LIFE = 400.0


class Case(NamedTuple):
    """A kind of world, a number of pages, and how the policy learns; `must` and `goal` are late shares."""

    kind: str
    m: int
    must: float | None = None
    goal: float | None = None
    labelled: bool = False
    half_life: float = np.inf
    explore: float | None = None
    explore_rounds: float | None = None


CASES = {
    "paper, m = 300": Case("paper", 300, 0.992, 0.996),
    "paper, m = 1,000": Case("paper", 1_000, 0.97, 0.98),
    "paper, m = 1,000, not curious": Case("paper", 1_000, explore=0.0),
    "paper, m = 1,000, hasty": Case("paper", 1_000, explore=100.0, explore_rounds=12.0),
    "paper, m = 300, hosts mean nothing": Case("paper", 300, labelled=True),
    "quality by host, m = 300": Case("host", 300, 0.997, 0.999, labelled=True),
    "quality by host, m = 300, not told": Case("host", 300),
    "drift, m = 300": Case("drift", 300),
    "drift, m = 300, half-life 400": Case("drift", 300, half_life=HALF_LIFE),
}
DRIFT = tuple(name for name, case in CASES.items() if case.kind == "drift")
SHADES = dict(
    zip(
        CASES,
        ("#0072B2", "#D55E00", "#E69F00", "#56B4E9", "#009E73", "#999933", "#CC79A7", "#882255", "#000000"),
        strict=True,
    )
)

Array = NDArray[np.float64]
Task = tuple[Case, int, float]

NOTE = (
    "A share is freshness over freshness between two moments, world by world. In drift, change rates of a third of the "
    "pages double at half-time, and the oracle is told at once."
)


def run(settings: Settings) -> Result:
    """Every case on the same seeds."""
    repetitions = settings.instance_count(REPETITIONS)
    horizon = settings.long(instances.HORIZON)
    most = settings.most_pages
    cases = {name: case if most is None else case._replace(m=min(case.m, most)) for name, case in CASES.items()}
    tasks = [(case, settings.seed + rep, horizon) for case in cases.values() for rep in range(repetitions)]
    found = np.array(each(_fresh, tasks, settings)).reshape(len(cases), repetitions, 2, WINDOWS)
    fresh = dict(zip(cases, found, strict=True))
    rows: list[Row] = [
        {"world": name, "share of the oracle": period, **Estimate.of(share(values, part)).columns()}
        for name, values in fresh.items()
        for period, part in {**PERIODS, "70% to 75%": BY, "90% to 100%": END}.items()
    ]
    setting = f"R = {instances.RATE:g}, t ≤ {horizon:g}, {repetitions} instances, seeds from {settings.seed}"
    return Result(rows, verdict(fresh), lambda figure: _draw(figure, fresh, horizon), setting, [NOTE], size=(10.0, 4.4))


def _fresh(task: Task) -> Array:
    """Freshness in each window: of the learner, and of the oracle."""
    case, seed, horizon = task
    drawn = learning_worlds.draw(case.kind, case.m, seed, horizon)
    learning = Learning(drawn.hosts if case.labelled else None, half_life=case.half_life * horizon / instances.HORIZON)
    if case.explore is not None:
        learning = replace(learning, explore=case.explore)
    if case.explore_rounds is not None:
        learning = replace(learning, explore_rounds=case.explore_rounds)
    runs = (learning_worlds.learned(drawn, learning), learning_worlds.oracle(drawn))
    return np.array([one.timeline(horizon / WINDOWS).freshness for one in runs])


def share(fresh: Array, part: slice) -> Array:
    """Freshness of the learner over that of the oracle in part of the time, one entry a repetition."""
    return np.asarray(fresh[:, 0, part].sum(axis=1) / fresh[:, 1, part].sum(axis=1))


def verdict(fresh: Mapping[str, Array]) -> Verdict:
    """Late shares against what they must be and what they were meant to be, and drift against its own late level."""
    checks = []
    for name, values in fresh.items():
        late = Estimate.of(share(values, LATE))
        for word, least in (("must be", CASES[name].must), ("goal:", CASES[name].goal)):
            if least is not None:
                checks.append(Check(f"{name}: {word} {least:.1%}", late.mean >= least, f"Late share {_percent(late)}."))
    for name in DRIFT:
        gap = Estimate.of(share(fresh[name], END) - share(fresh[name], BY))
        claim = f"{name}: within {RECOVERED:.0%} of its own late level by t = 700"
        checks.append(Check(claim, gap.mean <= RECOVERED, f"From t = 700 to 750 it is {_percent(gap)} below."))
    return Verdict(checks)


def _percent(estimate: Estimate) -> str:
    return f"{100 * estimate.mean:.2f}% ± {100 * estimate.standard_error:.2f}"


def _draw(figure: "Figure", fresh: Mapping[str, Array], horizon: float) -> None:
    left, right = figure.subplots(1, 2)
    _curves(left, {name: values for name, values in fresh.items() if name not in DRIFT}, horizon)
    _curves(right, {name: fresh[name] for name in DRIFT}, horizon)
    right.axvline(horizon / 2.0, color="0.6", ls=":", lw=1.0)
    plots.finish(left, "share of the oracle's freshness", "Rates that stay")
    plots.finish(right, "share of the oracle's freshness", "A third of the rates double at half-time")


def _curves(axes: "Axes", fresh: Mapping[str, Array], horizon: float) -> None:
    x = (np.arange(WINDOWS) + 0.5) * horizon / WINDOWS
    for name, values in fresh.items():
        axes.plot(x, values[:, 0].sum(axis=0) / values[:, 1].sum(axis=0), color=SHADES[name], lw=1.2, label=name)
    axes.set_xlabel("time")
    axes.set_ylim(0.85, 1.01)
