"""Signals that come late: weighed by their age at arrival, beside what the paper does about them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Check, Verdict, reaches
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.contest import Contender
from recrawl.paper.trials.sweep import Sweep, sweep
from recrawl.sim import DrawnLatency, Exponential, Poisson

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Late signals, weighed by their age"
PAPER = (
    "Beyond the paper, which drops signals within 5/R after a crawl. Our claim: knowing how late signals are, weighing "
    "each by its age and letting pages age by what is under way (docs/signals.md) is at least as good as that at every "
    "latency, and never worse than to ignore signals."
)

REPETITIONS = 20
CASES: dict[str, tuple[int, DrawnLatency]] = {
    "m = 100, Poisson(6) slots": (100, Poisson.ticks(6.0, instances.RATE)),
    "m = 100, Poisson(6) units": (100, Poisson(6.0)),
    "m = 200, exponential 0.5": (200, Exponential(0.5)),
    "m = 100, exponential 0.06": (100, Exponential(0.06)),
    "m = 100, exponential 0.5": (100, Exponential(0.5)),
    "m = 1,000, exponential 0.5": (1_000, Exponential(0.5)),
}
GOALS = {
    "m = 100, Poisson(6) slots": 0.066,
    "m = 100, Poisson(6) units": 0.0,
    "m = 200, exponential 0.5": 0.033,
}
"""What an independent trial gained over GREEDY, to its last digit."""

GREEDY, NONE, NAIVE, KEPT, BAYES = "greedy", "greedy-ncis", "greedy-ncis delayed", "greedy-ncis-d", "late"


def run(settings: Settings) -> Result:
    """Five contenders in each case."""
    found = {
        case: sweep("noisy", (m,), _contenders(latency), settings, REPETITIONS)
        for case, (m, latency) in CASES.items()
        if m == 100 or settings.most_pages is None or m <= settings.most_pages
    }
    rows: list[Row] = [{"case": case, **row} for case, part in found.items() for row in part.rows()]
    setting = (
        f"noisy instances, R = {instances.RATE:g}, t ≤ {settings.long(instances.HORIZON):g}, "
        f"{settings.instance_count(REPETITIONS)} instances each; "
        f"freshness from t = {settings.long(instances.WARMUP):g} on"
    )
    notes = [f"{case}: late news costs {_minus(part, NONE, BAYES)} of freshness." for case, part in found.items()]
    return Result(rows, verdict(found), lambda figure: _draw(figure, found), setting, notes, size=(9.0, 4.6))


def _contenders(latency: DrawnLatency) -> dict[str, Contender]:
    return {
        GREEDY: Contender("greedy"),
        NONE: Contender("greedy-ncis"),
        NAIVE: Contender("greedy-ncis", latency),
        KEPT: Contender("greedy-ncis", latency, instances.DISCARD_WINDOW),
        BAYES: Contender("greedy-ncis", latency, knows_latency=True),
    }


def _minus(found: Sweep, first: str, second: str) -> str:
    return str(found.difference(found.counts[0], first, second))


def verdict(found: Mapping[str, Sweep]) -> Verdict:
    """In each case: not below GREEDY, not below the discard window; and the gains of the earlier trial."""
    checks = []
    for case, part in found.items():
        m = part.counts[0]
        for rival, name in ((GREEDY, "GREEDY"), (KEPT, "GREEDY-NCIS-D")):
            gain = part.difference(m, BAYES, rival)
            checks.append(
                Check(
                    f"{case}: not below {name}",
                    gain.mean >= -2.0 * gain.standard_error,
                    f"{gain} above it (two standard errors below 0 are allowed).",
                )
            )
        if case in GOALS:
            gain = part.difference(m, BAYES, GREEDY)
            checks.append(reaches(case, gain, GOALS[case]))
    return Verdict(checks)


def _draw(figure: "Figure", found: Mapping[str, Sweep]) -> None:
    axes = figure.subplots()
    cases = list(found)
    for k, name in enumerate((NONE, NAIVE, KEPT, BAYES)):
        gains = [part.difference(part.counts[0], name, GREEDY) for part in found.values()]
        plots.line(axes, name, [at + 0.12 * (k - 1.5) for at in range(len(cases))], gains, linestyle="none")
    axes.axhline(0.0, color=plots.colour(GREEDY), lw=1.0)
    plots.finish(axes, "freshness minus GREEDY (paired)", "Bars are 2 standard errors")
    axes.set_xticks(range(len(cases)), [case.replace(", ", "\n") for case in cases], fontsize=8)
    axes.set_xlabel("")
