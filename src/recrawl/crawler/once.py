"""Every page once: which were fetched in this run, and whether that is all of them.

Every page gets a greatest age of next to nothing, so that the frontier hands it out before all that are only worth
something; when it was fetched, the age is taken back.
"""

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from recrawl.urls import host_of

if TYPE_CHECKING:
    from recrawl.frontier import Frontier, LeasedPage

AGE = 1e-3
"""Seconds after which every page is due."""
_SLICE = 10_000


class Once:
    """The pages fetched in this run; `frontier` has all there are."""

    def __init__(self, frontier: "Frontier") -> None:
        self._frontier = frontier
        self._tried: set[str] = set()
        self.left_out = 0
        """Pages that were not fetched, since their hosts do not answer."""

    def begin(self) -> None:
        """Have all pages be due."""
        self._set_ages(AGE)

    def end(self) -> None:
        """Have pages be due as the frontier thinks best."""
        self._set_ages(math.inf)

    def take(self, page: "LeasedPage") -> bool:
        """Whether a leased page was not fetched in this run yet."""
        new = page.url not in self._tried
        self._tried.add(page.url)
        return new

    def fetched(self, urls: Iterable[str]) -> None:
        """Pages were fetched, or tried: those that were not come first from now on."""
        there = [url for url in urls if url in self._frontier]  # some have moved or were forgotten
        if there:
            self._frontier.add(there, max_age=math.inf)

    def done(self) -> bool:
        """Whether every page was tried, but for those of hosts that are left alone for now.  O(pages)."""
        paused = {host.name for host in self._frontier.hosts() if host.paused_until is not None}
        left = [url for url in self._urls() if url not in self._tried]
        self.left_out = len(left)
        return all(host_of(url) in paused for url in left)

    def _urls(self) -> Iterator[str]:
        after = -1
        while True:
            views, after = self._frontier.pages(after, _SLICE)
            if not views:
                return
            yield from (view.url for view in views)

    def _set_ages(self, seconds: float) -> None:
        urls: list[str] = []
        for url in self._urls():
            urls.append(url)
            if len(urls) >= _SLICE:
                self._frontier.add(urls, max_age=seconds)
                urls = []
        if urls:
            self._frontier.add(urls, max_age=seconds)
