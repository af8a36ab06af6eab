"""What a document is, by its content: servers label sitemaps and feeds as anything."""

import re
from typing import Literal

from recrawl.signals.encoding import decoded
from recrawl.signals.markup import Start, events
from recrawl.signals.unpack import unpacked

Kind = Literal["sitemap", "feed", "text-sitemap", "html", "other"]

_SAMPLE = 1 << 16
_MOST_ELEMENTS = 50
_LINE_END = re.compile(r"[\r\n]+")
_ROOTS: dict[str, Kind] = {
    "urlset": "sitemap", "sitemapindex": "sitemap", "rss": "feed", "feed": "feed", "html": "html",
    "head": "html", "body": "html", "title": "html", "div": "html", "p": "html", "table": "html", "script": "html",
}  # fmt: skip
_RSS_IN_RDF = re.compile(r"purl\.org/rss|my\.netscape\.com|<(?:\w+:)?(?:channel|item)[\s>]", re.IGNORECASE)


def kind(data: bytes, content_type: str = "") -> Kind:
    """What the document is.  It may be packed; the content type counts only where the content does not tell.

    >>> kind(b"<?xml version='1.0'?><urlset><url>", "text/html"), kind(b"https://example.org/", "text/plain")
    ('sitemap', 'text-sitemap')
    """
    text = "".join(decoded(unpacked(data, _SAMPLE))).lstrip("\ufeff \t\r\n\0")
    label = content_type.partition(";")[0].strip().lower()
    if text.startswith("{"):
        return "feed" if "jsonfeed.org/version" in text[:4096] or label == "application/feed+json" else "other"
    if "<" not in text:
        return "text-sitemap" if _lists_urls(text, label) else _by_label(label)
    if text.startswith("<"):
        return _by_elements(text, label)
    found = _by_elements(text, "")
    if found == "other" and _lists_urls(text, label):
        return "text-sitemap"
    return found if found != "other" else _by_label(label)


def _by_elements(text: str, label: str) -> Kind:
    """By the first element that tells; others may stand before it, such as what a server program complains of."""
    seen = 0
    fallback: Kind | None = None
    for event in events((text,)):
        if isinstance(event, Start):
            name = event.name.rpartition(":")[2]
            if name == "rdf" and _RSS_IN_RDF.search(text):
                return "feed"
            found = _ROOTS.get(name)
            if found in ("sitemap", "feed") or (found == "html" and name == "html"):
                return found
            fallback = fallback or found
            seen += 1
            if seen >= _MOST_ELEMENTS:
                break
    return fallback or _by_label(label)


def _by_label(label: str) -> Kind:
    return "html" if label in ("text/html", "application/xhtml+xml") else "other"


def _lists_urls(text: str, label: str) -> bool:
    """Whether the first line is a URL, and most of those after it are."""
    if label in ("text/html", "application/xhtml+xml", "text/css", "application/json") or "javascript" in label:
        return False
    lines = [line.strip() for line in _LINE_END.split(text[:4096]) if line.strip()]
    urls = [line[:8].lower().startswith(("http://", "https://")) and " " not in line for line in lines]
    return bool(urls) and urls[0] and 2 * sum(urls) > len(urls)
