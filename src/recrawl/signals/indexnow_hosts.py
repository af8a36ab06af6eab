"""Whose key is it: hosts as senders of IndexNow name them, and what a key's file may speak for."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from recrawl.signals.resolving import resolved

_USUAL_PORTS = (80, 443)
_SCHEMES = {"http": 80, "https": 443}


def host_named(text: str) -> str:
    """The host of a name or a URL, with the port where it is given and not the usual one; nothing where it is none.

    >>> host_named("https://Example.org/"), host_named("example.org:8080"), host_named("//")
    ('example.org', 'example.org:8080', '')
    """
    text = text.strip()
    url = resolved(text if "://" in text else "https://" + text.lstrip("/"), "")
    if url is None:
        return ""
    parts = urlsplit(url)
    return parts.netloc if _port(url) not in _USUAL_PORTS else parts.hostname or ""


def same_host(host: str, url: str) -> bool:
    """Whether a normalised URL is on the host.  A host without a port is meant with any, by either scheme.

    >>> same_host("example.org", "http://example.org:8080/a"), same_host("example.org:81", "http://example.org/a")
    (True, False)
    """
    name, port = _split(host)
    return name == _name(url) and (port is None or port == _port(url))


def key_file(url: str, key: str) -> str:
    """Where a key is when the sender does not say: at the top of the site that the URL is on."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/{key}.txt"


def key_files(key_url: str, key: str, urls: tuple[str, ...]) -> tuple[str, ...]:
    """Where else a key may be that the sender says is at `key_url`, and that place first.

    Others are the same with ``.txt``, and on the site of the URLs.  All are in the same folder, and speak for all URLs.

    >>> key_files("https://example.org/k", "k", ("http://example.org/a",))[1:]
    ('https://example.org/k.txt', 'http://example.org/k', 'http://example.org/k.txt')
    """
    path = urlsplit(key_url).path
    paths = (path, path + ".txt") if path.endswith("/" + key) else (path,)
    return tuple(dict.fromkeys((key_url, *_placed(paths, (key_url, urls[0]), urls))))


def _placed(paths: Iterable[str], sites: Iterable[str], urls: tuple[str, ...]) -> Iterable[str]:
    for site in sites:
        parts = urlsplit(site)
        for path in paths:
            place = f"{parts.scheme}://{parts.netloc}{path}"
            if all(covers(place, url) for url in urls):
                yield place


def covers(key_url: str, url: str) -> bool:
    """Whether a key in this file speaks for the URL: on the same host, in the folder of the file or below.

    A program on another port may be someone else's, so a file on an unusual port speaks for that port only.

    >>> covers("https://example.org/shop/key.txt", "http://example.org/shop/a"), covers("https://a.org/b/k", "https://a.org/c")
    (True, False)
    """
    if _name(key_url) != _name(url) or _port(key_url) not in (*_USUAL_PORTS, _port(url)):
        return False
    folder = (urlsplit(key_url).path or "/").rpartition("/")[0] + "/"
    return (urlsplit(url).path or "/").startswith(folder)


def _split(host: str) -> tuple[str, int | None]:
    name, colon, port = host.rpartition(":")
    if not colon or "]" in port:  # an IPv6 address has colons of its own
        return host.strip("[]"), None
    return name.strip("[]"), int(port)


def _name(url: str) -> str:
    return urlsplit(url).hostname or ""


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or _SCHEMES.get(parts.scheme, 0)
