"""First visits that have a share of the rate of their own: which page never fetched is next.

Each host has its pages in order of rank, lower first, and hosts compete by their first page.  Whether a host may be
asked now is for the caller to say.  Nothing here depends on when it was asked: the same pages waiting give the same
answer, so that a frontier that was rebuilt decides as the one before.
"""

import heapq
import math
from collections.abc import Callable, Iterable

READY, LATER, FULL = range(3)
"""A host may be asked, may be asked from a time on, or not before one of its fetches has ended."""
_ID = (1 << 32) - 1
MOST_RANK = (1 << 16) - 1


def rank_of(worth: float) -> int:
    """Pages of more worth come first; steps of half a percent.

    >>> rank_of(2.0) < rank_of(1.0) < rank_of(0.0)
    True
    """
    if not worth > 0.0:
        return MOST_RANK
    return min(max(int(MOST_RANK // 2 - 200.0 * math.log(worth)), 0), MOST_RANK - 1)


class Firsts:
    """Pages that wait for their first visit, by host."""

    def __init__(self) -> None:
        self._hosts: dict[int, list[int]] = {}
        self._order: list[tuple[int, int]] = []
        self._later: list[tuple[float, int]] = []
        self._full: set[int] = set()
        self._delayed: list[tuple[float, int, int]] = []
        self._waiting: dict[int, tuple[int, int, float]] = {}
        """Host, rank and the time each waits for; entries elsewhere that say otherwise are of before."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, page: int) -> bool:
        return page in self._waiting

    def push(
        self, pages: Iterable[int], hosts: Iterable[int], ranks: Iterable[int], not_before: float = -math.inf
    ) -> None:
        """Pages wait from now on, or from a time on.  O(log pages) each."""
        for page, host, rank in zip(pages, hosts, ranks, strict=True):
            self._waiting[page] = host, rank, not_before
            if not_before > -math.inf:
                heapq.heappush(self._delayed, (not_before, page, rank))
            else:
                self._enter(page, host, rank)

    def _enter(self, page: int, host: int, rank: int) -> None:
        key = rank << 32 | page
        queue = self._hosts.setdefault(host, [])
        heapq.heappush(queue, key)
        if queue[0] == key:  # an entry of before is passed over when its turn comes
            heapq.heappush(self._order, (key, host))

    def drop(self, page: int) -> None:
        """The page waits no longer; its entry is passed over when its turn comes."""
        self._waiting.pop(page, None)

    def delays(self) -> list[tuple[float, int]]:
        """Pages that wait for a time, with it."""
        return sorted((when, page) for page, (_, _, when) in self._waiting.items() if when > -math.inf)

    def pick(
        self, n: int, now: float, ask: Callable[[int], tuple[int, float]], taken: Callable[[int], None]
    ) -> list[int]:
        """Up to n pages, best first.  `ask(host)` tells whether a host may be asked; `taken(page)` is told of each."""
        while self._delayed and self._delayed[0][0] <= now:
            when, page, rank = heapq.heappop(self._delayed)
            host, _, wanted = self._waiting.get(page, (0, 0, math.nan))
            if when == wanted:
                self._waiting[page] = host, rank, -math.inf
                self._enter(page, host, rank)
        while self._later and self._later[0][0] <= now:
            self._offer(heapq.heappop(self._later)[1])
        for host in self._full:
            self._offer(host)
        self._full.clear()
        found: list[int] = []
        while self._order and len(found) < n:
            key, host = heapq.heappop(self._order)
            queue = self._hosts.get(host)
            if not queue or queue[0] != key:
                continue
            page = key & _ID
            if self._waiting.get(page) != (host, key >> 32, -math.inf):
                heapq.heappop(queue)
                self._offer(host)
                continue
            state, when = ask(host)
            if state == LATER:
                heapq.heappush(self._later, (when, host))
            elif state == FULL:
                self._full.add(host)
            else:
                heapq.heappop(queue)
                del self._waiting[page]
                taken(page)
                found.append(page)
                self._offer(host)
        return found

    def wake(self) -> None:
        """What is asked of hosts has changed: ask them all again."""
        while self._later:
            self._offer(self._later.pop()[1])

    def _offer(self, host: int) -> None:
        queue = self._hosts.get(host)
        if queue:
            heapq.heappush(self._order, (queue[0], host))
        else:
            self._hosts.pop(host, None)
