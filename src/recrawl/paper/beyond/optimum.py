"""Beyond the paper: every policy as a fraction of the optimum of Theorem 1."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recrawl.paper.figures import discrete, noisy, partial
from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Check, Verdict
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.sweep import Sweep, described, plain, sweep
from recrawl.sim.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "How near the optimum"
PAPER = (
    "Not in the paper, which compares with BASELINE, the optimum without signals. Our claim: GREEDY-NCIS reaches at "
    "least 99.5% of the optimum with signals, at every m."
)

ENOUGH = 0.995
POLICIES = {
    "silent": ("greedy", "lds"),
    "partial": ("greedy", "greedy-cis"),
    "noisy": noisy.POLICIES,
}
PAGE_COUNTS = {"silent": discrete.PAGE_COUNTS, "partial": partial.PAGE_COUNTS, "noisy": noisy.PAGE_COUNTS}
TITLES = {"silent": "no signals", "partial": "no false signals", "noisy": "noisy signals"}


def run(settings: Settings) -> Result:
    """The instances of the figures discrete, partial and noisy; what those have run is not run again."""
    found = {
        kind: sweep(kind, PAGE_COUNTS[kind], plain(*policies, "optimum"), settings, instances.REPETITIONS)
        for kind, policies in POLICIES.items()
    }
    shares = {
        (kind, m, name): Estimate.of(part.freshness[m, name] / part.freshness[m, "optimum"])
        for kind, part in found.items()
        for m in part.counts
        for name in POLICIES[kind]
    }
    rows: list[Row] = [
        {"setting": kind, "pages": m, "policy": name, **share.columns()} for (kind, m, name), share in shares.items()
    ]
    setting = described(found["noisy"].counts, settings, instances.REPETITIONS)
    return Result(rows, verdict(shares), lambda figure: _draw(figure, found, shares), setting, size=(11.0, 4.2))


Shares = Mapping[tuple[str, int, str], Estimate]


def verdict(shares: Shares) -> Verdict:
    """The exact policy of each setting, at every m."""
    exact = {"noisy": "greedy-ncis", "partial": "greedy-cis", "silent": "greedy"}
    return Verdict(
        [_enough({m: s for (k, m, n), s in shares.items() if (k, n) == kind}, *kind) for kind in exact.items()]
    )


def _enough(shares: Mapping[int, Estimate], kind: str, name: str) -> Check:
    said = "; ".join(f"m = {m:,}: {share.mean:.2%} ± {share.standard_error:.2%}" for m, share in shares.items())
    return Check(
        f"{TITLES[kind]}: {plots.label(name)} reaches {ENOUGH:.1%} of the optimum at every m",
        min(share.mean for share in shares.values()) >= ENOUGH,
        said + ".",
    )


def _draw(figure: "Figure", found: Mapping[str, Sweep], shares: Shares) -> None:
    for axes, (kind, part) in zip(figure.subplots(1, 3), found.items(), strict=True):
        for name in POLICIES[kind]:
            plots.line(axes, name, part.counts, [shares[kind, m, name] for m in part.counts])
        axes.axhline(1.0, color=plots.colour("optimum"), lw=1.0)
        plots.page_axis(axes, part.counts)
        axes.set_xlabel("pages m")
        axes.tick_params(axis="x", labelsize=7)
        plots.finish(axes, "freshness / optimum", TITLES[kind])
