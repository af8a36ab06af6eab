"""The best continuous policy for a bandwidth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import column, some_importance
from recrawl.errors import InfeasibleError, InputError
from recrawl.model import Pages
from recrawl.model.pages import some_pages
from recrawl.optimal.response import Array, floor_thresholds, page_freshness
from recrawl.optimal.search import Problem, Progress, search


@dataclass(frozen=True)
class Optimum:
    """Thresholds and rates that maximise the freshness requests meet, at a given bandwidth.

    `multiplier` is Lambda: what one more unit of bandwidth would add, in units of importance.  Pages with rate 0 are
    not worth a crawl: V(inf) <= Lambda times their cost.  `freshness` is weighted by importance, `page_freshness` is
    each page's own.

    A page is crawled when its staleness reaches its threshold.  Where psi jumps there (every change is signalled, or
    one signal is certain news), and for pages held at a floor with threshold inf, `rates` says how much of the time the
    threshold is followed and how much the next one: such a rate lies between those of the two thresholds.
    """

    multiplier: float
    thresholds: Array
    rates: Array
    freshness: float
    page_freshness: Array


def optimum(
    pages: Pages,
    rate: float,
    use_signals: bool = True,
    floor: ArrayLike = 0.0,
    cost: ArrayLike = 1.0,
    progress: Progress | None = None,
) -> Optimum:
    """The best thresholds for `rate` crawls per unit time (paper, Theorem 1).

    `use_signals=False` gives the paper's BASELINE: even spacing, signals unheard; thresholds are then in terms of
    x = Delta * elapsed.  `floor` is the least crawl rate each page keeps, so that none is abandoned; `cost` is the
    bandwidth one crawl of the page takes, and `rate` is then a budget of cost.  Both may differ by page.  Where every
    change is signalled and every signal followed, bandwidth that is left stays unused and the multiplier is 0.
    `progress` is called with the number of the step and the relative error of the budget.  Some page must matter.

    >>> pages = Pages.from_rates(change_rate=[1.0, 1.0], importance=[1.0, 3.0])
    >>> best = optimum(pages, rate=2.0)
    >>> best.rates.round(4).tolist(), round(best.freshness, 4)
    ([0.61, 1.39], 0.6577)
    """
    if not isinstance(rate, (int, float, np.number)) or not 0.0 < rate < np.inf:
        raise InputError(f"rate must be positive and finite, got {rate!r}", argument="rate")
    some_importance(some_pages(pages).importance)
    used = pages if use_signals else pages.without_signals()
    least = _per_page(used, "floor", floor)
    price = _per_page(used, "cost", cost)
    _refuse(least < 0.0, "floor", least, "be finite and >= 0")
    _refuse(price <= 0.0, "cost", price, "be finite and positive")
    needed = float(least @ price)
    if needed > rate * (1.0 + 1e-12):
        raise InfeasibleError(
            f"floor needs a rate of {needed:.6g}, more than the {rate:.6g} there is; raise rate or lower floor"
        )
    alpha, kappa, gamma, mu = used.columns
    delta = used.change_rate
    with np.errstate(over="ignore"):
        worth = np.divide(mu, delta * price, out=np.zeros_like(mu), where=delta > 0.0)
    _refuse(worth > 1e300, "importance", worth, "not exceed 1e300 times change_rate times cost")
    least_x = np.empty(len(used))
    floor_thresholds(least, alpha, kappa, gamma, delta, least_x)
    answer = search(Problem((alpha, kappa, gamma, mu, delta, price, least, least_x), float(rate)), progress)
    fresh = np.empty(len(used))
    page_freshness(answer.x, answer.rate, alpha, kappa, gamma, delta, fresh)
    return Optimum(answer.level, answer.x, answer.rate, _weighted_mean(fresh, mu), fresh)


def _weighted_mean(fresh: Array, importance: Array) -> float:
    """Freshness weighted by importance; 1 where there is no page."""
    if len(fresh) == 0:
        return 1.0
    weight = importance / float(importance.max())
    return min(float(weight @ fresh) / float(weight.sum()), 1.0)


def _per_page(pages: Pages, name: str, values: ArrayLike) -> Array:
    given = column(name, values)
    if given.ndim and len(given) not in (1, len(pages)):
        raise InputError(
            f"{name} must be a scalar or have one entry for each of the {len(pages)} pages, got {len(given)}",
            argument=name,
        )
    return np.array(np.broadcast_to(given, (len(pages),)))


def _refuse(bad: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], name: str, values: Array, rule: str) -> None:
    bad = bad | ~np.isfinite(values)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"{name} must {rule}, got {values[row]} in row {row}", argument=name, row=row)
