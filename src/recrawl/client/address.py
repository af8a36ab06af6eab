"""Where a service is, and what is said with each request."""

from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from recrawl.errors import InputError


@dataclass(frozen=True)
class Address:
    """A service: `url` as messages name it, and the same in parts."""

    url: str
    secure: bool
    host: str
    port: int | None
    prefix: str
    """What stands before each path, for services behind a proxy."""

    @classmethod
    def of(cls, url: str) -> Self:
        """From a URL.

        >>> Address.of("http://127.0.0.1:8700/").host, Address.of("https://crawl.example/frontier/").prefix
        ('127.0.0.1', '/frontier')
        """
        if not isinstance(url, str):
            raise InputError(f"url must be text, got {url!r:.80}", argument="url")
        try:
            parts = urlsplit(url.strip())
            port = parts.port
        except ValueError as error:
            raise InputError(f"url must be that of a service, got {url!r:.80}: {error}", argument="url") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            remedy = f"; did you mean http://{url}" if "//" not in url else ""
            rule = "url must begin with http:// or https:// and name a host"
            raise InputError(f"{rule}, got {url!r:.80}{remedy}", argument="url")
        if parts.username is not None or parts.query or parts.fragment or not parts.path.isascii():
            rule = "url must have no user name, no query and no fragment"
            raise InputError(f"{rule}, got one with; a token is given by itself", argument="url")
        prefix = parts.path.rstrip("/")
        return cls(f"{parts.scheme}://{parts.netloc}{prefix}", parts.scheme == "https", parts.hostname, port, prefix)


def headers(token: str | None) -> dict[str, str]:
    """What is said with each request."""
    said = {"Accept": "application/json", "User-Agent": "recrawl"}
    if token is not None:
        if not isinstance(token, str) or not token.isascii() or not token.isprintable() or not token.strip():
            raise InputError("token must be one that recrawl token made, or None", argument="token")
        said["Authorization"] = f"Bearer {token.strip()}"
    return said
