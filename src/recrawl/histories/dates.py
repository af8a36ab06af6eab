"""Dates as sitemaps and feeds write them."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def moment(text: str) -> float | None:
    """Seconds since 1970 of a W3C or RFC 822 date (UTC where it names no zone); None where it is neither.

    >>> moment("1970-01-02"), moment("1970-01-01T00:00:10Z"), moment("1970-02"), moment("Thu, 01 Jan 1970 00:00:05 GMT")
    (86400.0, 10.0, 2678400.0, 5.0)
    >>> moment("yesterday")
    """
    text = text.strip()
    plain = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read(plain)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return None
