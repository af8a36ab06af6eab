"""How often a source has news: what its kind and its dates suggest at first, and then what its readings tell.

1. The belief is a gamma distribution of the rate: `changes` in `during` seconds, so its mean is changes / during.
2. It begins as worth one change: as often as is usual for a feed or a sitemap, or more often where the source says that
   a copy of it is good for less, or where the dates of its latest entries lie closer together.  Dates only ever have it
   read more often: old ones may be all that a site writes, and silence is soon seen.
3. A reading after t seconds that finds nothing adds t to `during`, exactly.
4. One that finds news says that there was one change or more, of probability 1 - exp(-rate t).  What is believed then
   is no gamma distribution, and the one of the same mean and variance takes its place.  So news after a minute says
   much, and news after a week hardly anything.
5. Sites change their habits.  No more than MEMORY changes are remembered, and no more silence than it takes to be asked
   for as seldom as can be.
"""

import heapq
import math
from collections.abc import Iterable
from typing import NamedTuple

from recrawl.crawler.sources.polling import LEAST_OFTEN, MOST_OFTEN, TIMES

USUAL = {"feed": 3600.0, "sitemap": 86_400.0}
"""Seconds between the first two readings, where nothing else is known."""
MEMORY = 5.0
"""Changes that are remembered: with 5, news at each reading makes the interval a fifth shorter each time."""
LATEST = 10
"""How many of the latest dates are looked at."""
_SHORTEST = 1e-6
"""Of `during`: what a reading right after another counts as."""


class Pace(NamedTuple):
    """So many changes in so many seconds."""

    changes: float
    during: float

    @property
    def rate(self) -> float:
        """Changes a second."""
        return self.changes / self.during

    def heard(self, waited: float, news: bool) -> "Pace":
        """What is believed after one more reading.

        >>> Pace(1.0, 7200.0).heard(3600.0, news=False)
        Pace(changes=1.0, during=10800.0)
        >>> Pace(1.0, 7200.0).heard(3600.0, news=True).rate * 3600.0  # it was 0.5 an hour
        0.83...
        """
        found = _with_news(self, waited) if news else Pace(self.changes, self.during + waited)
        kept = min(MEMORY / found.changes, 1.0)
        changes = kept * found.changes
        return Pace(changes, min(kept * found.during, changes * TIMES * LEAST_OFTEN))


def usual(kind: str) -> Pace:
    """What is believed of a source that was not read yet."""
    return _asked_every(USUAL.get(kind, USUAL["sitemap"]))


def first_pace(kind: str, ttl: float, dates: Iterable[int], now: float) -> Pace:
    """What is believed after the first reading, by the dates of its entries and the seconds that a copy is good for."""
    seconds = USUAL.get(kind, USUAL["sitemap"])
    lately = rate_lately(dates, now)
    if lately > 0.0:
        seconds = min(seconds, 1.0 / (TIMES * lately))
    if ttl > 0.0:
        seconds = min(seconds, ttl)
    return _asked_every(max(seconds, MOST_OFTEN))


def rate_lately(dates: Iterable[int], now: float) -> float:
    """How often a second something was dated of late; 0 where there are fewer than two dates.

    n latest dates, of which the earliest is t seconds old, are n - 1 changes in t: when we look is not when it changes.

    >>> 1.0 / rate_lately([0, 600, 600, 1200], now=1800.0)
    900.0
    """
    latest = heapq.nlargest(LATEST, set(dates))
    return (len(latest) - 1) / max(now - latest[-1], 1.0) if len(latest) > 1 else 0.0


def _asked_every(seconds: float) -> Pace:
    return Pace(1.0, TIMES * seconds)


def _with_news(pace: Pace, waited: float) -> Pace:
    changes, during = pace
    ratio = math.log1p(max(waited / during, _SHORTEST))

    def some(power: float) -> float:
        """1 - (during / (during + waited)) ** power."""
        return -math.expm1(-power * ratio)

    mean = changes / during * some(changes + 1.0) / some(changes)
    square = changes * (changes + 1.0) / during**2 * some(changes + 2.0) / some(changes)
    variance = square - mean**2
    return Pace(mean**2 / variance, mean / variance)
