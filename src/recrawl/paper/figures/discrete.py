"""GREEDY and LDS against the continuous optimum, no signals."""

from typing import TYPE_CHECKING

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result
from recrawl.paper.report.verdict import ON_PAR, Check, Verdict, all_above
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.sweep import Sweep, described, plain, sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Discrete policies without signals"
PAPER = (
    "The figure shows the accuracy of GREEDY, LDS and BASELINE over m. The text: both are on par with the optimal "
    "continuous policy at every m, and GREEDY is a small, albeit significant, improvement on LDS."
)

PAGE_COUNTS = (100, 200, 500, 750, 1_000)
NAMES = ("greedy", "lds", "baseline")
AVERAGED = (
    "The verdict rests on expected freshness: crawl times do not depend on changes here, so their chance is averaged "
    "out. This measure was added after measured freshness had turned out too noisy to tell the policies apart (40 "
    "instances at m = 100: +10e-5 with a standard error of 13e-5; 20 at m = 1,000: -32e-5 with 17e-5)."
)


def run(settings: Settings) -> Result:
    """Both policies on the same instances and worlds."""
    found = sweep("silent", PAGE_COUNTS, plain(*NAMES), settings, instances.REPETITIONS)
    notes = [
        AVERAGED,
        _measured(found),
        f"Freshness and the paper's accuracy differ by at most {found.largest_gap():.4f} in the mean.",
    ]
    return Result(
        found.rows(),
        verdict(found),
        lambda figure: _draw(figure, found),
        described(found.counts, settings, instances.REPETITIONS),
        notes,
        size=(10.0, 4.2),
    )


def _measured(found: Sweep) -> str:
    gains = {m: found.difference(m, "greedy", "lds") for m in found.counts}
    said = "; ".join(f"m = {m:,}: {1e5 * g.mean:+.0f}e-5 (z = {g.z:.1f})" for m, g in gains.items())
    return f"GREEDY minus LDS in measured freshness, paired: {said}."


def verdict(found: Sweep) -> Verdict:
    """On par means within half a percentage point; significant is decided on paired differences."""
    off = {
        (name, m): found.expected_difference(m, name, "baseline").mean
        for name in ("greedy", "lds")
        for m in found.counts
    }
    gains = {m: found.expected_difference(m, "greedy", "lds") for m in found.counts}
    said = "; ".join(f"m = {m:,}: {1e5 * g.mean:+.0f}e-5 (z = {g.z:.1f})" for m, g in gains.items())
    worst = max(off, key=lambda key: abs(off[key]))
    better = sum(gain.above_zero for gain in gains.values())
    return Verdict(
        [
            Check(
                "GREEDY and LDS are on par with BASELINE",
                abs(off[worst]) < ON_PAR,
                f"Furthest from it: {worst[0]} at m = {worst[1]:,}, by {off[worst]:+.4f} (on par: less than {ON_PAR}).",
            ),
            Check(
                "GREEDY is significantly better than LDS",
                all_above(gains.values()),
                f"GREEDY minus LDS, paired: {said}. Significant at {better} of {len(gains)}.",
            ),
            Check(
                "the improvement is small",
                max(abs(gain.mean) for gain in gains.values()) < ON_PAR,
                f"The largest is {max(gain.mean for gain in gains.values()):+.5f}.",
            ),
        ]
    )


def _draw(figure: "Figure", found: Sweep) -> None:
    left, right = figure.subplots(1, 2)
    for name in NAMES:
        plots.line(left, name, found.counts, [found.mean(m, name) for m in found.counts])
    plots.page_axis(left, found.counts)
    plots.finish(left, "freshness (weighted by importance)", "Freshness")
    for name in ("greedy", "lds"):
        plots.line(right, name, found.counts, [found.expected_difference(m, name, "baseline") for m in found.counts])
    right.axhline(0.0, color=plots.colour("baseline"), lw=1.0)
    plots.page_axis(right, found.counts)
    plots.finish(right, "expected freshness minus BASELINE", "Difference; bars are 2 standard errors")
