"""A policy that is a crawl value: crawl the page of highest value."""

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from recrawl.model import Pages, crawl_value, staleness
from recrawl.model.functions import Array


@dataclass(frozen=True)
class ValuePolicy:
    """What a policy believes of the pages, and how many terms of the value it computes (0: all, the exact value).

    Engine and simulator hold the believed pages and the number of terms; everything else follows from them, so
    every policy runs through the same kernels.

    >>> from recrawl import policies
    >>> pages = Pages.from_rates(change_rate=1.0, importance=1.0, recall=0.5, false_signal_rate=0.5)
    >>> policies.get("greedy").believe(pages).unsignalled_rate.tolist()
    [1.0]
    """

    name: str
    believe: Callable[[Pages], Pages]
    terms: int = 0

    def value(self, pages: Pages, elapsed: ArrayLike, signals: ArrayLike) -> Array:
        """The crawl value this policy gives to pages, `elapsed` after their crawl and with `signals` since."""
        believed = self.believe(pages)
        return crawl_value(believed, staleness(believed, elapsed, signals), terms=self.terms)
