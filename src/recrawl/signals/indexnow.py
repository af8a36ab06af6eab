"""IndexNow for a receiver: what a sender says, whether it may, and what to answer.

Plain functions: who calls runs the server, fetches the key's file, limits each host and keeps the keys that were right.

1. `answer` reads a request.  It is either answered at once (400, 404, 405, 422), or an `Ask`: URLs, and the file that
   must hold the key for them.
2. Where that key is known for that file, answer `received`.  Otherwise answer `pending` and fetch the file later; or
   fetch it first, and answer what `judged` says.
3. `too_many` is for a host that sends more than we take.

Senders are many and take liberties; docs/indexnow.md lists those that are taken.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from recrawl.signals.encoding import text_of
from recrawl.signals.indexnow_hosts import covers, host_named, key_file, key_files, same_host
from recrawl.signals.resolving import resolved

MOST_URLS = 10_000
"""In one request, by the protocol."""
MOST_BYTES = 1 << 25
"""Of a body: as many URLs of 2,048 characters take 20 MB, and some room."""
MOST_COMMAS = 20 * MOST_URLS
"""Of a body: as many as that many URLs need, with room for those that have commas.  A body of commas takes a third of a
second to read, in which the interpreter does nothing else."""
MOST_FORM = 1 << 16
"""Of a body that is a form with one URL."""
MOST_KEY_BYTES = 4096
"""Read of a key's file."""

_KEY = re.compile(r"[A-Za-z0-9-]{8,128}")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_PATHS = ("/indexnow", "/indexnow/")


@dataclass(frozen=True, slots=True)
class Answer:
    """What to send back."""

    status: int
    text: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that is well formed: these pages were added, updated or deleted, if the file has the key."""

    host: str
    """Of all the URLs, with the port where the sender names one."""
    urls: tuple[str, ...]
    """Normalised, each once."""
    key: str
    key_urls: tuple[str, ...]
    """Where the key may be: fetch one after another, as any stranger's URL, until one has it.  The first is where the
    sender says; the others are what senders mean who forget ``.txt``, the port, or that their site has no https."""
    refused: tuple[str, ...] = ()
    """What the sender sent as URLs, and is none that can be crawled."""


def answer(
    method: str, path: str, query: str, headers: Iterable[tuple[str, str]] = (), body: bytes = b""
) -> Ask | Answer:
    """What a request asks for, or the answer to one that cannot be understood.

    `query` is what stands after the question mark.  Of the content type only a charset counts: many senders label JSON
    as text.

    >>> asked = answer("GET", "/indexnow", "url=https://example.org/a&key=abcdef12")
    >>> asked.urls, asked.key_urls
    (('https://example.org/a',), ('https://example.org/abcdef12.txt',))
    >>> answer("GET", "/indexnow", "url=https://example.org/a&key=short").status
    422
    """
    if path.lower() not in _PATHS:
        return Answer(404, "not found: IndexNow is at /indexnow")
    method = method.upper()
    if method not in ("GET", "HEAD", "POST"):
        return Answer(405, "use GET for one URL, POST for several", (("Allow", "GET, POST"),))
    if method == "POST" and body.strip():
        label = next((value for name, value in headers if name.lower() == "content-type"), "")
        fields = _of_json(body, label) or _of_query(body[:MOST_FORM].decode("utf-8", "replace"))
    else:
        fields = _of_query(query)
    if not fields:
        return Answer(400, "cannot be read: send url and key, or JSON with host, key and urlList")
    return _checked(fields)


def received() -> Answer:
    """The key is right, and the URLs are taken."""
    return Answer(200)


def pending() -> Answer:
    """The URLs are taken, and the key will be looked at."""
    return Answer(202)


def too_many(seconds: float) -> Answer:
    """The host sends more than is taken; after so many seconds it may again."""
    return Answer(429, "too many requests", (("Retry-After", str(max(1, int(seconds)))),))


def judged(ask: Ask, status: int | None, body: bytes) -> Answer:
    """The answer after a key's file was asked for: its status (None where no answer came) and its body."""
    if status is not None and 200 <= status < 300 and verifies(ask.key, body):
        return received()
    return Answer(403, f"the key was not found in {ask.key_urls[0]}")


def verifies(key: str, body: bytes) -> bool:
    r"""Whether a file holds the key and nothing else, but for white space and a byte order mark.

    >>> verifies("abcdef12", b"\xef\xbb\xbfabcdef12\r\n"), verifies("abcdef12", b"<p>abcdef12</p>")
    (True, False)
    """
    return len(body) <= MOST_KEY_BYTES and text_of(body).strip("\ufeff \t\r\n\0") == key


def _of_query(query: str) -> dict[str, Any]:
    """Fields of a request for one URL, by names in lower case."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=100)
    except ValueError:
        return {}
    found: dict[str, Any] = {}
    for name, value in pairs:
        found.setdefault(name.strip().lower(), value)
    return found if "url" in found or "key" in found else {}


def _of_json(body: bytes, label: str) -> dict[str, Any]:
    charset = _CHARSET.search(label)
    if len(body) > MOST_BYTES or body.count(b",") > MOST_COMMAS:
        return {}
    try:
        found = json.loads(text_of(body, charset[1] if charset else "").strip("\ufeff\0 \t\r\n"))
    except (ValueError, RecursionError):
        return {}
    return {str(name).strip().lower(): value for name, value in found.items()} if isinstance(found, dict) else {}


def _checked(fields: dict[str, Any]) -> Ask | Answer:
    key = fields.get("key")
    if not isinstance(key, str) or not key.strip():
        return Answer(400, "key is missing")
    key = key.strip()
    if not _KEY.fullmatch(key):
        return Answer(422, "key must have 8 to 128 of the characters a-z, A-Z, 0-9 and -")
    texts = fields.get("urllist", fields.get("url"))
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts:
        return Answer(400, "url or urlList is missing")
    if len(texts) > MOST_URLS:
        return Answer(400, f"urlList must have at most {MOST_URLS:,} URLs, got {len(texts):,}; send several requests")
    urls: dict[str, None] = {}
    refused: list[str] = []
    for text in texts:
        url = resolved(text, "") if isinstance(text, str) else None
        if url is None:
            refused.append(str(text)[:200])
        else:
            urls.setdefault(url)
    if not urls:
        return Answer(400, "none of the URLs is a complete http or https URL")
    return _placed(fields, key, tuple(urls), tuple(refused))


def _placed(fields: dict[str, Any], key: str, urls: tuple[str, ...], refused: tuple[str, ...]) -> Ask | Answer:
    """The request with its host and the place of its key, all of which must fit."""
    named = fields.get("host")
    host = host_named(named) if isinstance(named, str) and named.strip() else urlsplit(urls[0]).hostname or ""
    if not host:
        return Answer(400, "host must be a name, such as example.org")
    stranger = next((url for url in urls if not same_host(host, url)), None)
    if stranger is not None:
        return Answer(422, f"{stranger[:200]} is not on {host}")
    place = fields.get("keylocation")
    if isinstance(place, str) and place.strip():
        place = place.strip()
        if place.lower().startswith(f"{host}/"):  # a URL without its scheme
            place = f"//{place}"
        key_url = resolved(place, urls[0])
        if key_url is None or not same_host(host, key_url):
            return Answer(422, f"keyLocation must be a URL on {host}")
    else:
        key_url = key_file(urls[0], key)
    outside = next((url for url in urls if not covers(key_url, url)), None)
    if outside is not None:
        return Answer(422, f"{outside[:200]} is not in the folder of the key, {key_url[:200]}")
    return Ask(host, urls, key, key_files(key_url, key, urls), refused)
