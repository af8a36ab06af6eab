"""How the copy of a page aged: the chance that it was like the page, over time.

Drawn with what is believed of the page now: it falls with the unsignalled change rate, and by one signal's weight at
each signal.  In the present interval signals weigh what they did weigh, by source and delay; of earlier ones only the
number is known.
"""

import math

from recrawl.frontier.answers import PageView
from recrawl.frontier.kept.copies import UNKNOWN
from recrawl.frontier.outcomes import AWAY
from recrawl.server.views.events import SIGNAL, Event
from recrawl.server.views.why import Belief

POINTS = 24
"""Points on each stretch between two events, so that the exponential looks like one."""
MOST_STRETCHES = 60


def aged(events: list[Event], view: PageView, belief: Belief, now: float) -> dict[str, list[float | None]]:
    """Times and chances, the oldest first; None where there was no copy."""
    times: list[float] = []
    chances: list[float | None] = []
    stale: float | None = None
    at = math.nan
    for event in _from_a_copy(events, view):
        if stale is not None and event.time > at:
            stale = _stretch(times, chances, stale, belief.alpha, at, event.time)
        at = max(event.time, at) if at == at else event.time
        if event.kind == SIGNAL:
            stale = None if stale is None else stale + belief.kappa
        elif event.kind <= UNKNOWN:
            stale = 0.0
        elif event.kind == AWAY:
            stale = None
        times.append(at)
        chances.append(None if stale is None else math.exp(-stale))
    if stale is not None and now > at:
        _stretch(times, chances, max(belief.staleness - belief.alpha * (now - at), 0.0), belief.alpha, at, now)
    return {"times": list(times), "fresh": chances}


def _from_a_copy(events: list[Event], view: PageView) -> list[Event]:
    """The last events, from a fetch on; where none is remembered, the one that the book knows of."""
    known = events[-MOST_STRETCHES:]
    copies = [k for k, event in enumerate(known) if event.kind <= UNKNOWN]
    if copies:
        return known[copies[0] :]
    if view.fetched is None:
        return []
    return [Event(view.fetched, UNKNOWN, math.nan, 0), *(event for event in known if event.time > view.fetched)]


def _stretch(
    times: list[float], chances: list[float | None], stale: float, alpha: float, begin: float, end: float
) -> float:
    """Points from `begin` to just before `end`; how stale the copy is then."""
    for k in range(POINTS + 1):
        passed = (end - begin) * k / POINTS
        times.append(begin + passed)
        chances.append(math.exp(-stale - alpha * passed))
    return stale + alpha * (end - begin)
