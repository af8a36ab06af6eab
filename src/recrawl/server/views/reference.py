"""What the same pages could have at the same rate: with signals, without them, and crawled at equal intervals.

The optima are those of `recrawl.optimum`, in the long run, for what is believed of the pages now.  Equal intervals have
a closed form: a page of change rate D that is crawled every T seconds is fresh for (1 - exp(-D T)) / (D T) of the time.
"""

from typing import NamedTuple

import numpy as np

from recrawl.arguments import Values
from recrawl.frontier import Frontier
from recrawl.frontier.kept.book import GONE
from recrawl.frontier.state import State
from recrawl.model import Pages
from recrawl.optimal import optimum
from recrawl.server.views.estimate import chances, spread

SAMPLE = 3_000
SPAN = 8.0
POINTS = 13
"""Rates from a SPAN-th of the present one to SPAN times as much; the middle one is the present."""


class Reference(NamedTuple):
    """Freshness by importance at some rates, in pages a second; and what the same pages have now."""

    time: float
    rate: float
    rates: Values
    with_signals: Values
    without_signals: Values
    equal: Values
    now: float
    sampled: int
    pages: int

    @property
    def here(self) -> tuple[float, float, float]:
        """The three at the present rate."""
        middle = POINTS // 2
        return float(self.with_signals[middle]), float(self.without_signals[middle]), float(self.equal[middle])


class _Sampled(NamedTuple):
    pages: Pages
    total: int
    fresh: float
    time: float


def reference(frontier: Frontier, rate: float) -> Reference | None:
    """Solve for rates around this one; None where nothing matters yet.  The frontier waits for a few milliseconds."""
    some = frontier.look(_sampled)
    if some is None:
        return None
    pages, share = some.pages, len(some.pages) / some.total
    rates = np.geomspace(rate / SPAN, rate * SPAN, POINTS)
    found = np.array([[optimum(pages, r * share, use).freshness for r in rates] for use in (True, False)])
    equal = np.array([equal_intervals(pages, r / some.total) for r in rates])
    return Reference(some.time, rate, rates, found[0], found[1], equal, some.fresh, len(pages), some.total)


def equal_intervals(pages: Pages, each: float) -> float:
    """Freshness by importance where every page is crawled `each` times a second, evenly.

    >>> pages = Pages.from_rates(change_rate=[1.0, 0.0], importance=1.0)
    >>> round(equal_intervals(pages, each=1.0), 4)
    0.8161
    """
    x = pages.change_rate / each
    fresh = np.where(x > 1e-9, -np.expm1(-x) / np.maximum(x, 1e-9), 1.0)
    return float(fresh @ pages.importance / pages.importance.sum())


def _sampled(state: State, now: float) -> _Sampled | None:
    """What is believed of a sample of pages, with the importance they were given."""
    ids = spread(state, SAMPLE)
    weight = state.pairing.learner.given_importance(ids)
    if not weight.any():
        return None
    alpha, kappa, gamma, _ = state.pairing.learner.pages(ids).columns
    total = len(state.urls) - int(np.count_nonzero(state.book.state == GONE))
    fresh = float(chances(state, ids, now) @ weight / weight.sum())
    return _Sampled(Pages(alpha, kappa, gamma, weight), total, fresh, now)
