"""Which pages belong to the crawl: those under the addresses where its sites begin."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from recrawl.urls import host_of


class Scope:
    """Addresses where sites begin; a page belongs to one on the same host, in the same folder or below.

    >>> scope = Scope(["https://a.example/docs/index.html", "https://b.example/"])
    >>> scope.covers("https://a.example/docs/x/y"), scope.covers("http://b.example/z"), scope.covers("https://a.example/")
    (True, True, False)
    """

    def __init__(self, sites: Iterable[str]) -> None:
        self._folders: dict[str, tuple[str, ...]] = {}
        for url in sites:
            self.widen(url)

    def widen(self, url: str) -> None:
        """One more address where a site begins."""
        host, path = host_of(url), urlsplit(url).path or "/"
        folder = path[: path.rindex("/") + 1]
        known = self._folders.get(host, ())
        if not folder.startswith(known or "\n"):
            self._folders[host] = (*known, folder)

    def covers(self, url: str) -> bool:
        """Whether a normalised URL belongs to a site.  O(sites of its host)."""
        folders = self._folders.get(host_of(url))
        if folders is None:
            return False
        if folders == ("/",):
            return True
        return (urlsplit(url).path or "/").startswith(folders)

    def has_host(self, url: str) -> bool:
        """Whether a site lives on the host of a URL."""
        return host_of(url) in self._folders
