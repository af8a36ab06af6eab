"""One spelling for each URL, by the rules browsers follow (the WHATWG URL standard), and what is refused.

The standard reads nearly everything.  A crawler wants less: only http and https, no user names or passwords (they would
end in logs), a host that can exist, no fragment (it never leaves the browser), and no more than MOST_CHARACTERS.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import can_ada

from recrawl.errors import InputError

MOST_CHARACTERS = 8192
"""The longest URL that is taken, as it is spelled in the end.  Servers and browsers refuse longer ones, too."""
_SCHEMES = ("http:", "https:")
_IN_URLS_BEHIND_HOSTS = frozenset("/\\?#")
_BAD_IN_HOST = frozenset("\"'`{}<>\\^| ")


class Refused(NamedTuple):
    """A URL that was not taken, by its place in the list, and why; of a long one the beginning."""

    item: int
    url: str
    reason: str

    @classmethod
    def of(cls, item: int, given: object, reason: str) -> "Refused":
        """What was given may be no text, or none that can be written."""
        text = str(given).encode(errors="backslashreplace").decode()
        return cls(item, _cut(text), reason)


def normalise(text: str, base: str | None = None) -> str:
    """The URL in its one spelling; `text` may be relative where there is a `base`.

    Raises InputError where it is no URL that can be crawled.

    >>> normalise("HTTP://Example.org:80/a/../b?q=1#top")
    'http://example.org/b?q=1'
    >>> normalise("../c", base="https://example.org/a/b")
    'https://example.org/c'
    """
    url, reason = _spelled(text, None if base is None else _base(base))
    if url is None:
        raise InputError(f"url must {reason}, got {shown(text)}", argument="url")
    return url


def normalise_all(texts: Sequence[str]) -> tuple[list[str | None], list[Refused]]:
    """The spelling of each URL, None for those refused; and these, with the reason."""
    found: list[str | None] = []
    refused: list[Refused] = []
    for item, text in enumerate(texts):
        url, reason = _spelled(text)
        found.append(url)
        if url is None:
            refused.append(Refused.of(item, text, f"url must {reason}"))
    return found, refused


def host_of(url: str) -> str:
    """The host of a normalised URL, with the port where it is not the usual one.

    >>> host_of("https://example.org:8443/a"), host_of("https://example.org/a?b=//c")
    ('example.org:8443', 'example.org')
    """
    begin = url.index("//") + 2
    end = url.find("/", begin)
    host = url[begin:] if end < 0 else url[begin:end]
    return host.partition("?")[0] if "?" in host else host


def host_named(name: str) -> str:
    """A host as it is spelled in normalised URLs; what names none stays as it is.

    >>> host_named("Example.org"), host_named("example.org:443"), host_named("example.org:8443"), host_named("a group")
    ('example.org', 'example.org', 'example.org:8443', 'a group')
    """
    if not _IN_URLS_BEHIND_HOSTS.isdisjoint(name):
        return name
    url, _ = _spelled(f"{'http' if name.endswith(':80') else 'https'}://{name}/")
    return name if url is None else host_of(url)


def origin_of(url: str) -> str:
    """Scheme, host and port of a normalised URL.

    >>> origin_of("https://a.example:8443/b?c")
    'https://a.example:8443'
    """
    end = url.find("/", url.index("//") + 2)
    origin = url if end < 0 else url[:end]
    return origin.partition("?")[0] if "?" in origin else origin


@lru_cache(maxsize=64)
def _base(url: str) -> can_ada.URL:
    """What relative URLs are resolved against.  Kept, since those of a page come one after the other."""
    return can_ada.parse(normalise(url))


def _spelled(text: object, base: can_ada.URL | None = None) -> tuple[str | None, str]:
    """The URL and nothing; or None and what it should have been."""
    if not isinstance(text, str):
        return None, "be text"
    if len(text) > 4 * MOST_CHARACTERS:
        return None, f"have at most {MOST_CHARACTERS:,} characters"
    try:
        url = can_ada.parse(text) if base is None else base + text  # resolved as the standard has it
    except ValueError:
        return None, "be a complete URL, such as https://example.org/"
    except TypeError:  # surrogates that stand alone are no text
        return None, "be text that can be written as UTF-8"
    if url.protocol not in _SCHEMES:
        return None, "begin with http:// or https://"
    if url.has_credentials():
        return None, "hold no user name or password"
    host = url.hostname
    if not host or ".." in host or host.startswith(".") or not _BAD_IN_HOST.isdisjoint(host):
        return None, "name a host that can exist"
    if len(host) > 253 or any(len(label) > 63 for label in host.split(".")):
        return None, "name a host of at most 253 characters, 63 between dots"
    if url.has_hash():
        url.hash = ""
    if "^" in url.pathname:  # the standard escapes it since 2024, can_ada by its version
        url.pathname = url.pathname.replace("^", "%5E")
    if len(url.href) > MOST_CHARACTERS:
        return None, f"have at most {MOST_CHARACTERS:,} characters"
    return url.href, ""


def shown(text: object) -> str:
    """As errors quote it."""
    return _cut(repr(text))


def _cut(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:97]}..."
