"""Cost of the optimum, counted in passes of the value over the same pages, one core."""

from functools import partial
from typing import Any

from recrawl.bench.mix import paper_mix, steady_state
from recrawl.bench.timing import best_of
from recrawl.model import Pages, crawl_value
from recrawl.optimal import optimum

PAGES = 1_000_000

NOTES = (
    "a pass is one call of crawl_value on all pages in their steady state (without signals: of the no-signal value)",
    "the goal is 60 passes at most with signals, 30 without",
)


def run(pages: int | None) -> list[dict[str, Any]]:
    """Seconds and passes, with and without signals."""
    mix = paper_mix(pages or PAGES)
    return [_row(mix, True), _row(mix, False)]


def _row(mix: Pages, use_signals: bool) -> dict[str, Any]:
    rate = len(mix) / 10
    steps: list[int] = []
    best = optimum(mix, rate, use_signals=use_signals, progress=lambda step, _: steps.append(step))
    if use_signals:
        held, x = mix, steady_state(mix, best.thresholds)
    else:
        held, x = mix.without_signals(), mix.change_rate * 10.0  # ten time units after their crawl
    solve, one_pass = best_of(3, partial(optimum, mix, rate, use_signals=use_signals), partial(crawl_value, held, x))
    return {
        "signals": "used" if use_signals else "not used",
        "pages": len(mix),
        "freshness": best.freshness,
        "steps": steps[-1],
        "solve_s": solve,
        "pass_s": one_pass,
        "passes": solve / one_pass,
    }
