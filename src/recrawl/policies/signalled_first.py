"""Signalled first: pages with a signal in the order in which they got one, and in between every page in turn."""

from collections import deque
from collections.abc import Sequence


class SignalledFirst:
    """What one would write who has signals and no model of them.

    >>> rule = SignalledFirst(3)
    >>> rule.signalled([2], [0.1])
    >>> [rule.next(now) for now in (0.5, 1.0, 1.5)]
    [2, 0, 1]
    """

    def __init__(self, pages: int) -> None:
        self._turn = dict.fromkeys(range(pages))
        self._waiting: deque[int] = deque()
        self._signalled = [False] * pages

    def signalled(self, pages: Sequence[int], times: Sequence[float]) -> None:
        """A page that waits already keeps its place."""
        del times
        for page in pages:
            if not self._signalled[page]:
                self._signalled[page] = True
                self._waiting.append(page)

    def next(self, now: float) -> int:
        """The page that has waited longest since its signal, or else since its crawl; it goes to the end."""
        del now
        if not self._turn:
            return -1
        page = self._waiting.popleft() if self._waiting else next(iter(self._turn))
        self._signalled[page] = False
        del self._turn[page]
        self._turn[page] = None
        return page

    def crawled(self, page: int, now: float, elapsed: float, signals: int, changed: bool) -> None:
        """Of no consequence."""
