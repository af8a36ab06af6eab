"""One entry of a feed: what its elements say, and what is made of that."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from recrawl.signals import dates
from recrawl.signals.resolving import complete, resolved

Link = tuple[str, str, str]
"""What it is to the entry (its rel), media type, target."""

# By local name, the best first.  What Dublin Core calls date is when the entry was published, or updated since.
_UPDATED = ("updated", "modified", "date_modified")
_PUBLISHED = ("published", "pubdate", "issued", "created", "date", "date_published", "publicationdate", "dateadded")
_CONTENT = ("title", "description", "summary", "content", "encoded", "tagline", "body", "content_html", "content_text")
_PAGE_TYPES = ("", "text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Entry:
    """A page as a feed shows it."""

    url: str
    """Complete and normalised."""
    id: str
    """What stays the same when the entry changes: guid, atom:id or rdf:about; the URL where it has none."""
    modified: datetime | None = None
    """When it was updated, or published where it does not say.  In UTC."""
    published: datetime | None = None
    digest: bytes = b""
    """Of title and content, so that a changed entry shows even where its dates stay."""
    timed: bool = False
    """Whether `modified` has a time of day; a date alone is midnight."""


class Fields:
    """What was read of an entry: texts by local names of elements, and links."""

    __slots__ = ("about", "base", "links", "texts")

    def __init__(self, base: str, about: str = "") -> None:
        self.base = base
        self.about = about
        self.texts: dict[str, str] = {}
        self.links: list[Link] = []

    def entry(self) -> Entry | None:
        """The entry; None where it has no URL."""
        url = self._url()
        if url is None:
            return None
        modified, timed = self._date(_UPDATED)
        published, published_timed = self._date(_PUBLISHED)
        if modified is None:
            modified, timed = published, published_timed
        name = self.texts.get("guid") or self.texts.get("id") or self.about or url
        return Entry(url, name, modified, published, self._digest(), timed)

    def _url(self) -> str | None:
        """The page: where the feed says so, else where its name is a URL."""
        texts = self.texts
        candidates = [texts.get("origlink", "")]  # behind FeedBurner's redirect
        alternates = [link for link in self.links if "alternate" in link[0].split()]
        candidates += [href for _, kind, href in alternates if kind in _PAGE_TYPES]
        candidates += [texts.get("link", ""), texts.get("url", ""), texts.get("external_url", "")]
        candidates += [href for _, _, href in alternates]
        # A name that is a URL leads there more often than not, even where the feed says that it need not.
        candidates += [complete(texts.get("guid", "")), complete(texts.get("id", "")), self.about]
        for text in candidates:
            url = resolved(text, self.base) if text else None
            if url is not None:
                return url
        return None

    def _date(self, names: Sequence[str]) -> tuple[datetime | None, bool]:
        for name in names:
            found, timed = dates.read(self.texts[name]) if name in self.texts else (None, False)
            if found is not None:
                return found, timed
        return None, False

    def _digest(self) -> bytes:
        hashed = blake2b(digest_size=16)
        for name in _CONTENT:
            if name in self.texts:
                hashed.update(name.encode())
                hashed.update(" ".join(self.texts[name].split()).encode("utf-8", "replace"))
                hashed.update(b"\0")
        return hashed.digest()
