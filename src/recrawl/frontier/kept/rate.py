"""How many pages may be leased now.

The promise, for every window of a second or longer: leases <= what the rate gives in it + 1; at a constant rate that is
rate * window + 1.  What nobody asked for within a second is lost: after a pause there is no burst.  (Where clocks run
faster than the machine's, a second may be too short to ask twice in; then the shortest window is made longer.)

1. Credit grows with the rate, up to that of one second, and a lease takes from it.
2. Credit alone would let a window see a second's worth too many.  So each window that begins with a lease is looked
   after.  Its *room* is what the rate has given since, less what was leased since; the next lease may exceed it
   by one.  Of windows that are a second long or longer only the least room counts.  Those that are shorter stand in a
   list: a whole second counts for them, the rest of it at the present rate.
3. When the rate changes, what it has given stays given: who leased much at a high rate waits until the low one has
   made up for it, and setting the same rate again changes nothing.

Everything is kept as of the last lease or change, so that asking changes nothing: who replays gets the same numbers.
"""

import math
from collections import deque
from typing import Any, Self

from recrawl.arguments import at_least_0

WINDOW = 1.0
"""Seconds of the shortest window that the promise is made for, unless another is asked for."""
_SLACK = 1e-9
"""Rounding must not make a lease wait for the next moment; nor must that of the clock, which grows with the time."""
_STRIDE = 0.005
"""Who asks for many is told to come back when this many windows' worth are there, so as not to ask for each one."""
_NEVER = 3600.0


class RateLimit:
    """Turns a rate (None: no limit) into permission to lease.

    >>> limit = RateLimit(rate=10.0, now=0.0)
    >>> limit.allowed(0.0)
    1
    >>> limit.lease(1, 0.0)
    >>> limit.allowed(0.05), limit.allowed(0.1)
    (0, 1)
    """

    def __init__(self, rate: float | None, now: float, window: float = WINDOW) -> None:
        self._rate = checked_rate(rate)
        self._window = window
        self._at = now
        self._credit = 1.0
        self._leased = 0
        self._room = math.inf
        self._recent: deque[tuple[float, int, float]] = deque()
        """Times of leases within the last second, how many pages had been leased before each, and what the rates before
        the present one gave since."""
        self._since = -math.inf
        """When the rate was set."""

    @property
    def rate(self) -> float | None:
        """Pages a second, None for no limit."""
        return None if self._rate == math.inf else self._rate

    @property
    def window(self) -> float:
        """Seconds of the shortest window that the promise is made for."""
        return self._window

    def set_rate(self, rate: float | None, now: float, window: float | None = None) -> None:
        """From now on another rate; what was leased, and what the rate gave, still counts."""
        new = checked_rate(rate)
        self._window = self._window if window is None else window
        self._credit = min(self._credit_at(now), max(new * self._window, 1.0))
        if math.inf in (new, self._rate):  # without a limit nothing was counted, or nothing will be
            self._recent.clear()
            self._room = math.inf
        else:
            self._room += self._rate * (now - self._at)
            self._recent = deque((time, before, self._given(now, time, more)) for time, before, more in self._recent)
        self._at, self._since, self._rate = now, now, new

    def allowed(self, now: float) -> int:
        """How many pages may be leased at `now`."""
        if self._rate == math.inf:
            return 1 << 62
        if self._rate == 0.0:  # not even the one that comes on top
            return 0
        since = self._rate * (now - self._at)
        most = min(self._credit_at(now), self._room + since + 1.0)
        for time, before, more in self._recent:
            most = min(most, self._room_of(now, time, before, more) + 1.0)
            if time > now - self._window and time >= self._since:
                break  # later ones are no tighter: they have the same second, and saw less
        return max(math.floor(most + _SLACK + 2.0 * self._rate * math.ulp(now)), 0)

    def lease(self, pages: int, now: float) -> None:
        """Pages were leased at `now`."""
        if not pages or self._rate == math.inf:
            return
        while self._recent and self._recent[0][0] <= now - self._window:
            time, before, more = self._recent.popleft()
            self._room = min(self._room, self._given(self._at, time, more) - (self._leased - before))
        self._credit = self._credit_at(now) - pages
        self._room += self._rate * (now - self._at) - pages
        self._recent.append((now, self._leased, 0.0))
        self._leased += pages
        self._at = now

    def wait(self, pages: int, now: float) -> float:
        """Seconds until it makes sense to ask for that many pages."""
        if self._rate == math.inf:
            return 0.0
        if self._rate == 0.0:
            return _NEVER
        wanted = max(1.0, min(float(pages), self._rate * _STRIDE * self._window))
        since = now - self._at
        wait = max(wanted - self._credit, wanted - 1.0 - self._room) / self._rate - since
        for time, before, more in self._recent:
            missing = wanted - 1.0 - self._room_of(now, time, before, more)
            if missing > 0.0:  # there is no more room before the window is a second long
                wait = max(wait, missing / self._rate + max(self._window - (now - time), 0.0))
            elif time > now - self._window and time >= self._since:
                break  # later ones leave more room
        return max(wait, 0.0)

    def state(self) -> dict[str, Any]:
        """Everything, as plain values."""
        return {
            "rate": self.rate,
            "window": self._window,
            "at": self._at,
            "credit": self._credit,
            "leased": self._leased,
            "room": None if self._room == math.inf else self._room,
            "since": None if self._since == -math.inf else self._since,
            "recent": [list(entry) for entry in self._recent],
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """What `state` was taken of."""
        limit = cls(state["rate"], state["at"], state.get("window", WINDOW))
        limit._credit, limit._leased = state["credit"], state["leased"]
        limit._room = math.inf if state["room"] is None else state["room"]
        limit._since = -math.inf if state["since"] is None else state["since"]
        limit._recent = deque((time, before, *(more or [0.0])) for time, before, *more in state["recent"])
        return limit

    def _credit_at(self, now: float) -> float:
        if self._rate == math.inf:
            return 1.0
        return min(self._credit + self._rate * (now - self._at), max(self._rate * self._window, 1.0))

    def _given(self, now: float, time: float, more: float) -> float:
        """What rates gave since `time`: `more` before the present one."""
        return more + self._rate * (now - max(time, self._since))

    def _room_of(self, now: float, time: float, before: int, more: float) -> float:
        """What is left of the window that began at `time`, or of the second that it will be."""
        rest = self._rate * max(self._window - (now - time), 0.0)
        return self._given(now, time, more) + rest - (self._leased - before)


def checked_rate(rate: float | None) -> float:
    """A rate as a number, infinite where there is no limit."""
    return math.inf if rate is None else at_least_0("rate", rate)
