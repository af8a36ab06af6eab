"""JSON Feed, versions 1 and 1.1."""

import json
from collections.abc import Iterator
from typing import Any

from recrawl.signals.encoding import text_of
from recrawl.signals.feed_entry import Entry, Fields, Link
from recrawl.signals.unpack import unpacked

_MOST_BYTES = 1 << 25
"""A JSON document is read as a whole, so less of it than of others."""
_MOST_VALUES = 1 << 21
"""Commas and brackets: 32 MB of empty objects would take 800 MB of memory; a feed as long has a quarter as many."""
MOST_ENTRIES = 50_000
_NAMES = ("url", "external_url", "title", "content_html", "content_text", "summary", "date_published", "date_modified")


def is_json(data: bytes) -> bool:
    """Whether a document begins as JSON does."""
    return next(unpacked(data, 64), b"").lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"


def read(data: bytes) -> dict[str, Any]:
    """The document; empty where it is no JSON."""
    try:
        text = text_of(b"".join(unpacked(data, _MOST_BYTES)))
        found = json.loads(text) if sum(map(text.count, ",[{")) <= _MOST_VALUES else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def entries(feed: dict[str, Any], url: str) -> Iterator[Entry]:
    """Its entries."""
    items = feed.get("items")
    for item in items[:MOST_ENTRIES] if isinstance(items, list) else ():
        if isinstance(item, dict):
            fields = Fields(url)
            fields.texts = {name: item[name] for name in _NAMES if isinstance(item.get(name), str)}
            if isinstance(item.get("id"), str | int | float):
                fields.texts["id"] = str(item["id"])
            entry = fields.entry()
            if entry is not None:
                yield entry


def links(feed: dict[str, Any]) -> list[Link]:
    """Hubs and its own URL."""
    hubs = feed.get("hubs")
    found = [("hub", "", hub.get("url")) for hub in (hubs if isinstance(hubs, list) else ()) if isinstance(hub, dict)]
    found += [("self", "", feed.get("feed_url")), ("alternate", "", feed.get("home_page_url"))]
    return [(rel, kind, href) for rel, kind, href in found if isinstance(href, str)]


def texts(feed: dict[str, Any]) -> dict[str, str]:
    """Texts at its top, by name."""
    return {name: value for name, value in feed.items() if isinstance(value, str)}
