"""The last two versions of each page, on a shelf: what a new one is compared with, and what `recrawl diff` shows.

One fact a page: kind ``version``, the page's URL as key.  The bytes are a line of JSON for each version, the older
first, and after an empty line the bodies, deflated, in the same order::

    {"time": 1700000000.0, "content_type": "text/html", "bytes": 1204, "deflated": 611}
"""

import json
import zlib
from dataclasses import dataclass
from functools import lru_cache

from recrawl.errors import DataError
from recrawl.store import AnyShelf

KIND = "version"
KEPT = 2
MOST_BYTES = 64 << 20
"""Of a body when it is inflated again; no fetch gives more."""
LEVEL = 3
"""Of deflating: half the time of the usual 6 and an eighth more bytes, on 201 HTML files of 37 kB in the mean."""

Item = tuple[str, str, bytes | None]


@dataclass(frozen=True)
class Version:
    """A page as it was fetched at a time (seconds since 1970)."""

    body: bytes
    content_type: str
    time: float


def put(shelf: AnyShelf, url: str, body: bytes, content_type: str, time: float) -> None:
    """Keep a version as the page's last; of those before only the last is kept."""
    shelf.put([item(shelf, url, body, content_type, time)])


def item(shelf: AnyShelf, url: str, body: bytes, content_type: str, time: float) -> Item:
    """The same as something to put, for who puts other facts in the same transaction."""
    return item_after(shelf.get(KIND, url), url, body, content_type, time)


def deflated(body: bytes) -> bytes:
    """A body as it is kept."""
    return zlib.compress(body, LEVEL)


def item_after(
    data: bytes | None, url: str, body: bytes, content_type: str, time: float, packed: bytes | None = None
) -> Item:
    """The same, for who has read what is kept; `packed` is the body where it was deflated before."""
    packed = deflated(body) if packed is None else packed
    head = (
        f'{{"time": {float(time)!r}, "content_type": {_as_json(content_type)}, "bytes": {len(body)},'
        f' "deflated": {len(packed)}}}\n'
    ).encode()
    if not data:
        return KIND, url, b"%b\n%b" % (head, packed)
    before = _split(data, url)[-(KEPT - 1) :]
    older = "".join(f"{json.dumps(old)}\n" for old, _ in before).encode()
    return KIND, url, b"".join((older, head, b"\n", *(old for _, old in before), packed))


def last_two(shelf: AnyShelf, url: str) -> tuple[Version, ...]:
    """The versions that are kept, the older first; one or none where there were no more."""
    data = shelf.get(KIND, url)
    return tuple(_version(head, body) for head, body in _split(data, url)) if data else ()


def last(shelf: AnyShelf, url: str) -> Version | None:
    """The last version; None where there is none."""
    data = shelf.get(KIND, url)
    return _version(*_split(data, url)[-1]) if data else None


def _split(data: bytes, url: str) -> list[tuple[dict[str, object], bytes]]:
    lines, _, bodies = data.partition(b"\n\n")
    try:
        heads = [json.loads(line) for line in lines.split(b"\n")]
        found, at = [], 0
        for head in heads:
            found.append((head, bodies[at : at + head["deflated"]]))
            at += head["deflated"]
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{KIND} {url!r} cannot be read; it was written by another recrawl", "the shelf") from None
    return found


@lru_cache(maxsize=256)
def _as_json(content_type: str) -> str:
    """There are few, and each line has one."""
    return json.dumps(content_type)


def _version(head: dict[str, object], packed: bytes) -> Version:
    body = zlib.decompressobj().decompress(packed, MOST_BYTES)
    return Version(body, str(head["content_type"]), float(str(head["time"])))
