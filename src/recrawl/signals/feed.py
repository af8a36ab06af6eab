"""Feeds: the latest entries of a site, and when each was published and updated.

Read are RSS of all versions (0.90 and 1.0 are RDF), Atom 0.3 and 1.0, and JSON Feed; also where they are broken,
truncated or packed.  Reading never fails, takes the memory of one entry (a JSON feed: that of the feed), and an entry
without a URL that can be crawled is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from recrawl.signals import feed_json
from recrawl.signals.encoding import decoded
from recrawl.signals.feed_entry import Entry, Fields
from recrawl.signals.feed_tree import Tree
from recrawl.signals.markup import MOST_IDLE, Event, events
from recrawl.signals.resolving import resolved
from recrawl.signals.unpack import unpacked

__all__ = ["MOST_BYTES", "MOST_ENTRIES", "Entry", "Links", "entries", "links", "parse"]

MOST_BYTES = 52_428_800
"""What is read of a feed, unpacked."""
MOST_ENTRIES = feed_json.MOST_ENTRIES
"""As many as a sitemap may have, also those without a page; the longest feeds have a tenth."""

_PERIODS = {"hourly": 3600.0, "daily": 86400.0, "weekly": 604800.0, "monthly": 2592000.0, "yearly": 31536000.0}
_MOST_HUBS = 10


@dataclass(frozen=True, slots=True)
class Links:
    """What a feed says of itself."""

    hubs: tuple[str, ...] = ()
    """WebSub hubs that push it."""
    self_url: str | None = None
    """The URL it wants to be known by: the topic to subscribe to."""
    ttl: float | None = None
    """Seconds for which a copy is good, by ``ttl`` or ``sy:updatePeriod``."""
    page: str | None = None
    """The page it belongs to."""


def parse(data: bytes, url: str) -> Iterator[Entry]:
    """The entries of a feed that was found at `url`, in its order.

    >>> data = b"<rss><channel><item><link>/a</link><guid>7</guid><pubDate>1 May 2024 12:00 GMT</pubDate></item>"
    >>> [(entry.url, entry.id, str(entry.modified)) for entry in parse(data, "https://example.org/feed")]
    [('https://example.org/a', '7', '2024-05-01 12:00:00+00:00')]
    """
    if feed_json.is_json(data):
        return feed_json.entries(feed_json.read(data), url)
    return entries(_events(data), url)


def entries(found: Iterable[Event], url: str) -> Iterator[Entry]:
    """The entries among the elements of a document."""
    for fields in islice(_fields(found, url), MOST_ENTRIES):
        entry = fields.entry()
        if entry is not None:
            yield entry


def _fields(found: Iterable[Event], url: str) -> Iterator[Fields]:
    """What is said of each entry, also of those without a page."""
    tree = Tree(url)
    last = 0
    for number, event in enumerate(found):
        if number - last > MOST_IDLE:
            break
        for fields in tree.hear(event):
            last = number
            yield fields
    unfinished = tree.unfinished()
    if unfinished is not None:
        yield unfinished


def links(data: bytes, url: str) -> Links:
    """The hubs of a feed, its own URL and how long a copy is good.

    >>> data = b'<feed><link rel="hub" href="https://hub.example/"/><link rel="self" href="/feed"/></feed>'
    >>> found = links(data, "https://example.org/atom")
    >>> found.hubs, found.self_url
    (('https://hub.example/',), 'https://example.org/feed')
    """
    if feed_json.is_json(data):
        feed = feed_json.read(data)
        return _links(feed_json.links(feed), feed_json.texts(feed), url, url)
    tree = Tree(url)
    for event in islice(_events(data), MOST_IDLE):
        for _ in tree.hear(event):
            pass
        if tree.head_is_over:
            break
    return _links(tree.head.links, tree.head.texts, tree.head.base, url)


def _events(data: bytes) -> Iterator[Event]:
    return events(decoded(unpacked(data, MOST_BYTES)))


def _links(found: Iterable[tuple[str, str, str]], texts: dict[str, str], base: str, url: str) -> Links:
    hubs: dict[str, None] = {}
    self_url = page = None
    for rel, _, href in found:
        target = resolved(href, base) or resolved(href, url)
        if target is None:
            continue
        if "hub" in rel.split() and len(hubs) < _MOST_HUBS:
            hubs.setdefault(target)
        if "self" in rel.split():
            self_url = self_url or target
        if "alternate" in rel.split():
            page = page or target
    return Links(tuple(hubs), self_url, _ttl(texts), page or resolved(texts.get("link", ""), base))


def _ttl(texts: dict[str, str]) -> float | None:
    """The ttl is in minutes.  A period is divided by how often the feed is updated in it."""
    minutes = _number(texts.get("ttl", ""))
    if minutes:
        return minutes * 60.0
    period = _PERIODS.get(texts.get("updateperiod", "").lower())
    return period and period / (_number(texts.get("updatefrequency", "")) or 1.0)


def _number(text: str) -> float | None:
    return float(text) if text.isdecimal() and text.isascii() and len(text) <= 9 and int(text) else None
