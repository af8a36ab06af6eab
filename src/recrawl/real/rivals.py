"""The rivals, as shipped and with other constants.

At a given bandwidth due times only set the order, so what matters of the constants is how fast intervals adapt and how
far they may go.  The grid varies these, and the best of it is chosen in hindsight, for each history, budget and
importance: better than anybody could do who had to choose beforehand.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

from recrawl.policies import nutch, stormcrawler
from recrawl.policies.nutch import DAY_S
from recrawl.policies.stormcrawler import DAY_MIN
from recrawl.real.settings import MONTH
from recrawl.sim.due_loop import Loop, nutch_rule, stormcrawler_rule, uniform

SHIPPED = "as shipped"
TEN_YEARS = 3652.5

UNIFORM, NUTCH, STORMCRAWLER, SIGNALLED_FIRST = "uniform", "nutch", "stormcrawler", "signalled-first"
ADAPTIVE = (NUTCH, STORMCRAWLER)

_NUTCH_STEPS = ((0.4, 0.2), (0.1, 0.1), (1.0, 0.5), (0.1, 0.5))
_STORM_STEPS = ((0.5, 0.5), (0.2, 0.2), (0.1, 0.5), (1.0, 0.5))


def rivals(budget: float) -> Iterator[tuple[str, str, Loop]]:
    """Policy, constants in words and what runs it, at so many crawls a page and month."""
    yield UNIFORM, SHIPPED, uniform
    yield NUTCH, SHIPPED, nutch_rule
    for sync, ceiling, (grow, shrink) in product((0.3, 0.0), (None, TEN_YEARS), _NUTCH_STEPS):
        fixed = nutch.SHIPPED._replace(grow=grow, shrink=shrink, sync=sync)
        if ceiling is not None:
            fixed = fixed._replace(most_s=ceiling * DAY_S, ceiling_s=ceiling * DAY_S)
        if fixed != nutch.SHIPPED:
            limit = "up to 90 days" if ceiling is None else "up to 10 years"
            words = f"+{grow:g} −{shrink:g}, {limit}, sync {sync:g}"
            yield NUTCH, words, partial(nutch_rule, constants=fixed)
    yield STORMCRAWLER, SHIPPED, stormcrawler_rule
    gap = MONTH / budget
    for first, most, (grow, shrink) in product((1.0, gap), (14.0, TEN_YEARS), _STORM_STEPS):
        limits = {"first_min": min(first, most) * DAY_MIN, "most_min": most * DAY_MIN}
        storm = stormcrawler.SHIPPED._replace(grow=grow, shrink=shrink, **limits)
        if storm != stormcrawler.SHIPPED:
            limit = "14 days" if most == 14.0 else "10 years"
            words = f"+{grow:g} −{shrink:g}, from {min(first, most):.3g} days up to {limit}"
            yield STORMCRAWLER, words, partial(stormcrawler_rule, constants=storm)
