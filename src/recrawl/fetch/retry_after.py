"""How long a server asks to be left alone: a twin of recrawl.signals.http_dates.retry_after until that is there."""

from datetime import UTC
from email.utils import parsedate_to_datetime


def seconds(value: str, now: float) -> float | None:
    """Seconds from `now` (since 1970) that a Retry-After header asks for, in either form; None where it says nothing.

    >>> seconds("120", now=0.0), seconds("Thu, 01 Jan 1970 00:02:00 GMT", now=60.0), seconds("soon", now=0.0)
    (120.0, 60.0, None)
    """
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) < 16 else None
    try:
        date = parsedate_to_datetime(text)
        return max((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now, 0.0)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
