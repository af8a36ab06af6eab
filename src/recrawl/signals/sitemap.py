"""Sitemaps: which pages a site has, and when each was modified last.

Read are sitemaps and indexes of them in XML, with any namespace or none; text files with one URL a line; RSS and Atom
feeds, which the protocol allows as sitemaps; and all of these packed with gzip.

1. Reading never fails: of a broken or truncated file come the entries before the break, and after it those that can be
   made out.
2. Memory is that of one entry.  At most MOST_ENTRIES come of a file, and MOST_BYTES of it are read, unpacked.
3. Time has a bound: reading ends where no entry begins for MOST_IDLE tags and texts, and after MOST_EVENTS in all.
4. An entry without a URL that can be crawled is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import chain, islice

from recrawl.signals import dates, feed
from recrawl.signals.encoding import decoded
from recrawl.signals.markup import MOST_IDLE, End, Event, Start, Text, events
from recrawl.signals.resolving import complete, resolved
from recrawl.signals.unpack import unpacked

MOST_ENTRIES = 50_000
MOST_BYTES = 52_428_800
"""Both are the protocol's limits."""

_RECORDS = {"url": False, "sitemap": True}
_FIELDS = ("loc", "lastmod", "changefreq", "priority")
_EXTENSIONS = ("image", "video", "news", "xhtml", "mobile", "pagemap", "codesearch", "geo")
_PUBLISHED = "news:publication_date"
_MOST_IN_FIELD = 1 << 16
_FEED_ROOTS = ("rss", "feed", "rdf")
_FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
_LINE_END = re.compile(r"[\r\n]+")
_BREAK = re.compile(r"<br\s*/?>.*", re.IGNORECASE | re.DOTALL)
"""What programs put at the ends of lines that think they write HTML."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A page, or a sitemap where an index names one."""

    url: str
    """Complete and normalised."""
    modified: datetime | None = None
    """In UTC."""
    dated: bool = False
    """Whether `modified` has a time of day; a date alone is midnight."""
    is_sitemap: bool = False
    changefreq: str | None = None
    priority: float | None = None


def parse(data: bytes, url: str) -> Iterator[Entry]:
    """The entries of a sitemap that was found at `url`.  Takes the memory of one entry.

    >>> data = b"<urlset><url><loc>/a</loc><lastmod>2024-05-01T12:00Z</lastmod></url></urlset>"
    >>> [(entry.url, str(entry.modified)) for entry in parse(data, "https://example.org/sitemap.xml")]
    [('https://example.org/a', '2024-05-01 12:00:00+00:00')]
    """
    texts = decoded(unpacked(data, MOST_BYTES))
    start = ""
    for text in texts:  # white space may fill pieces
        start += text
        if start.strip("\ufeff \t\r\n\0"):
            break
        start = ""
    pieces = chain((start,), texts)
    lists = "<" not in start[:_MOST_IN_FIELD] or complete(start.lstrip("\ufeff \t\r\n\0"))
    return islice(_of_lines(pieces, url) if lists else _of_xml(pieces, url), MOST_ENTRIES)


def _of_lines(pieces: Iterator[str] | chain[str], url: str) -> Iterator[Entry]:
    """One URL a line, which must be complete: any text would be a relative one.  Some have a date behind it."""
    for line in islice(_urls_in(pieces), MOST_ENTRIES):
        found = resolved(line, url)
        if found is not None:
            yield Entry(found)


def _urls_in(pieces: Iterator[str] | chain[str]) -> Iterator[str]:
    """What the lines begin with, where that looks like a URL."""
    rest = ""
    for piece in chain(pieces, ("\n",)):
        *lines, rest = _LINE_END.split(rest + piece)
        rest = rest[:_MOST_IN_FIELD]
        for line in lines:
            first = _BREAK.sub("", line).strip("\ufeff\0 \t").split(None, 1)[:1]
            if first and complete(first[0]):
                yield first[0]


def _of_xml(pieces: Iterator[str] | chain[str], url: str) -> Iterator[Entry]:
    found = events(pieces)
    before: list[Event] = []
    for event in islice(found, MOST_IDLE):
        before.append(event)
        if isinstance(event, Start):
            if event.name.rpartition(":")[2] in _FEED_ROOTS:
                return _of_feed(chain(before, found), url)
            break
        before.clear()
    return _of_elements(chain(before, found), url)


