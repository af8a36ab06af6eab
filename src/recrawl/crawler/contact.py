"""Whom people may ask about a crawler: a mail address or a URL, since something must be there to write to."""

import re
from urllib.parse import urlsplit

from recrawl.errors import InputError

_HOST = r"(?:[\w-]+\.)+[\w-]{2,}"
_MAIL = re.compile(rf"(?:mailto:)?[^\s@<>(),;:]+@(?:{_HOST}|localhost)", re.IGNORECASE)
_NAME = re.compile(rf"{_HOST}(?:/\S*)?")


def contact(value: str) -> str:
    """A contact as it is given, or nothing; refused where nobody could be reached by it.

    >>> contact("me@example.org"), contact("https://example.org/bot"), contact("")
    ('me@example.org', 'https://example.org/bot', '')
    """
    if not value or _MAIL.fullmatch(value) or _is_url(value):
        return value
    remedy = f"did you mean https://{value}?" if _NAME.fullmatch(value) else "such as you@example.org"
    raise InputError(f"contact must be a mail address or a URL, got {value!r:.80}; {remedy}", argument="contact")


def reached_at(public_url: str) -> None:
    """Refuse what no hub could call: a public URL that is none.

    >>> reached_at("https://crawler.example.org")
    """
    if not _is_url(public_url):
        remedy = f"; did you mean https://{public_url}?" if _NAME.fullmatch(public_url) else ""
        rule = "public_url must be a complete URL, such as https://crawler.example.org"
        raise InputError(f"{rule}, got {public_url!r:.80}{remedy}", argument="public_url")


def _is_url(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"[\s<>]", value)
    except ValueError:  # brackets that hold no address
        return False
