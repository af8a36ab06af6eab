"""How often sitemaps and feeds are asked for: within a share of the budget, and as often as they have news.

1. A source is asked for about twice as often as it changes, as far as is known of it (pace.py), but not more than once
   a minute, not less than once a week, and not before the time it asks for itself (ttl).
2. Where that would take more than the share of the budget, all are asked for less often, in proportion.
3. A sitemap of which an index tells when it changes is asked for when it does, and once a week.
4. An index leads to more requests: one for each sitemap that it says changed.  All indexes together get the share once
   more for these, in equal parts, so that one whose dates always advance holds up no other.
5. A frontier that has nothing better to do offers every page it has, and sources are pages.  What is offered before its
   time is put off until then (leasing.py).
"""

from collections.abc import Iterable

MOST_OFTEN = 60.0
LEAST_OFTEN = 604_800.0
TIMES = 2.0
"""How many times as often as it changes a source is asked for."""
AT_ONCE = 1e-3
"""Seconds: the greatest age of a source that is to be asked for now."""
EARLY = 0.9
"""Share of its interval before which a source is not asked for, however little else there is to do."""
COSTLY = 1.5
"""Requests, of late, that reading an index leads to, from which on they count."""
NOTABLE = 1.25
"""By what factor an interval must differ to be set anew."""


def wanted(change_rate: float, ttl: float = 0.0, told: bool = False) -> float:
    """Requests a second for a source that changes so often; `told`: an index says when it changes, so hardly any."""
    if told:
        return 1.0 / LEAST_OFTEN
    most = 1.0 / min(max(MOST_OFTEN, ttl), LEAST_OFTEN)
    return min(max(TIMES * change_rate, 1.0 / LEAST_OFTEN), most)


def interval(mine: float, all_wanted: Iterable[float], budget: float) -> float:
    """Seconds between two requests for a source that wants `mine` a second, where all together have a budget.

    >>> interval(1 / 60, [1 / 60], budget=1.0), interval(1 / 60, [1 / 60, 1 / 60], budget=1 / 60)
    (60.0, 120.0)
    """
    total = sum(all_wanted)
    return max(total / budget, 1.0) / mine if budget > 0.0 else LEAST_OFTEN


def apart(cost: float, indexes: int, budget: float) -> float:
    """Seconds that one of so many indexes is left alone, where reading it leads to `cost` requests.

    >>> apart(21.0, indexes=2, budget=0.05)
    840.0
    """
    return cost * indexes / budget if budget > 0.0 else LEAST_OFTEN


def differs(old: float, new: float) -> bool:
    """Whether an interval is another one, and not just a little off."""
    return not old / NOTABLE <= new <= old * NOTABLE
