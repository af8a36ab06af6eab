"""Dates as HTTP, feeds and sitemaps write them.  Cheap, for each answer has one."""

from functools import lru_cache

import numpy as np

_DAYS = ("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@lru_cache(4096)
def _day(number: int) -> tuple[str, str]:
    """A day since 1970 as 2026-11-18, and as Wed, 18 Nov 2026."""
    iso = str(np.datetime64(number, "D"))
    year, month, day = iso.split("-")
    return iso, f"{_DAYS[number % 7]}, {day} {_MONTHS[int(month) - 1]} {year}"


def http_date(time: float) -> str:
    """For headers and RSS; seconds since 1970, fractions are cut.

    >>> http_date(784111777.9)
    'Sun, 06 Nov 1994 08:49:37 GMT'
    """
    day, second = divmod(int(time), 86400)
    return f"{_day(day)[1]} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d} GMT"


def w3c(time: float) -> str:
    """For sitemaps and Atom.

    >>> w3c(784111777.9)
    '1994-11-06T08:49:37Z'
    """
    day, second = divmod(int(time), 86400)
    return f"{_day(day)[0]}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"


def w3c_day(time: float) -> str:
    """The day alone.

    >>> w3c_day(784111777.9)
    '1994-11-06'
    """
    return _day(int(time) // 86400)[0]