def _of_feed(found: Iterator[Event], url: str) -> Iterator[Entry]:
    for entry in feed.entries(found, url):
        yield Entry(entry.url, entry.modified, entry.timed)


def _of_elements(found: Iterator[Event], url: str) -> Iterator[Entry]:
    """The records among the elements.  One ends where the next begins, should its end be missing."""
    record: _Record | None = None
    last = records = 0
    for number, event in enumerate(found):
        if number - last > MOST_IDLE or records > MOST_ENTRIES:
            break
        if isinstance(event, Text):
            if record is not None:
                record.text(event.text)
            continue
        prefix, name = _split(event.name)
        if name not in _RECORDS or prefix in _EXTENSIONS:
            if record is not None:
                record.inner(event, prefix, name)
        elif record is not None and record.wraps(event):
            continue
        else:
            if record is not None and (entry := record.entry(url)):
                yield entry
            begins = isinstance(event, Start) and not event.closed
            record = _Record(_RECORDS[name]) if begins else None
            if begins:
                last, records = number, records + 1
    if record is not None and record.broken_off() and (entry := record.entry(url)):
        yield entry


@lru_cache(256)
def _split(name: str) -> tuple[str, str]:
    """Prefix and local name."""
    prefix, _, local = name.rpartition(":")
    return prefix, local


class _Record:
    """What is known of the entry that is being read."""

    __slots__ = ("_bare", "_field", "_fields", "_is_sitemap", "_length", "_nested", "_text", "_wrapped")

    def __init__(self, is_sitemap: bool) -> None:
        self._is_sitemap = is_sitemap
        self._fields: dict[str, str] = {}
        self._field = ""
        self._text: list[str] = []
        self._length = 0
        self._nested = ""
        self._wrapped = False
        self._bare = ""

    def wraps(self, event: Start | End) -> bool:
        """Whether a url element is one around the text of a loc, which some write, and not the next entry."""
        if isinstance(event, Start):
            self._wrapped = self._field == "loc" and not "".join(self._text).strip()
            return self._wrapped
        wrapped, self._wrapped = self._wrapped, False
        return wrapped and self._field == "loc"

    def inner(self, event: Start | End, prefix: str, name: str) -> None:
        """An element of the entry begins or ends."""
        if isinstance(event, End):
            self._end(event.name, name)
            return
        own = name in _FIELDS and not self._nested and prefix not in _EXTENSIONS
        if own or event.name == _PUBLISHED:
            self._keep()
            if not event.closed:
                self._field = name if own else _PUBLISHED
        elif not self._nested and not self._field and not event.closed and name != "link":
            self._nested = event.name  # an image has a loc as well, and it is not the page's

    def text(self, text: str) -> None:
        if self._field:
            if self._length < _MOST_IN_FIELD:
                self._text.append(text)
                self._length += len(text)
        elif not self._nested and len(self._bare) < _MOST_IN_FIELD and (self._bare or not text.isspace()):
            self._bare += text

    def _end(self, name: str, local: str) -> None:
        # An end that is cut off is one, too.
        if self._field and self._field.rpartition(":")[2].startswith(local):
            self._keep()
        elif name == self._nested:
            self._nested = ""

    def broken_off(self) -> bool:
        """The document ends here: forgets what was not read to its end, since half a URL is another page."""
        self._field = self._bare = ""
        return "loc" in self._fields

    def _keep(self) -> None:
        if text := "".join(self._text).strip():
            self._fields.setdefault(self._field, text)
        self._field, self._length = "", 0
        self._text.clear()

    def entry(self, base: str) -> Entry | None:
        self._keep()
        fields = self._fields
        url = resolved(fields.get("loc", "") or complete(self._bare.strip()), base)  # some leave out the loc element
        if url is None:
            return None
        modified, dated = dates.read(fields.get("lastmod", ""))
        if modified is None and _PUBLISHED in fields:
            modified, dated = dates.read(fields[_PUBLISHED])
        often = fields.get("changefreq", "").lower()
        return Entry(
            url,
            modified,
            dated,
            self._is_sitemap,
            often if often in _FREQUENCIES else None,
            _priority(fields.get("priority", "")),
        )


def _priority(text: str) -> float | None:
    """A number from 0 to 1; a comma is a point in many countries."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None
