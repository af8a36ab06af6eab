"""Which sites the settings name, where they live, and which ones they named in a run before and do not any more.

Pages of a site that is not named any more are not asked for.  They are kept, with what was learned of them, for whoever
names it again.  Pages of sites that were never named, such as those of an import, are nobody's to leave out.
"""

import json
from typing import Any

from recrawl.crawler.scope import Scope
from recrawl.crawler.settings import Settings
from recrawl.store import AnyShelf
from recrawl.store.shelf_protocol import Item

KIND = "reach"


class Reach:
    """What a crawl asks for; widens the scope by where sites were seen to have moved in runs before."""

    def __init__(self, settings: Settings, scope: Scope, shelf: AnyShelf) -> None:
        data = shelf.get(KIND, KIND)
        before: dict[str, Any] = {"ever": [], "named": [], "most_pages": 0, "moved": {}}
        before |= {} if data is None else json.loads(data)
        named = (*settings.sites, *settings.sitemaps, *settings.feeds)
        self._scope, self._named, self._most_pages = scope, named, settings.most_pages
        self._ever = tuple(dict.fromkeys((*before["ever"], *named)))
        self._moved: dict[str, str] = before["moved"]
        more_pages = settings.most_pages > before["most_pages"]
        self.is_wider = data is not None and (more_pages or not {*named} <= {*before["named"]})
        """Whether more is wanted than in the run before."""
        for site in named:
            if site in self._moved:
                scope.widen(self._moved[site])
        left = [site for site in self._ever if site not in named]
        self._left = Scope([*left, *(self._moved[site] for site in left if site in self._moved)]) if left else None
        self._listed = frozenset(self._named_one_by_one(settings))

    def _named_one_by_one(self, settings: Settings) -> list[str]:
        """Pages of sites that were left, which are in the file of pages."""
        from recrawl.crawler.start import listed

        if self._left is None or settings.urls is None:
            return []
        return [url for url in listed(settings.urls) if self._left.covers(url)]

    def wants(self, url: str, is_source: bool) -> bool:
        """Whether a page, a sitemap or a feed is to be asked for."""
        left, scope = self._left, self._scope
        if left is None or scope.covers(url) or url in self._listed:
            return True
        return not left.has_host(url) or scope.has_host(url) if is_source else not left.covers(url)

    def moved(self, site: str, to: str) -> None:
        """A site lives somewhere else."""
        self._moved[site] = to

    def item(self) -> Item:
        """What is to be kept on the shelf."""
        kept = {"ever": self._ever, "named": self._named, "most_pages": self._most_pages, "moved": self._moved}
        return KIND, KIND, json.dumps(kept).encode()
