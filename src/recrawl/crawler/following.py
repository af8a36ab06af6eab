"""What a page leads to: feeds that a site's front page names, and links on the site where they are followed.

How many steps a page is away from where its site begins is kept on the shelf, for pages found by links only; all others
are where links begin.
"""

from recrawl.compare.extract import is_html
from recrawl.crawler.settings import Settings
from recrawl.crawler.sources.sources import Sources
from recrawl.fetch.fetched import Fetched
from recrawl.signals import links
from recrawl.store import AnyShelf
from recrawl.store.shelf_protocol import Item
from recrawl.urls import host_of

DEPTH = "depth"
MOST_LINKS = 5_000
"""Links of one page that are looked at."""


class Following:
    """Finds pages and feeds in pages; called with new versions only."""

    def __init__(self, settings: Settings, shelf: AnyShelf, sources: Sources) -> None:
        self._sites, self._follow = frozenset(settings.sites), settings.follow
        self._shelf, self._sources = shelf, sources
        self._depths: dict[str, int] = {}

    def page(self, url: str, fetched: Fetched) -> None:
        """There is a new version of a page."""
        if (self._follow is None and url not in self._sites) or not is_html(fetched.body, fetched.content_type):
            return
        if url in self._sites:
            found = links.feeds(fetched.body, fetched.final_url)
            self._sources.told([feed for feed in found if host_of(feed) == host_of(url)], f"page {url}", "feed")
        if self._follow is not None and (depth := self._depth(url)) < self._follow:
            seen = [link.url for link in _some(fetched) if not link.nofollow]
            for new in self._sources.linked(seen):
                self._depths[new] = depth + 1

    def changes(self) -> list[Item]:
        """What is to be kept on the shelf."""
        items: list[Item] = [(DEPTH, url, b"%d" % depth) for url, depth in self._depths.items()]
        self._depths.clear()
        return items

    def _depth(self, url: str) -> int:
        if url in self._depths:
            return self._depths[url]
        data = self._shelf.get(DEPTH, url)
        return 0 if data is None else int(data)


def _some(fetched: Fetched) -> list[links.Link]:
    return [link for _, link in zip(range(MOST_LINKS), links.find(fetched.body, fetched.final_url), strict=False)]
