"""The protocol of policies that are not values: rules that name the next page and learn what its crawl saw."""

from collections.abc import Sequence
from typing import Protocol


class Rule(Protocol):
    """A crawler's view of the world, and its choice.

    Each time there is bandwidth for a crawl it hears the signals since, names a page, and is told what the crawl saw.
    It never sees a change.  The crawl rate is not its business: where a rule would rather wait, the page it would crawl
    first is crawled early, and where it falls behind, late; so rules are compared at the same bandwidth.
    """

    def signalled(self, pages: Sequence[int], times: Sequence[float]) -> None:
        """Signals came for these pages at these times, in their order."""

    def next(self, now: float) -> int:
        """The page to crawl now; -1 for none."""

    def crawled(self, page: int, now: float, elapsed: float, signals: int, changed: bool) -> None:
        """`page` was crawled `elapsed` after its last crawl and `signals` signals, and had changed or not."""


class Deaf:
    """What rules that only name pages have in common: signals and outcomes change nothing."""

    def signalled(self, pages: Sequence[int], times: Sequence[float]) -> None:
        """Unheard."""

    def crawled(self, page: int, now: float, elapsed: float, signals: int, changed: bool) -> None:
        """Of no consequence."""
