"""Several sources of signals: told apart, and their coincidences believed, beside simpler ways to listen."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Check, Verdict, reaches
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.parallel import each
from recrawl.paper.trials.several_sources import CONTENDERS, Case, freshness
from recrawl.sim.statistics import Estimate, paired_difference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Several sources of signals"
PAPER = (
    "Beyond the paper, whose pages have one source. Our claim: telling lone signals from coincidences, with the value "
    "that goes with them (docs/signals.md), beats the better source alone, all sources merged into one, and "
    "sources weighed as if independent."
)

REPETITIONS = 12
PAGE_COUNTS = (100, 300, 1_000)
OURS = "sources"
GOALS = {100: 0.120, 300: 0.110, 1_000: 0.048}
"""What an independent trial gained over GREEDY, to its last digit."""

Scores = dict[int, NDArray[np.float64]]
"""By number of pages: one row a repetition, one column a contender."""


def run(settings: Settings) -> Result:
    """All contenders at each number of pages."""
    repetitions = settings.instance_count(REPETITIONS)
    horizon, warmup = settings.long(instances.HORIZON), settings.long(instances.WARMUP)
    counts = settings.page_counts(PAGE_COUNTS)
    cases = [Case(m, settings.seed + rep, horizon, warmup) for m in counts for rep in range(repetitions)]
    scores = np.array(each(freshness, cases, settings)).reshape(len(counts), repetitions, len(CONTENDERS))
    found = dict(zip(counts, scores, strict=True))
    rows: list[Row] = [
        {"pages": m, "policy": name, **Estimate.of(found[m][:, k]).columns()}
        for m in counts
        for k, name in enumerate(CONTENDERS)
    ]
    setting = (
        f"two sources a page, recall Beta(.25, .25) and false signals U(.1, .6) each; R = {instances.RATE:g}, "
        f"t ≤ {horizon:g}, {repetitions} instances each; freshness from t = {warmup:g} on"
    )
    return Result(rows, verdict(found), lambda figure: _draw(figure, found), setting, size=(10.0, 4.2))


def gain(found: Scores, m: int, over: str) -> Estimate:
    """Our freshness minus a contender's, in the same worlds."""
    return paired_difference(found[m][:, CONTENDERS.index(OURS)], found[m][:, CONTENDERS.index(over)])


def verdict(found: Scores) -> Verdict:
    """Above every contender at each number of pages, and the gains of the earlier trial over GREEDY."""
    checks = []
    for m in found:
        for rival in CONTENDERS[:-1]:
            more = gain(found, m, rival)
            checks.append(Check(f"m = {m:,}: above '{rival}'", more.above_zero, f"{more} above it (z = {more.z:.1f})."))
        more = gain(found, m, "greedy")
        checks.append(reaches(f"m = {m:,}", more, GOALS[m]))
    return Verdict(checks)


def _draw(figure: "Figure", found: Scores) -> None:
    left, right = figure.subplots(1, 2)
    counts = list(found)
    for k, name in enumerate(CONTENDERS):
        plots.line(left, name, counts, [Estimate.of(found[m][:, k]) for m in counts])
        if name != "greedy":
            plots.line(right, name, counts, [paired_difference(found[m][:, k], found[m][:, 0]) for m in counts])
    for axes, what in ((left, "freshness (weighted by importance)"), (right, "freshness minus GREEDY (paired)")):
        plots.page_axis(axes, counts)
        plots.finish(axes, what, None if axes is left else "Bars are 2 standard errors", legend=axes is left)
