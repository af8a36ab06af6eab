"""What a user knows of pages before they are crawled."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import at_least_0, column
from recrawl.errors import InputError
from recrawl.learn.online.layout import FLOOR, STEP

Array = NDArray[np.float64]

_CHUNK = 1 << 14
"""Pages at once: a page takes 700 bytes on the way."""


CHANGEFREQ_DAYS = {
    "always": 1.0 / 96.0,
    "hourly": 1.0 / 24.0,
    "daily": 1.0,
    "weekly": 7.0,
    "monthly": 30.0,
    "yearly": 365.0,
    "never": 3650.0,
}
"""Days between two changes of a page whose sitemap says so; "always" is taken for every quarter of an hour."""


@dataclass(frozen=True)
class Hints:
    """Expected change rates: one, or one a page, NaN where there is none; say from a sitemap or by class of host.

    `spread` is by what factor the truth typically differs.  `signal_rate` is how many signals pages are expected to
    have per unit of time: signals announce part of the changes, so that less than all of them goes unannounced.

    >>> Hints(change_rate=[1.0, np.nan], spread=2.0).known(2)
    array([ True, False])
    """

    change_rate: ArrayLike
    spread: ArrayLike = 3.0
    signal_rate: float = 0.0

    def __post_init__(self) -> None:
        # When made, so that a learner is not left half way.
        given, spread = column("change_rate", self.change_rate), column("spread", self.spread)
        if np.any(given <= 0.0) or np.any(np.isinf(given)):
            raise InputError("change_rate of a hint must be finite and > 0; write NaN where there is none", "prior")
        if not np.all(spread > 1.0):
            raise InputError(f"spread must be a factor > 1, got {spread.min()}", argument="spread")
        at_least_0("signal_rate", self.signal_rate)

    @classmethod
    def from_changefreq(cls, words: Sequence[str | None], day: float = 1.0, spread: float = 10.0) -> Self:
        """From the `changefreq` of a sitemap, None or "" where it says nothing; `day` is a day in units of time.

        Sites write what they like there: ten times off is usual, so the hints yield to a few crawls.

        >>> Hints.from_changefreq(["daily", "weekly", None]).rates(3).round(3).tolist()
        [1.0, 0.143, nan]
        """
        if not at_least_0("day", day) > 0.0:
            raise InputError(f"day must be finite and > 0, got {day}", argument="day")
        rates = []
        for row, word in enumerate(words):
            blank = word is None or word != word or word == ""  # NaN is a blank in many tables
            days = math.nan if blank else CHANGEFREQ_DAYS.get(str(word).strip().lower(), 0.0)
            if days == 0.0:
                known = ", ".join(CHANGEFREQ_DAYS)
                raise InputError(f"changefreq must be one of {known}, got {word!r:.40} in row {row}", "words", row)
            rates.append(1.0 / (days * day))
        return cls(np.array(rates, dtype=np.float64), spread)

    def known(self, pages: int) -> NDArray[np.bool_]:
        """Which pages have a hint."""
        return ~np.isnan(self.rates(pages))

    def rates(self, pages: int) -> Array:
        """The hint of each page."""
        return _each("change_rate", self.change_rate, pages, "prior")

    def check(self, pages: int) -> None:
        """Refuse hints that are neither one for all nor one for each of `pages`."""
        self.rates(pages)
        _each("spread", self.spread, pages, "spread")

    def write(self, types: Array, likelihood: NDArray[np.int16]) -> None:
        """Begin likelihoods with the hints, as outcomes of a first look: a normal curve around log change_rate."""
        pages = len(likelihood)
        spread = _each("spread", self.spread, pages, "spread")
        change = np.log(types[0] + self.signal_rate * (1.0 - types[1]))
        middle, width = np.log(self.rates(pages)), np.log(spread)
        for begin in range(0, pages, _CHUNK):
            part = slice(begin, begin + _CHUNK)
            off = (change - middle[part, None]) / width[part, None]
            curve = np.where(np.isnan(off), 0.0, -0.5 * off**2)
            curve -= curve.max(axis=1, keepdims=True)
            likelihood[part] = np.maximum(np.rint(STEP * curve), FLOOR)

    def typical(self, pages: int) -> float:
        """The median hint, NaN where there is none."""
        rates = self.rates(pages)
        rates = rates[~np.isnan(rates)]
        return float(np.median(rates)) if len(rates) else math.nan


def _each(name: str, values: ArrayLike, pages: int, argument: str) -> Array:
    given = column(name, values)
    if given.ndim and len(given) not in (1, pages):
        raise InputError(f"{name} must be one or one for each of {pages} pages, got {len(given)}", argument)
    return np.array(np.broadcast_to(given, (pages,)))
