"""Every page once: which were fetched in this run, and whether that is all of them.

Every page gets a greatest age of next to nothing, so that the frontier hands it out before all that are only worth
something; when it was fetched, the age is taken back.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recrawl.urls import host_of

if TYPE_CHECKING:
    from recrawl.crawler.results import Answer, Result
    from recrawl.frontier import Frontier, LeasedPage
    from recrawl.frontier.state import State

AGE = 1e-3
"""Seconds after which every page is due."""
MOST_NAMES = 3
"""Names of faults that are told at the end."""
_SLICE = 10_000


class Once:
    """The pages fetched in this run; `frontier` has all there are, `is_source` says which are sitemaps and feeds."""

    def __init__(self, frontier: "Frontier", is_source: Callable[[str], bool] = lambda _: False) -> None:
        self._frontier, self._is_source = frontier, is_source
        self._tried: set[str] = set()
        self.came = self.gone = 0
        """Pages of which there is a copy from this run, or word that the one at hand is right; and that are gone."""
        self.left_out = 0
        """Pages that were not fetched, since their hosts do not answer."""
        self.put_off = 0
        """Pages that were not asked for, since they failed or were gone in a run before."""
        self._failed: Counter[str] = Counter()

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

    def count(self, result: "Result", row: "Answer") -> None:
        """What came of a page, and what the frontier is told of it."""
        if row.moved_to is not None:
            return  # it is counted where it lives now
        if row.status in (404, 410):
            self.gone += 1
        elif row.error is None and row.status is not None and (200 <= row.status < 300 or row.status == 304):
            self.came += 1
        else:
            self._failed[result.fault or f"status {result.status}"] += 1

    def done(self) -> bool:
        """Whether every page was tried, but for those that are left alone for now, or whose hosts are.  O(pages)."""
        paused = {host.name for host in self._frontier.hosts() if host.paused_until is not None}
        left = [url for url in self._urls() if url not in self._tried]
        others = [url for url in left if host_of(url) not in paused]
        self.left_out = sum(1 for url in left if host_of(url) in paused and not self._is_source(url))
        self.put_off = sum(1 for url in others if not self._is_source(url))
        return len(self._off(others)) == len(others)

    def told(self) -> str:
        """How it ended, in words."""
        failed = self._failed.total() + self.left_out
        if not failed + self.gone + self.put_off:
            return "every page was fetched" if self.came else "there was no page to fetch"
        names = [name for name, _ in self._failed.most_common(MOST_NAMES)] + ["host left alone"] * (self.left_out > 0)
        parts = [f"{failed:,} could not be fetched ({', '.join(names)})"] if failed else []
        parts += [f"{self.gone:,} gone"] if self.gone else []
        parts += [f"{self.put_off:,} left alone for now after runs before"] if self.put_off else []
        return f"every page was tried; {', '.join(parts)}"

    def _off(self, urls: list[str]) -> list[str]:
        """Those of some pages that failed or were gone, in a run before, and are not offered yet."""
        slices = [urls[k : k + _SLICE] for k in range(0, len(urls), _SLICE)]
        return [url for some in slices for url in self._frontier.look(partial(_put_off, some))]

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


def _put_off(urls: Sequence[str], state: "State", now: float) -> list[str]:
    from recrawl.frontier import views  # brings kernels

    return views.put_off(state, urls, now)
