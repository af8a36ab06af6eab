"""Which sitemap of a site lists which pages, where each is fetched at a time of its own."""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import inf


class Listings:
    """What each sitemap listed last, and the pages that left it and are in no other.

    A page that leaves a sitemap may have moved to one that is fetched a little later.  So it is known to be gone only
    when the sitemap that it left is read again, or at the end.
    """

    def __init__(self) -> None:
        self._pages: dict[str, set[str]] = {}
        self._places: Counter[str] = Counter()
        self._left: dict[str, list[str]] = {}
        self._nowhere: dict[str, tuple[str, float]] = {}
        """Of pages in no sitemap: the last one that listed them, and when it no longer did."""
        self._read: dict[str, float] = {}
        self._longest: dict[str, float] = {}
        """The longest time between two snapshots of a sitemap that has two."""

    def has(self, sitemaps: Iterable[str]) -> bool:
        """Whether one of them was read before."""
        return any(sitemap in self._read for sitemap in sitemaps)

    def settled(self, sitemaps: Iterable[str]) -> Iterator[tuple[str, float]]:
        """Pages that are gone, now that these sitemaps are read again, and since when."""
        for sitemap in sitemaps:
            for url in self._left.pop(sitemap, ()):
                last, moment = self._nowhere.get(url, ("", 0.0))
                if last == sitemap:
                    del self._nowhere[url]
                    yield url, moment

    def settled_at_last(self) -> Iterator[tuple[str, float]]:
        """Pages that are gone, now that nothing more is read."""
        return self.settled(list(self._left))

    def read(self, sitemap: str, urls: set[str], now: float, whole: bool) -> None:
        """A sitemap lists these pages; where not `whole`, it may list others, too."""
        self._note_time(sitemap, now)
        listed = self._pages.get(sitemap, set())
        for url in urls - listed:
            self._places[url] += 1
            self._nowhere.pop(url, None)
        if whole:
            self._leave(sitemap, listed - urls, now)
        self._pages[sitemap] = urls if whole else urls | listed

    def given_up(self, end: float) -> list[str]:
        """Sitemaps that were not read up to the end: not for more than twice the longest time before."""
        longest = max(self._longest.values(), default=0.0)
        return [
            sitemap for sitemap, last in self._read.items() if end - last > 2.0 * self._longest.get(sitemap, longest)
        ]

    def _leave(self, sitemap: str, urls: set[str], now: float) -> None:
        for url in urls:
            self._places[url] -= 1
            if not self._places[url]:
                del self._places[url]
                self._nowhere[url] = sitemap, now
                self._left.setdefault(sitemap, []).append(url)

    def _note_time(self, sitemap: str, now: float) -> None:
        before = self._read.get(sitemap, inf)
        if before < now:
            self._longest[sitemap] = max(self._longest.get(sitemap, 0.0), now - before)
        self._read[sitemap] = now
