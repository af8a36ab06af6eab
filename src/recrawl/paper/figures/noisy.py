"""All policies where signals may be false."""

from itertools import pairwise
from typing import TYPE_CHECKING

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result
from recrawl.paper.report.verdict import Check, Verdict, all_above, none_above
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.sweep import Sweep, described, plain, sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Noisy signals"
PAPER = (
    "The figure shows all policies over m, false signals at rates U(.1, .6). The text: GREEDY-NCIS and its "
    "approximations beat GREEDY and GREEDY-CIS in almost every case; the approximations are very close to the exact "
    "value for m up to 500 and cannot use the signals for larger m; GREEDY-CIS deteriorates with m."
)

PAGE_COUNTS = (100, 200, 500, 750, 1_000, 10_000)
APPROXIMATIONS = ("ncis-approx-1", "ncis-approx-2")
POLICIES = ("greedy", "greedy-cis", "greedy-ncis", *APPROXIMATIONS)
NAMES = (*POLICIES, "baseline", "optimum")
ROOMY = 500
VERY_CLOSE = 0.01
ALMOST_EVERY = 0.8


def run(settings: Settings) -> Result:
    """All on the same instances and worlds."""
    found = sweep("noisy", PAGE_COUNTS, plain(*NAMES), settings, instances.REPETITIONS)
    notes = [f"Freshness and the paper's accuracy differ by at most {found.largest_gap():.4f} in the mean."]
    return Result(
        found.rows(),
        verdict(found),
        lambda figure: _draw(figure, found),
        described(found.counts, settings, instances.REPETITIONS),
        notes,
        size=(10.0, 4.4),
    )


def verdict(found: Sweep) -> Verdict:
    """The five statements of the text, each on paired differences."""
    return Verdict([_best(found), _superior(found), _close(found), *_starved(found), _deteriorates(found)])


def _best(found: Sweep) -> Check:
    rivals = ("greedy", "greedy-cis")
    gains = {(m, name): found.difference(m, "greedy-ncis", name) for m in found.counts for name in rivals}
    return Check(
        "GREEDY-NCIS beats GREEDY and GREEDY-CIS at every m",
        all_above(gains.values()),
        "Paired: "
        + "; ".join(f"m = {m:,} {gains[m, 'greedy']} and {gains[m, 'greedy-cis']}" for m in found.counts)
        + ".",
    )


def _superior(found: Sweep) -> Check:
    """In almost every case: in at least four fifths of the pairs of m and approximation."""
    cases = [(m, name) for m in found.counts for name in APPROXIMATIONS]
    lost = [
        (m, name)
        for m, name in cases
        if min(found.difference(m, name, rival).mean for rival in ("greedy", "greedy-cis")) <= 0.0
    ]
    said = ", ".join(f"{plots.label(name)} at m = {m:,}" for m, name in lost)
    return Check(
        "the approximations beat GREEDY and GREEDY-CIS in almost every case",
        1.0 - len(lost) / len(cases) >= ALMOST_EVERY,
        f"In {len(cases) - len(lost)} of {len(cases)} cases" + (f"; not {said}." if lost else "."),
    )


def _losses(found: Sweep, counts: list[int]) -> dict[tuple[int, str], float]:
    """What each approximation gives away, as a share of the exact policy's freshness."""
    return {
        (m, name): -found.difference(m, name, "greedy-ncis").mean / found.mean(m, "greedy-ncis").mean
        for m in counts
        for name in APPROXIMATIONS
    }


def _close(found: Sweep) -> Check:
    losses = _losses(found, [m for m in found.counts if m <= ROOMY])
    said = "; ".join(f"{plots.label(name)} at m = {m:,} {loss:+.2%}" for (m, name), loss in losses.items())
    return Check(
        f"for m ≤ {ROOMY} the approximations are very close to the exact value (within {VERY_CLOSE:.0%})",
        max(losses.values()) < VERY_CLOSE,
        f"Freshness given away: {said}.",
    )


def _starved(found: Sweep) -> list[Check]:
    """Only where larger m were run: the exact value superior, the approximations no better than hearing nothing."""
    tight = [m for m in found.counts if m > ROOMY]
    if not tight:
        return []
    gains = [found.difference(m, "greedy-ncis", name) for m in tight for name in APPROXIMATIONS]
    losses = _losses(found, tight)
    useless = {(m, name): found.difference(m, name, "greedy") for m in tight for name in APPROXIMATIONS}
    return [
        Check(
            f"for m > {ROOMY} the exact value is superior",
            all_above(gains),
            "Freshness given away: "
            + "; ".join(f"{plots.label(name)} at m = {m:,} {loss:.1%}" for (m, name), loss in losses.items())
            + ".",
        ),
        Check(
            f"for m > {ROOMY} the approximations cannot use the signals (no better than GREEDY)",
            none_above(useless.values()),
            "Minus GREEDY, paired: "
            + "; ".join(f"{plots.label(name)} at m = {m:,} {gain}" for (m, name), gain in useless.items())
            + ".",
        ),
    ]


def _deteriorates(found: Sweep) -> Check:
    shares = [found.mean(m, "greedy-cis").mean / found.mean(m, "greedy").mean for m in found.counts]
    falling = all(later < earlier for earlier, later in pairwise(shares))
    said = ", ".join(f"{share:.2f} at m = {m:,}" for m, share in zip(found.counts, shares, strict=True))
    return Check("GREEDY-CIS deteriorates with m", falling, f"Freshness as a share of GREEDY's: {said}.")


def _draw(figure: "Figure", found: Sweep) -> None:
    left, right = figure.subplots(1, 2)
    for name in NAMES:
        plots.line(left, name, found.counts, [found.mean(m, name) for m in found.counts])
    for name in POLICIES:
        plots.line(right, name, found.counts, [found.difference(m, name, "greedy") for m in found.counts])
    for axes, what, title in (
        (left, "freshness (weighted by importance)", "Freshness"),
        (right, "freshness minus GREEDY (paired)", "Difference; bars are 2 standard errors"),
    ):
        plots.page_axis(axes, found.counts)
        axes.tick_params(axis="x", labelsize=8)
        plots.finish(axes, what, title, legend=axes is left)
