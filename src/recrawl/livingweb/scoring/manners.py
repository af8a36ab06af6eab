"""`Manners`: how a crawler treats hosts: gaps, requests at once, the rate, what robots.txt forbids."""

import math
from collections import deque


class Busiest:
    """The most requests in any `span` of time: half-open windows that end with a request."""

    def __init__(self, span: float) -> None:
        self.most = 0
        self._span = span
        self._recent: deque[float] = deque()

    def add(self, now: float) -> None:
        """A request.  O(1) on average; remembers those of one span."""
        recent = self._recent
        recent.append(now)
        while recent[0] <= now - self._span:
            recent.popleft()
        if len(recent) > self.most:
            self.most = len(recent)


class Manners:
    """Of one crawler towards every host; times are seconds of the web's clock, `real` ones the machine's."""

    def __init__(self, hosts: int) -> None:
        self.gap = [math.inf] * hosts
        self.pause = [math.inf] * hosts
        self.at_once = [0] * hosts
        self.disallowed = 0
        self.too_soon = 0
        self.second, self.real_second = Busiest(1.0), Busiest(1.0)
        self._asked = [-math.inf] * hosts
        self._answered = [-math.inf] * hosts
        self._open = [0] * hosts

    def begin(self, host: int, now: float, real: float, delay: float | None, held: bool = False) -> float:
        """A request has come; the gap to the one before.  While the web's clock is held, there are no gaps."""
        self._open[host] += 1
        if self._open[host] > self.at_once[host]:
            self.at_once[host] = self._open[host]
        self.real_second.add(real)
        if held:
            return math.inf
        gap = now - self._asked[host]
        self._asked[host] = now
        if gap < self.gap[host]:
            self.gap[host] = gap
        pause = now - self._answered[host]
        if pause < self.pause[host]:
            self.pause[host] = pause
        if delay is not None and gap < delay:
            self.too_soon += 1
        self.second.add(now)
        return gap

    def end(self, host: int, now: float, held: bool = False) -> None:
        """The answer is out, or the connection is gone."""
        self._open[host] -= 1
        if not held:
            self._answered[host] = now
