"""Why a page is or is not the next to be fetched, in sentences."""

import math
from typing import Any, NamedTuple, Self

import numpy as np

from recrawl.engine.logical import PUT_OFF
from recrawl.frontier.answers import PageView
from recrawl.frontier.state import State
from recrawl.model import Pages
from recrawl.model.functions import threshold

MANY = np.iinfo(np.int32).max
"""As many pages in flight as one likes."""


class Belief(NamedTuple):
    """What the scheduler believes of a page, and how stale it takes it to be."""

    alpha: float
    kappa: float
    gamma: float
    mu: float
    staleness: float
    max_age: float
    put_off_until: float | None
    fetched: float

    @classmethod
    def of(cls, state: State, i: int, now: float) -> Self:
        """The belief of page i."""
        ids = np.array([i])
        columns = state.pairing.scheduler.columns_of(ids)
        alpha, kappa, gamma, mu, age = (
            float(columns[name][0]) for name in ("alpha", "kappa", "gamma", "mu", "max_age")
        )
        stale = float(state.pairing.scheduler.staleness(ids, now)[0])
        put_off = float(columns["held"][0]) if columns["state"][0] == PUT_OFF else None
        return cls(alpha, kappa, gamma, mu, stale, age, put_off, float(columns["crawled"][0]))

    def threshold(self, level: float) -> float:
        """The staleness at which the page is worth `level`; inf where it never is."""
        pages = Pages([self.alpha], [self.kappa], [self.gamma], [self.mu])
        return float(threshold(pages, level)[0])


def why(state: State, i: int, now: float, view: PageView, belief: Belief) -> dict[str, Any]:
    """`verdict` (fetching, next, soon, waiting or never), sentences, and when it is due without further signals."""
    reasons = [*_own(state, i, now, view, belief), *_of_host(state, i, now, view)]
    if state.limit.rate == 0.0:
        reasons.append("The rate is 0: nothing is fetched until it is raised.")
    if view.leased:
        return _answer("fetching", _leased(state, i, now), None)
    if view.state == "gone" and reasons:
        return _answer("waiting", reasons, belief.put_off_until)
    verdict, words, due = _by_value(state, now, view, belief)
    if reasons:
        more = ["But for that it would be among the next."] if verdict == "next" else words
        return _answer("waiting", [*reasons, *more], None)
    return _answer(verdict, words, due)


def _answer(verdict: str, sentences: list[str], due: float | None) -> dict[str, Any]:
    return {"verdict": verdict, "sentences": sentences, "due": due}


def _leased(state: State, i: int, now: float) -> list[str]:
    token = state.leases.token_of(i)
    left = state.leases.expiry(token) - now if token is not None else 0.0
    return [f"It is being fetched: a crawler has leased it. Without an answer it is offered again in {ago(left)}."]


def _own(state: State, i: int, now: float, view: PageView, belief: Belief) -> list[str]:
    """What holds back the page itself."""
    found = []
    until = belief.put_off_until
    if until is not None and until > now:
        times = f"{view.failures} times in a row" if view.failures > 1 else "last time"
        if view.state == "gone":
            found.append(f"The site said that the page is gone ({times}). It is looked at again in {ago(until - now)}.")
        else:
            found.append(f"Fetching it failed {times}. It is tried again in {ago(until - now)} at the earliest.")
    if len(state.pairing.muted) and state.pairing.muted[i]:
        kept = state.settings.discovery or 0.0
        found.append(f"It was never fetched. {kept:.0%} of the leases are kept for {len(state.firsts):,} such pages.")
    return found


def _of_host(state: State, i: int, now: float, view: PageView) -> list[str]:
    """What holds back its host."""
    host = int(state.book.host[i])
    ready, in_flight, most = state.pairing.scheduler.host_state(host)
    until = float(state.hosts.paused_until[host])
    if until > now:
        failures = int(state.hosts.failures[host])
        cause = f" after {failures} failures in a row" if failures else ""
        return [f"Its host {view.host} is paused{cause}, for another {ago(until - now)}."]
    if in_flight >= most < MANY:
        return [f"Its host {view.host} has as many pages in flight as allowed ({most})."]
    if ready - now > 1.0:
        return [f"Its host {view.host} may be asked again in {ago(ready - now)}."]
    return []


def _by_value(state: State, now: float, view: PageView, belief: Belief) -> tuple[str, list[str], float | None]:
    """How its value stands beside that at which pages are fetched."""
    if belief.max_age < math.inf and now >= belief.fetched + belief.max_age:
        return "next", [f"It is past its greatest age of {ago(belief.max_age)}, so it comes before all others."], now
    level = state.level.value
    if level <= 0.0:
        return "soon", ["Nothing has been refreshed yet, so there is no level to compare its value with."], None
    ratio = view.value / level
    if ratio >= 1.0:
        words = f"A fetch of it is worth {times_of(ratio)} what pages are fetched for at present: it is among the next."
        return "next", [words], now
    words = f"A fetch of it is worth {times_of(ratio)} what pages are fetched for at present."
    goal = belief.threshold(level)
    if math.isinf(goal):
        return "never", [words, _never(belief)], None
    due = now + (goal - belief.staleness) / belief.alpha if belief.alpha > 0.0 else math.inf
    due = min(due, belief.fetched + belief.max_age)
    more = "It ages by signals only." if math.isinf(due) else f"Without a signal it gets there in {ago(due - now)}."
    if belief.gamma > 0.0 and belief.staleness + belief.kappa >= goal:
        more += " One more signal would bring it there at once."
    return ("soon" if due - now < 3600.0 else "waiting"), [words, more], due if math.isfinite(due) else None


def _never(belief: Belief) -> str:
    if belief.mu == 0.0:
        return "Its importance is 0, so no fetch of it is worth anything."
    return (
        "It does not get there: for its importance it changes so often that a copy does not stay fresh long enough. "
        "A higher rate, a higher importance or a greatest age (max_age) would change that."
    )


def times_of(ratio: float) -> str:
    """A ratio in words.

    >>> times_of(0.254), times_of(2.34), times_of(0.0001)
    ('25% of', '2.3 times', 'less than 1% of')
    """
    if ratio >= 1.0:
        return f"{ratio:.1f} times"
    return f"{ratio:.0%} of" if ratio >= 0.01 else "less than 1% of"


def ago(seconds: float) -> str:
    """A time in words.

    >>> ago(42.0), ago(600.0), ago(7200.0), ago(400_000.0)
    ('42 seconds', '10 minutes', '2 hours', '5 days')
    """
    if not math.isfinite(seconds):
        return "unknown time"
    for size, name in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {name}s"
    return "1 second" if round(seconds) == 1 else f"{max(seconds, 0.0):.0f} seconds"
