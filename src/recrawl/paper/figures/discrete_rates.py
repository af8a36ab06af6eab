"""Empirical against optimal crawl rates, no signals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Check, Verdict
from recrawl.paper.settings import Settings
from recrawl.paper.trials.rates import PageRates, described, page_rates, scatter
from recrawl.sim.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Crawl rates without signals"
PAPER = (
    "Each dot is a page, its optimal rate against its empirical rate, m = 100 and 500, 10 instances. The text: LDS "
    "lies on the diagonal; GREEDY is close to it, yet the rates of the same pages differ."
)

PAGE_COUNTS = (100, 500)
POLICIES = ("greedy", "lds")
ON = 0.01
CLOSE_RATES = 0.05


def run(settings: Settings) -> Result:
    """Rates over the whole run, and how far they are from the optimal ones."""
    found = {m: page_rates("silent", m, POLICIES, settings) for m in settings.page_counts(PAGE_COUNTS)}
    off = {(m, name): Estimate.of([_off(f, name) for f in found[m]]) for m in found for name in POLICIES}
    rows: list[Row] = [
        {"measure": "mean distance from the optimal rate, relative", "pages": m, "policy": name, **e.columns()}
        for (m, name), e in off.items()
    ]
    return Result(
        rows, verdict(off), lambda figure: _draw(figure, found), described(settings), size=(3.6 * 2, 3.4 * len(found))
    )


def _off(found: PageRates, policy: str) -> float:
    """Mean distance between empirical and optimal rate, as a share of the mean rate."""
    distance: float = float(np.abs(found.empirical[policy] - found.baseline).mean())
    return distance / float(found.baseline.mean())


def verdict(off: Mapping[tuple[int, str], Estimate]) -> Verdict:
    """On the diagonal: within 1% of the mean rate, the rounding to whole crawls; close: within 5%."""
    lds = {m: e for (m, name), e in off.items() if name == "lds"}
    greedy = {m: e for (m, name), e in off.items() if name == "greedy"}
    return Verdict(
        [
            Check(f"LDS lies on the diagonal (within {ON:.0%})", all(e.mean < ON for e in lds.values()), _said(lds)),
            Check(
                f"GREEDY is close (within {CLOSE_RATES:.0%})",
                all(e.mean < CLOSE_RATES for e in greedy.values()),
                _said(greedy),
            ),
            Check(
                "GREEDY is further from the optimal rates than LDS",
                all(greedy[m].mean > lds[m].mean for m in lds),
                f"{', '.join(f'{greedy[m].mean / lds[m].mean:.0f} times at m = {m}' for m in lds)}.",
            ),
        ]
    )


def _said(off: Mapping[int, Estimate]) -> str:
    return "Mean distance over mean rate: " + "; ".join(f"m = {m}: {e.mean:.2%}" for m, e in off.items()) + "."


def _draw(figure: "Figure", found: Mapping[int, Sequence[PageRates]]) -> None:
    grid = figure.subplots(len(found), 2, squeeze=False)
    for line, (m, part) in zip(grid, found.items(), strict=True):
        for axes, policy in zip(line, POLICIES, strict=True):
            scatter(axes, part, policy, None, f"{plots.label(policy)}, m = {m}")
