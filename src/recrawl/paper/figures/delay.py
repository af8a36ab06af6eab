"""Signals that come late, and what discarding those soon after a crawl recovers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import ON_PAR, Check, Verdict, all_above
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.contest import Contender
from recrawl.paper.trials.sweep import Sweep, described, sweep
from recrawl.sim import DrawnLatency, Exponential, Poisson

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Delayed signals"
PAPER = (
    "The figure shows GREEDY-NCIS with signals at once, with delayed ones, and GREEDY-NCIS-D, which discards signals "
    "within 5/R after a crawl. The text: delay hurts when bandwidth is not tight and hardly matters when it is; at "
    "m = 100 GREEDY-NCIS-D is on par with no delay."
)

PAGE_COUNTS = (100, 200, 500, 750, 1_000)
ENDS = (100, 1_000)
"""Where the other readings are run."""

V = 6.0
READINGS: dict[str, DrawnLatency] = {
    "Poisson(6) crawl slots": Poisson.ticks(V, instances.RATE),
    "Poisson(6) units of time": Poisson(V),
    "exponential, mean 6 slots": Exponential(V / instances.RATE),
    "exponential, mean 6 units": Exponential(V),
}
MAIN = next(iter(READINGS))
NONE, LATE, KEPT = "greedy-ncis", "greedy-ncis delayed", "greedy-ncis-d"
FOUR_READINGS = (
    'The text says "Poisson distribution with v = 6" and, in the conclusions, "exponential"; six of what it does not '
    f"say. Four readings are run. Drawn is '{MAIN}': delays in slots are of the size of the window 5/R, in units not."
)


def run(settings: Settings) -> Result:
    """The reading in crawl slots at every m, the others at both ends."""
    found = {
        reading: sweep(
            "noisy", PAGE_COUNTS if reading == MAIN else ENDS, _contenders(delay), settings, instances.REPETITIONS
        )
        for reading, delay in READINGS.items()
    }
    rows: list[Row] = [{"reading": reading, **row} for reading, part in found.items() for row in part.rows()]
    notes = [FOUR_READINGS, *(_recovered(reading, part) for reading, part in found.items())]
    main = found[MAIN]
    setting = described(main.counts, settings, instances.REPETITIONS)
    return Result(rows, verdict(found), lambda figure: _draw(figure, main), setting, notes, size=(10.0, 4.2))


def _contenders(latency: DrawnLatency) -> dict[str, Contender]:
    return {
        "baseline": Contender("baseline"),
        NONE: Contender("greedy-ncis"),
        LATE: Contender("greedy-ncis", latency),
        KEPT: Contender("greedy-ncis", latency, instances.DISCARD_WINDOW),
    }


def _recovered(reading: str, found: Sweep) -> str:
    parts = [
        f"m = {m:,}: delay costs {found.difference(m, NONE, LATE)}, "
        f"discarding wins back {found.difference(m, KEPT, LATE)}"
        for m in found.counts
    ]
    return f"{reading}: {'; '.join(parts)}."


def verdict(found: Mapping[str, Sweep]) -> Verdict:
    """Delay hurts at the smallest m, less at the largest; GREEDY-NCIS-D on par with no delay under each reading."""
    main = found[MAIN]
    small, large = min(main.counts), max(main.counts)
    cost = {m: main.difference(m, NONE, LATE) for m in main.counts}
    checks = [
        Check(
            f"delay hurts at m = {small}",
            all_above([cost[small]]),
            f"It costs {cost[small]} (z = {cost[small].z:.1f}).",
        ),
    ]
    if large > small:
        checks.append(
            Check(
                f"it matters less at m = {large:,}",
                abs(cost[large].mean) < 0.5 * abs(cost[small].mean),
                f"It costs {cost[large]}; less than half as much counts as less.",
            )
        )
    return Verdict([*checks, *(_on_par(reading, part, small) for reading, part in found.items())])


def _on_par(reading: str, found: Sweep, m: int) -> Check:
    """On par: less than half a percentage point below."""
    short = found.difference(m, KEPT, NONE)
    return Check(
        f"{reading}: at m = {m} GREEDY-NCIS-D is on par with no delay",
        short.mean > -ON_PAR,
        f"GREEDY-NCIS-D minus GREEDY-NCIS without delay: {short} (on par: above -{ON_PAR}).",
    )


def _draw(figure: "Figure", found: Sweep) -> None:
    left, right = figure.subplots(1, 2)
    for name in ("baseline", NONE, LATE, KEPT):
        plots.line(left, name, found.counts, [found.mean(m, name) for m in found.counts])
    for name in (LATE, KEPT):
        plots.line(right, name, found.counts, [found.difference(m, name, NONE) for m in found.counts])
    right.axhline(0.0, color=plots.colour(NONE), lw=1.0)
    for axes, what in ((left, "freshness (weighted by importance)"), (right, "freshness minus no delay (paired)")):
        plots.page_axis(axes, found.counts)
        plots.finish(axes, what, MAIN if axes is left else "Difference; bars are 2 standard errors")
