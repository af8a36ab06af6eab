"""Rules that give each page a time at which it is due: the page due first is next, though it may not be due yet."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush


class DueFirst:
    """Pages by due time, ties by id.  A subclass says in `due_after` when a crawled page is due again.

    Crawlers run such rules without a fixed rate: they crawl what is due.  Here the rate is given, so due times only
    set the order.  Each page must be crawled before it is named again.
    """

    def __init__(self, pages: int, due: float) -> None:
        self._heap = [(due, page) for page in range(pages)]
        heapify(self._heap)

    def due_after(self, page: int, now: float, changed: bool) -> float:
        """When the page is due after this crawl."""
        raise NotImplementedError

    def signalled(self, pages: Sequence[int], times: Sequence[float]) -> None:
        """Unheard: no such rule in use listens to signals."""

    def next(self, now: float) -> int:
        """The page that is due first.  O(log pages)."""
        del now
        return heappop(self._heap)[1] if self._heap else -1

    def crawled(self, page: int, now: float, elapsed: float, signals: int, changed: bool) -> None:
        """The page goes back among the others.  O(log pages)."""
        del elapsed, signals
        heappush(self._heap, (self.due_after(page, now, changed), page))
