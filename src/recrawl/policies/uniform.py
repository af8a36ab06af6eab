"""Uniform: every page in turn, whatever is known of it."""

from recrawl.policies.rule import Deaf


class RoundRobin(Deaf):
    """Pages 0, 1, ..., pages - 1, and again.

    >>> rule = RoundRobin(2)
    >>> [rule.next(now) for now in (0.5, 1.0, 1.5)]
    [0, 1, 0]
    """

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self._next = -1

    def next(self, now: float) -> int:
        """The page after the last one."""
        del now
        if self._pages == 0:
            return -1
        self._next = (self._next + 1) % self._pages
        return self._next
