"""Links of an HTML page: to other pages, to its feeds, to WebSub hubs.

Comments and scripts have no links.  URLs are complete and normalised; those that cannot be crawled are left out, and
each comes once.
"""

from collections.abc import Iterator
from typing import NamedTuple

from recrawl.signals.encoding import text_of
from recrawl.signals.html import Attributes, elements
from recrawl.signals.resolving import resolved

MOST_LINKS = 10_000
"""Taken from one page; those with more are made by programs for programs."""
MOST_BYTES = 1 << 22
"""Read of one page."""

_FEED_TYPES = frozenset(
    ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json", "text/rss+xml",
     "application/x-rss+xml", "application/x.atom+xml", "application/x-atom+xml", "application/rss", "application/atom")
)  # fmt: skip
_PERHAPS_FEED_TYPES = frozenset(("application/json", "application/xml", "text/xml"))


class Link(NamedTuple):
    """A link to a page."""

    url: str
    nofollow: bool
    """Whether every link to that page, or the page itself, asks robots not to follow."""


class Hubs(NamedTuple):
    """What a document says of WebSub: the hubs that push it, and the URL to subscribe to."""

    hubs: tuple[str, ...]
    self_url: str | None


def find(data: bytes, url: str) -> Iterator[Link]:
    """The links of a page that was found at `url`, in its order.

    >>> [link.url for link in find(b'<base href="/b/"><a href="c#top">', "https://example.org/a")]
    ['https://example.org/b/c']
    """
    page = _Page(data, url)
    closed = page.closed_to_robots()
    found: dict[str, bool] = {}
    for attributes in page.elements("a", "area"):
        target = page.resolved(attributes)
        if target is not None:
            nofollow = closed or "nofollow" in _words(attributes.get("rel", ""))
            found[target] = found.get(target, True) and nofollow
            if len(found) >= MOST_LINKS:
                break
    return (Link(target, nofollow) for target, nofollow in found.items())


def feeds(data: bytes, url: str) -> Iterator[str]:
    """The feeds that a page advertises.

    >>> list(feeds(b'<link rel="alternate" type="application/rss+xml" href="/feed">', "https://example.org/"))
    ['https://example.org/feed']
    """
    page = _Page(data, url)
    found: dict[str, None] = {}
    for attributes in page.elements("link", "a"):
        rel = _words(attributes.get("rel", ""))
        kind = attributes.get("type", "").partition(";")[0].strip().lower()
        hinted = "feed" in attributes.get("href", "").lower() or "feed" in rel
        if ("alternate" in rel or "feed" in rel) and (kind in _FEED_TYPES or (hinted and kind in _PERHAPS_FEED_TYPES)):
            target = page.resolved(attributes)
            if target is not None:
                found.setdefault(target)
    return iter(found)


def hubs(data: bytes, url: str) -> Hubs:
    """The hubs that a page names, and its own URL.

    >>> hubs(b'<link rel="hub" href="https://hub.example/"><link rel="self" href="/a">', "https://example.org/a?b")
    Hubs(hubs=('https://hub.example/',), self_url='https://example.org/a')
    """
    page = _Page(data, url)
    found: dict[str, None] = {}
    self_url = None
    for attributes in page.elements("link"):
        rel = _words(attributes.get("rel", ""))
        if "hub" in rel or "self" in rel:
            target = page.resolved(attributes)
            if target is not None and "hub" in rel:
                found.setdefault(target)
            if target is not None and "self" in rel:
                self_url = self_url or target
    return Hubs(tuple(found), self_url)


class _Page:
    def __init__(self, data: bytes, url: str) -> None:
        self._found = elements(text_of(data[:MOST_BYTES]), ("a", "area", "base", "link", "meta"))
        bases = (resolved(attributes["href"], url) for attributes in self.elements("base") if "href" in attributes)
        self._base = next(bases, None) or url

    def elements(self, *names: str) -> Iterator[Attributes]:
        """Attributes of the elements of these names."""
        return (attributes for name, attributes in self._found if name in names)

    def resolved(self, attributes: Attributes) -> str | None:
        return resolved(attributes.get("href", ""), self._base)

    def closed_to_robots(self) -> bool:
        """Whether a meta element asks robots to follow no link."""
        for attributes in self.elements("meta"):
            if attributes.get("name", "").strip().lower() == "robots":
                words = _words(attributes.get("content", "").replace(",", " "))
                if words & {"nofollow", "none"}:
                    return True
        return False


def _words(text: str) -> set[str]:
    return set(text.lower().split())
