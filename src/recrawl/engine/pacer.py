"""Evenly spaced permits from a rate that may change at any moment."""

import math

from recrawl.arguments import at_least_0


class Pacer:
    """Turns a rate into permits, one every 1/rate, with no burst over any interval.

    A permit fetched up to half a step late does not move the next one, so that a busy caller keeps the rate.  Later
    than that it is a pause, and nothing is saved up: the next comes at once and the following are spaced as ever.
    So two permits are never closer than half a step, and an interval of length d sees at most rate * d + 1.5 of them
    (rate: the highest in it).

    >>> pacer = Pacer(rate=10.0, now=0.0)
    >>> [pacer.permits(t) for t in (0.0, 0.05, 0.1, 5.0, 5.1)]
    [1, 0, 1, 1, 1]
    >>> round(pacer.next_time(), 6)
    5.2
    """

    def __init__(self, rate: float, now: float = 0.0) -> None:
        self._rate = at_least_0("rate", rate)
        self._due = now if rate > 0.0 else math.inf

    @property
    def rate(self) -> float:
        """Permits per unit time."""
        return self._rate

    def set_rate(self, rate: float, now: float) -> None:
        """Change the rate; the part of the wait that is over counts."""
        rate = at_least_0("rate", rate)
        if rate == 0.0:
            self._due = math.inf
        elif self._due == math.inf:
            self._due = now + 1.0 / rate
        elif self._due > now:
            self._due = now + (self._due - now) * self._rate / rate
        self._rate = rate

    def next_time(self) -> float:
        """When the next permit is due; inf at rate 0."""
        return self._due

    def permits(self, now: float) -> int:
        """1 if a permit is due at `now`, which is then used, else 0."""
        if not now >= self._due:  # NaN gets none
            return 0
        step = 1.0 / self._rate
        # one fetched a little late keeps the rhythm, or the rate would fall; after a pause a new rhythm starts
        self._due = self._due + step if now - self._due < 0.5 * step else now + step
        return 1
