"""Dates as sitemaps and feeds write them."""

from recrawl.signals import dates


def moment(text: str) -> float | None:
    """Seconds since 1970 of a date (UTC where it names no zone); None where it is none.

    >>> moment("1970-01-02"), moment("1970-01-01T00:00:10Z"), moment("1970-02"), moment("Thu, 01 Jan 1970 00:00:05 GMT")
    (86400.0, 10.0, 2678400.0, 5.0)
    >>> moment("yesterday")
    """
    found, _ = dates.read(text)
    return None if found is None else found.timestamp()
