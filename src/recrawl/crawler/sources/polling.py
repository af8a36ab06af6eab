"""How often sitemaps and feeds are asked for: within a share of the budget, and as often as they have news.

A source is asked for about twice as often as it changes, as far as is known of it, but not more than once a minute, not
less than once a week, and not before the time it asks for itself (ttl).  Where that would take more than the share of
the budget, all are asked for less often, in proportion.
"""

from collections.abc import Iterable

MOST_OFTEN = 60.0
LEAST_OFTEN = 604_800.0
TIMES = 2.0
"""How many times as often as it changes a source is asked for."""
AT_ONCE = 1e-3
"""Seconds: the greatest age of a source that is to be asked for now."""
NOTABLE = 1.25
"""By what factor an interval must differ to be set anew."""


def wanted(change_rate: float, ttl: float = 0.0, told: bool = False) -> float:
    """Requests a second for a source that changes so often; `told`: an index says when it changes, so hardly any."""
    if told:
        return 1.0 / LEAST_OFTEN
    most = 1.0 / max(MOST_OFTEN, ttl)
    return min(max(TIMES * change_rate, 1.0 / LEAST_OFTEN), most)


def interval(mine: float, all_wanted: Iterable[float], budget: float) -> float:
    """Seconds between two requests for a source that wants `mine` a second, where all together have a budget.

    >>> interval(1 / 60, [1 / 60], budget=1.0), interval(1 / 60, [1 / 60, 1 / 60], budget=1 / 60)
    (60.0, 120.0)
    """
    total = sum(all_wanted)
    return max(total / budget, 1.0) / mine if budget > 0.0 else LEAST_OFTEN


def differs(old: float, new: float) -> bool:
    """Whether an interval is another one, and not just a little off."""
    return not old / NOTABLE <= new <= old * NOTABLE
