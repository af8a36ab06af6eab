"""What of a page is compared under a rule, as text."""

import hashlib
import json
from typing import NamedTuple

from recrawl.compare.charset import decoded, media_type
from recrawl.compare.ignoring import without
from recrawl.compare.json_pointer import canonical, pointed
from recrawl.compare.rules import Rule
from recrawl.html_shape import is_reasonable

_HTML = ("text/html", "application/xhtml+xml")


class Extracted(NamedTuple):
    """What is compared, and what an operator should know of it."""

    text: str
    kind: str
    """How it was come by: bytes, text, css or json."""
    note: str
    """Why it is not what the rule asks for; empty where it is."""


def extract(rule: Rule, body: bytes, content_type: str = "") -> str:
    """The text that is compared.  Where the rule cannot be followed, the main text of HTML, or all bytes.

    >>> extract(Rule.parse("css:h1"), b"<h1>Hello</h1> <p>17 views", "text/html")
    'Hello'
    """
    return extracted(rule, body, content_type).text


def extracted(rule: Rule, body: bytes, content_type: str = "") -> Extracted:
    """The same, with a note where the rule could not be followed."""
    html = is_html(body, content_type)
    if rule.kind == "bytes" or (rule.kind == "auto" and not html):
        text, kind, note = as_bytes(body), "bytes", ""
    elif rule.kind == "json":
        text, kind, note = _json(rule, body, content_type)
    elif not html:
        text, kind, note = as_bytes(body), "bytes", "it is not HTML, so all bytes are compared"
    else:
        text, kind, note = _html(rule, decoded(body, content_type))
    return Extracted(without(text, rule.patterns), kind, note)


def digest(text: str) -> str:
    """A short name for a text: equal texts have equal ones.

    >>> digest("hello")
    'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
    """
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()}"


def digest_of_body(body: bytes) -> str:
    """The same for all bytes of a body; that of `as_bytes`."""
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def as_bytes(body: bytes) -> str:
    """All bytes as text, none lost: what is no UTF-8 stands as lone surrogates, which `digest` turns back."""
    return body.decode("utf-8", "surrogateescape")


def is_html(body: bytes, content_type: str) -> bool:
    """By its type, or by its beginning where it has none."""
    kind = media_type(content_type)
    if kind:
        return kind in _HTML
    return body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html"))


def _html(rule: Rule, html: str) -> tuple[str, str, str]:
    from recrawl.compare.main_text import main_text, selected_text

    if not is_reasonable(html):
        return html, "bytes", "its elements are nested too deeply to be read, so the whole source is compared"
    if rule.kind == "css":
        text = selected_text(html, rule.argument)
        if text is not None:
            return text, "css", ""
        return main_text(html), "text", f"nothing matches {rule.argument!r}, so the main text is compared"
    return main_text(html), "text", ""


def _json(rule: Rule, body: bytes, content_type: str) -> tuple[str, str, str]:
    try:
        document = json.loads(decoded(body, content_type))
    except (ValueError, RecursionError):
        return as_bytes(body), "bytes", "it is not JSON, so all bytes are compared"
    try:
        return canonical(pointed(document, rule.names)), "json", ""
    except LookupError:
        return canonical(document), "json", f"there is nothing at {rule.argument!r}, so the whole document is compared"
    except (ValueError, RecursionError):  # a number or a depth that cannot be written again
        return as_bytes(body), "bytes", "it cannot be put in order, so all bytes are compared"
