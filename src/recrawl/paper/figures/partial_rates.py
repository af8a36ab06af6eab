"""Who gains and who gives up bandwidth when some changes are announced."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from recrawl.paper.report import plots
from recrawl.paper.report.result import Result, Row
from recrawl.paper.report.verdict import Check, Verdict, all_above, none_above
from recrawl.paper.settings import Settings
from recrawl.paper.trials.rates import PageRates, described, page_rates, scatter
from recrawl.sim.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Crawl rates with signals, none false"
PAPER = (
    "Each dot is a page, BASELINE's rate against the empirical one, coloured by recall and by change rate, m = 100 and "
    "300. The text: at m = 100 GREEDY-CIS takes crawls from pages with many signals and gives them to pages with few; "
    "at m = 300 some pages with many signals gain and some lose, those that change often gain; pages with few "
    "signals stay close to BASELINE."
)

PAGE_COUNTS = (100, 300)
POLICIES = ("greedy", "greedy-cis")
MANY, FEW = 0.8, 0.2
STAYS_WITHIN = 0.1
SOME = 0.1

Columns = dict[str, list[float]]


def run(settings: Settings) -> Result:
    """Rates over the whole run; ten instances as in the figure before it."""
    found = {m: page_rates("partial", m, POLICIES, settings) for m in settings.page_counts(PAGE_COUNTS)}
    seen = {m: _seen(part) for m, part in found.items()}
    rows: list[Row] = [
        {"pages": m, "measure": what, **e.columns()} for m, part in seen.items() for what, e in part.items()
    ]
    notes = [f"Many signals: recall above {MANY:g}; few: below {FEW:g}. Gains are relative to BASELINE's crawls."]
    size = (13.0, 3.3 * len(found))
    return Result(rows, verdict(seen), lambda figure: _draw(figure, found), described(settings), notes, size=size)


def _seen(found: Sequence[PageRates]) -> dict[str, Estimate]:
    """Gains of GREEDY-CIS over BASELINE by kind of page, one number an instance."""
    measures: dict[str, Callable[[PageRates], float]] = {
        "gain, many signals": lambda f: _gain(f, f.recall > MANY),
        "gain, few signals": lambda f: _gain(f, f.recall < FEW),
        "share that gains, many signals": lambda f: float((_more(f) & (f.recall > MANY)).sum() / _many(f)),
        "change rate of those that gain": lambda f: _mean(f.change_rate[_more(f) & (f.recall > MANY)]),
        "change rate of those that lose": lambda f: _mean(f.change_rate[~_more(f) & (f.recall > MANY)]),
    }
    return {name: _estimate([measure(f) for f in found]) for name, measure in measures.items()}


def _estimate(values: Sequence[float]) -> Estimate:
    """Over the instances that have such pages at all."""
    return Estimate.of([value for value in values if not np.isnan(value)] or [np.nan])


def _gain(found: PageRates, who: np.ndarray) -> float:
    """Crawls of these pages beyond those BASELINE gives them, as a share of the latter."""
    return float(found.empirical["greedy-cis"][who].sum() / found.baseline[who].sum()) - 1.0


def _more(found: PageRates) -> np.ndarray:
    return found.empirical["greedy-cis"] > found.baseline


def _many(found: PageRates) -> int:
    return max(int((found.recall > MANY).sum()), 1)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else np.nan


def verdict(seen: Mapping[int, Mapping[str, Estimate]]) -> Verdict:
    """The statements for m = 100, and those for m = 300 where that was run."""
    small = seen[min(seen)]
    checks = [
        Check(
            "at m = 100 pages with many signals give up crawls",
            none_above([small["gain, many signals"]]),
            f"Their gain over BASELINE: {small['gain, many signals']}.",
        ),
        Check(
            "at m = 100 pages with few signals gain them",
            all_above([small["gain, few signals"]]),
            f"Their gain over BASELINE: {small['gain, few signals']}.",
        ),
    ]
    return Verdict(checks + (_larger(seen[max(seen)]) if len(seen) > 1 else []))


def _larger(seen: Mapping[str, Estimate]) -> list[Check]:
    share = seen["share that gains, many signals"].mean
    gain, lose = seen["change rate of those that gain"], seen["change rate of those that lose"]
    few = seen["gain, few signals"]
    return [
        Check(
            "at m = 300 some pages with many signals gain and some lose",
            SOME < share < 1.0 - SOME,
            f"{share:.0%} of them gain (some: more than {SOME:.0%}).",
        ),
        Check(
            "those that gain change often",
            gain.mean > lose.mean,
            f"Mean change rate {gain.mean:.2f} against {lose.mean:.2f} of those that lose.",
        ),
        Check(
            f"at m = 300 pages with few signals stay close to BASELINE (within {STAYS_WITHIN:.0%})",
            abs(few.mean) < STAYS_WITHIN,
            f"Their gain over BASELINE: {few}.",
        ),
    ]


def _draw(figure: "Figure", found: Mapping[int, Sequence[PageRates]]) -> None:
    grid = figure.subplots(len(found), 4, squeeze=False)
    panels = [(by, policy) for by in ("recall", "change_rate") for policy in POLICIES]
    for line, (m, part) in zip(grid, found.items(), strict=True):
        for axes, (by, policy) in zip(line, panels, strict=True):
            dots = scatter(axes, part, policy, by, f"{plots.label(policy)}, m = {m}")
            if policy == POLICIES[-1]:
                figure.colorbar(dots, ax=axes, label=by.replace("_", " "))
