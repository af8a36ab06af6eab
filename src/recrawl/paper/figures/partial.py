"""GREEDY-CIS against GREEDY where some changes are announced and no signal is false."""

from typing import TYPE_CHECKING

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result
from recrawl.paper.report.verdict import Check, Verdict, all_above
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.sweep import Sweep, described, plain, sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Signals without false ones"
PAPER = (
    "The figure shows GREEDY, GREEDY-CIS and BASELINE over m, recall drawn from Beta(.25, .25). The text: signals "
    "improve performance significantly, whatever the relation of bandwidth and change rates."
)

PAGE_COUNTS = (100, 200, 500, 750, 1_000)
NAMES = ("greedy", "greedy-cis", "baseline", "optimum")


def run(settings: Settings) -> Result:
    """All on the same instances and worlds."""
    found = sweep("partial", PAGE_COUNTS, plain(*NAMES), settings, instances.REPETITIONS)
    notes = ["GREEDY-NCIS is the same policy here: where no signal is false its value is that of GREEDY-CIS."]
    return Result(
        found.rows(),
        verdict(found),
        lambda figure: _draw(figure, found),
        described(found.counts, settings, instances.REPETITIONS),
        notes,
    )


def verdict(found: Sweep) -> Verdict:
    """Paired gains at every m."""
    gains = {m: found.difference(m, "greedy-cis", "greedy") for m in found.counts}
    said = "; ".join(f"m = {m:,}: {gain} (z = {gain.z:.0f})" for m, gain in gains.items())
    above = {m: found.difference(m, "greedy-cis", "baseline") for m in found.counts}
    return Verdict(
        [
            Check(
                "GREEDY-CIS is significantly better than GREEDY at every m",
                all_above(gains.values()),
                f"GREEDY-CIS minus GREEDY, paired: {said}.",
            ),
            Check(
                "it is better than the best policy that hears no signals",
                all_above(above.values()),
                f"GREEDY-CIS minus BASELINE: {'; '.join(f'm = {m:,}: {gain}' for m, gain in above.items())}.",
            ),
        ]
    )


def _draw(figure: "Figure", found: Sweep) -> None:
    axes = figure.subplots()
    for name in NAMES:
        plots.line(axes, name, found.counts, [found.mean(m, name) for m in found.counts])
    plots.page_axis(axes, found.counts)
    plots.finish(axes, "freshness (weighted by importance)", "bars are 2 standard errors")
