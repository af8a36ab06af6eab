"""Dates and waits in HTTP headers."""

import re

from recrawl.signals import dates

_SECONDS = re.compile(r"\+?\d{1,15}(?:\.\d*)?")


def retry_after(value: str, now: float) -> float | None:
    """Seconds to wait by a Retry-After header of either form, at `now` (seconds since 1970); None where it is neither.

    >>> retry_after("120", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 50.0), retry_after("later", 0.0)
    (120.0, 10.0, None)
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    then = moment(value)
    return None if then is None else max(0.0, then - now)


def moment(value: str) -> float | None:
    """Seconds since 1970 of a header such as Last-Modified; None where it is no date.

    >>> moment("Thu, 01 Jan 1970 00:00:05 GMT")
    5.0
    """
    found, timed = dates.read(value)
    return found.timestamp() if found is not None and timed else None
