"""What a frontier can be asked; nothing here changes it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from recrawl.arguments import whole_number
from recrawl.errors import InputError
from recrawl.frontier import views
from recrawl.frontier.answers import Freshness, HostView, PageView
from recrawl.frontier.given.names import find_urls
from recrawl.frontier.journaled import Journaled, alone
from recrawl.frontier.settings import Settings
from recrawl.learn.named.sources import SourceQuality

if TYPE_CHECKING:
    from recrawl.frontier.state import State

T = TypeVar("T")


class Asked(Journaled):
    """The half of `Frontier` that only looks."""

    @alone
    def page(self, url: str) -> PageView | None:
        """What is known of a page; None where it is not in the frontier."""
        if not isinstance(url, str):
            raise InputError(f"url must be a URL, got {url!r:.80}", argument="url")
        found = find_urls(self._state.urls, url, skip_bad=False)
        return views.page(self._state, int(found.ids[0]), self._time.now()) if found.ids[0] >= 0 else None

    @alone
    def pages(self, after: int = -1, limit: int = 1000) -> tuple[list[PageView], int]:
        """Pages by the numbers they have here: up to `limit` beyond number `after`, and where to go on.

        >>> from recrawl.frontier import Frontier
        >>> f = Frontier()
        >>> _ = f.add(["https://a.example/", "https://b.example/"])
        >>> [page.url for page in f.pages()[0]]
        ['https://a.example/', 'https://b.example/']
        """
        return views.pages(
            self._state, whole_number("after", after, -1), whole_number("limit", limit, 1), self._time.now()
        )

    @alone
    def hosts(self, after: int = -1, limit: int | None = None) -> list[HostView]:
        """How hosts are doing, in the order they came: all, or up to `limit` beyond number `after`, counted from 0.

        5 microseconds a host.
        """
        most = None if limit is None else whole_number("limit", limit, 1)
        return views.hosts(self._state, whole_number("after", after, -1), most)

    @alone
    def sources(self, host: str | None = None) -> list[SourceQuality]:
        """What was learned of sources of signals, on all hosts or on one."""
        if host is None:
            return self._state.sources.quality()
        number = self._state.hosts.find(host) if isinstance(host, str) else None
        if number is None:
            raise InputError(f"host must be one of the frontier's, got {host!r:.80}", argument="host")
        return self._state.sources.quality(number)

    @alone
    def freshness(self) -> Freshness:
        """How fresh the copies are, as far as is known.  Above 100,000 pages from a sample of that many."""
        return views.freshness(self._state, self._time.now())

    @alone
    def look(self, function: Callable[["State", float], T]) -> T:
        """What a function of the state and the time finds, for who shows things that no other method tells.

        It must change nothing.  All other calls wait for it, so it should take a few milliseconds at most.
        """
        return function(self._state, self._time.now())

    @property
    def statistics(self) -> dict[str, int]:
        """Counters since the beginning, and how many pages, hosts, leases and so on there are now."""
        with self._lock:
            return views.statistics(self._state)

    @property
    def settings(self) -> Settings:
        """What the frontier was asked for."""
        return self._state.settings

    @property
    def rate(self) -> float | None:
        """Pages a second; None for no limit."""
        return self._state.limit.rate

    @property
    def nbytes(self) -> dict[str, int]:
        """Bytes held in memory, by what holds them."""
        with self._lock:
            return self._state.nbytes

    def __len__(self) -> int:
        return len(self._state.urls)

    def __contains__(self, url: object) -> bool:
        with self._lock:
            return isinstance(url, str) and bool(find_urls(self._state.urls, url, skip_bad=True).ids[0] >= 0)

    def __repr__(self) -> str:
        return f"<Frontier: {len(self):,} pages, rate {self.rate}, {len(self._state.leases):,} leased>"
