"""LDS: given crawl rates as a sequence of single crawls, each prefix as close to the rates as can be.

The k-th visit of a page with share p of the crawls is released at slot floor((k-1)/p) + 1 and due at slot ceil(k/p);
each slot goes to the released visit that is due first, ties by id.  No visit is then late, and after t slots every page
has been crawled t p times, give or take less than one (Tijdeman 1980; Azar et al. 2018 use it for crawling).
"""

import math
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import column
from recrawl.errors import InputError
from recrawl.policies.rule import Deaf

_SLACK = 1e-9
"""k/p may be a whole number but for rounding."""


class LowDiscrepancy(Deaf):
    """Pages crawled at these rates, evenly; rate 0: never.

    >>> rule = LowDiscrepancy([3.0, 1.0])
    >>> [rule.next(float(t)) for t in range(8)]
    [0, 0, 0, 1, 0, 0, 0, 1]
    """

    def __init__(self, rates: ArrayLike) -> None:
        given = np.atleast_1d(column("rates", rates))
        if not np.all((given >= 0.0) & (given < np.inf)):
            raise InputError("rates must be finite and >= 0", argument="rates")
        total = float(given.sum())
        self._every = [total / rate if rate > 0.0 else math.inf for rate in given.tolist()]
        self._visits = [0] * len(given)
        self._slot = 0
        self._released: list[tuple[int, int]] = []  # (due, page)
        self._later = [(1, page) for page, every in enumerate(self._every) if every < math.inf]  # (release, page)
        heapify(self._later)

    def next(self, now: float) -> int:
        """The released visit that is due first.  O(log pages)."""
        del now
        self._slot += 1
        if not self._later and not self._released:
            return -1
        # A slot with nothing released comes from rounding of the rates only; the next visit then comes early.
        while self._later and (self._later[0][0] <= self._slot or not self._released):
            _, page = heappop(self._later)
            due = math.ceil((self._visits[page] + 1) * self._every[page] - _SLACK)
            heappush(self._released, (due, page))
        _, page = heappop(self._released)
        self._visits[page] += 1
        heappush(self._later, (math.floor(self._visits[page] * self._every[page] + _SLACK) + 1, page))
        return page
