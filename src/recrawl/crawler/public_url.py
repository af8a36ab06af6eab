"""Where hubs reach this server: a URL that the URLs of callbacks can begin with."""

from urllib.parse import urlsplit

from recrawl.errors import InputError


def public_url(value: str | None) -> str | None:
    """The URL as it is given; refused where nobody could be reached by it.

    >>> public_url("https://crawler.example.org"), public_url("http://example.org:8700/frontier/"), public_url(None)
    ('https://crawler.example.org', 'http://example.org:8700/frontier/', None)
    """
    if value is None or _may_begin(value):
        return value
    rule = "public_url must be how hubs reach this server, such as https://crawler.example.org"
    raise InputError(f"{rule}, got {value!r:.80}", argument="public_url")


def _may_begin(value: str) -> bool:
    try:
        parts = urlsplit(value)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that hold no address, or a port that is no number
        return False
    return known and not set(value) & set("?#@") and value.isascii() and value.isprintable() and " " not in value
