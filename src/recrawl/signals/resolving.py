"""URLs as documents name them, made complete and normalised; or nothing, where that cannot be."""

from recrawl.errors import InputError
from recrawl.urls import normalise

_COMPLETE = ("http://", "https://")
_NO_WIDTH = "\ufeff\u200b\u2060"
"""What comes along where files with a mark are joined, or URLs are copied."""


def complete(text: str) -> str:
    """The text where it is a whole URL, otherwise nothing: where none is expected, any text would be a relative one.

    >>> complete("HTTPS://example.org/"), complete("example")
    ('HTTPS://example.org/', '')
    """
    return text if text[:8].lower().startswith(_COMPLETE) else ""


def resolved(text: str, base: str) -> str | None:
    """The URL, or None where it is none that can be crawled.  A base that is no URL serves for complete ones only.

    >>> resolved(" /a ", "https://example.org/b"), resolved("mailto:me@example.org", "https://example.org/")
    ('https://example.org/a', None)
    """
    text = text.strip().strip(_NO_WIDTH).strip()
    if not text or "\ufffd" in text:  # a character that was lost: whatever this is, the page is another
        return None
    try:
        return normalise(text) if complete(text) else normalise(text, base)
    except InputError:
        return None
