"""From the elements of a feed to its entries.

1. Elements directly in an entry are its fields.  What is inside of them is their text, tags and all.
2. Elements outside of entries that are not inside another field belong to the feed: its links, its ttl.
3. An end closes what was begun inside of it and never ended; an end without a beginning is passed over.
4. Namespaces are told by prefix where it matters: an ``itunes:title`` is not the title.
"""

from collections.abc import Iterator

from recrawl.signals.feed_entry import Fields
from recrawl.signals.markup import End, Event, Start, Text
from recrawl.signals.resolving import resolved

MOST_IN_FIELD = 1 << 20
"""Characters kept of one field."""
MOST_FIELDS = 200
"""Fields and links kept of one entry."""

_ENTRIES = ("item", "entry")
# Prefixes whose elements have names of ours and mean something else.
_FOREIGN = ("itunes", "media", "slash", "wfw", "georss", "gd", "yt", "googleplay", "podcast", "thr", "g", "image", "cc")
_OUTER = ("rss", "rdf", "channel", "feed", "items", "html", "body", "xml", "result", "records")
_LONG = ("title", "description", "summary", "content", "encoded", "body", "tagline")
_SHORT = ("link", "guid", "id", "pubdate", "date", "updated", "published", "modified", "issued", "category", "comments")
"""Fields without elements inside.  Of the others some have links and titles of their own, such as source and image."""
_MOST_DEPTH = 200
_REGISTRY = "http://www.iana.org/assignments/relation/"
"""A rel may be written out so (RFC 4287)."""


class Tree:
    """Where in the feed we are."""

    def __init__(self, url: str) -> None:
        self.head = Fields(url)
        """What the feed says of itself."""
        self.head_is_over = False
        """Whether an Atom feed's or a channel's own elements may be taken as read: ten entries have been seen."""
        self._seen = 0
        self._bases: list[tuple[str, str]] = []
        self._entry: Fields | None = None
        self._field = ""
        self._field_base = ""
        self._rel: tuple[str, str] | None = None
        """Of a link that has its target inside and not in an attribute."""
        self._inside: list[str] = []
        self._text: list[str] = []
        self._length = 0
        self._url = url

    def hear(self, event: Event) -> Iterator[Fields]:
        """Takes the next event; gives an entry where that ends one."""
        if isinstance(event, Text):
            self._keep(event.text)
        elif isinstance(event, Start):
            yield from self._start(event)
        else:
            yield from self._end(event)

    def unfinished(self) -> Fields | None:
        """The entry in which the document broke off.  The field it broke in is not kept: half a URL is another page."""
        entry, self._entry = self._entry, None
        return entry

    def _start(self, event: Start) -> Iterator[Fields]:
        prefix, _, name = event.name.rpartition(":")
        if name in _ENTRIES and prefix not in _FOREIGN and not (self._entry and self._field in _LONG):
            if self._entry is not None:
                self._close_field()
                yield self._done()
            attributes = event.attributes()
            self._open(event.name, attributes)
            self._field, self._inside = "", []
            self._entry = Fields(self._base, attributes.get("rdf:about", attributes.get("about", "")))
            if attributes.get("href"):  # CDF, of old
                self._entry.links.append(("alternate", "", attributes["href"]))
            if attributes.get("lastmod"):
                self._entry.texts["modified"] = attributes["lastmod"]
            if event.closed:
                yield self._done()
            return
        if self._field:
            self._nested(event, name)
            return
        self._begin(event, prefix, name)

    def _begin(self, event: Start, prefix: str, name: str) -> None:
        """A field begins, or one of the elements around entries."""
        attributes = event.attributes()
        if self._entry is None and name in _OUTER:
            if not event.closed:
                self._open(event.name, attributes)
            if self._bases:
                self.head.base = self._base
            return
        if prefix in _FOREIGN:
            name = event.name
        fields = self._entry or self.head
        self._field_base = attributes.get("xml:base", "")
        self._rel = None
        if name == "link":
            rel = attributes.get("rel", "alternate").lower().removeprefix(_REGISTRY)
            kind = attributes.get("type", "").lower()
            if not attributes.get("href"):
                self._rel = (rel, kind) if "rel" in attributes else None
            elif len(fields.links) < MOST_FIELDS:
                fields.links.append((rel, kind, self._against_base(attributes["href"])))
        self._field = "" if event.closed else name
        if event.closed and name == "content" and attributes.get("src"):
            fields.texts.setdefault("content", attributes["src"])
        self._inside = [event.name] if not event.closed else []
        self._text, self._length = [], 0

    def _nested(self, event: Start, name: str) -> None:
        """An element inside a field: part of its text, unless the field should have ended before."""
        if self._field in _SHORT and name in (*_SHORT, *_LONG):
            self._close_field()
            self._begin(event, event.name.rpartition(":")[0], name)
            return
        self._keep(f"<{event.name}{event.rest}>")
        if not event.closed and len(self._inside) < _MOST_DEPTH:
            self._inside.append(event.name)

    def _end(self, event: End) -> Iterator[Fields]:
        name = event.name
        local = name.rpartition(":")[2]
        if self._entry is not None and local in _ENTRIES and not (self._field in _LONG and name in self._inside[1:]):
            self._close_field()
            yield self._done()
            self._shut(name)
            return
        if self._inside:
            if name == self._inside[0] and (len(self._inside) == 1 or name not in self._inside[1:]):
                self._close_field()
            elif name in self._inside:
                del self._inside[len(self._inside) - 1 - self._inside[::-1].index(name) :]
            elif self._entry is None and local in _OUTER:
                self._close_field()
                self._shut(name)
            return
        self._shut(name)

    def _keep(self, text: str) -> None:
        if self._field and self._length < MOST_IN_FIELD:
            self._text.append(text)
            self._length += len(text)

    def _close_field(self) -> None:
        if self._field:
            fields = self._entry or self.head
            text = "".join(self._text).strip()
            if self._field in ("link", "guid"):
                text = self._against_base(text)
            if self._rel and self._field == "link":
                if text and len(fields.links) < MOST_FIELDS:
                    fields.links.append((*self._rel, text))
            elif text and len(fields.texts) < MOST_FIELDS:
                fields.texts.setdefault(self._field, text)
        self._field, self._inside = "", []

    def _done(self) -> Fields:
        entry = self._entry
        self._entry = None
        self._seen += 1
        self.head_is_over = self._seen >= 10
        assert entry is not None
        return entry

    def _against_base(self, text: str) -> str:
        """The URL, complete where the element it stands in has a base of its own."""
        if not self._field_base:
            return text
        return resolved(text, resolved(self._field_base, self._base) or self._base) or text

    @property
    def _base(self) -> str:
        return self._bases[-1][1] if self._bases else self._url

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        base = attributes.get("xml:base", "")
        if len(self._bases) < _MOST_DEPTH:
            self._bases.append((name, (resolved(base, self._base) if base else None) or self._base))

    def _shut(self, name: str) -> None:
        for at in range(len(self._bases) - 1, -1, -1):
            if self._bases[at][0] == name:
                del self._bases[at:]
                return
