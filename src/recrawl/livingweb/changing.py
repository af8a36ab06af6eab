"""When pages change: by a real history, or by clocks of their own.  Each makes a `History`, whose times are days."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from recrawl.arguments import above, at_least_0, between, whole_number
from recrawl.errors import InputError
from recrawl.histories.history import History, Ids, Times


class Changing(Protocol):
    """A way for the pages of a host to change."""

    def history(self, days: float, rng: np.random.Generator) -> History:
        """What happens on the host in so many days."""


DAYS = 365.0
"""How long a web goes on, where no history is replayed and nothing is said."""


def longest(ways: Iterable[Changing]) -> float:
    """Days of the longest history that is replayed; DAYS where none is."""
    return max((way.past.end for way in ways if isinstance(way, Replay)), default=DAYS)


@dataclass(frozen=True)
class Replay:
    """What real pages did, again.  `pages` of them, drawn at random, where there are more."""

    past: History
    pages: int | None = None

    def history(self, days: float, rng: np.random.Generator) -> History:
        """The first so many days of it."""
        cut = self.past if days >= self.past.end else self.past.between(0.0, days)
        return cut if self.pages is None else cut.sample(self.pages, rng)


@dataclass(frozen=True)
class Poisson:
    """Changes without memory.  Rates differ from page to page: `a_day` is their mean, `spread` the sd of their log."""

    pages: int = 100
    a_day: float = 0.05
    spread: float = 1.0

    def __post_init__(self) -> None:
        whole_number("pages", self.pages, 1)
        at_least_0("a_day", self.a_day)
        at_least_0("spread", self.spread)

    def history(self, days: float, rng: np.random.Generator) -> History:
        """Pages that are there throughout."""
        pages, times = _poisson(_rates(self.pages, self.a_day, self.spread, rng), days, rng)
        return _made("poisson", self.pages, pages, times, days)


@dataclass(frozen=True)
class Bursty:
    """Changes that bring others soon after (a Hawkes process): `a_day` in all, `echoes` for each change on average."""

    pages: int = 100
    a_day: float = 0.05
    spread: float = 1.0
    echoes: float = 0.7
    after_hours: float = 6.0

    def __post_init__(self) -> None:
        whole_number("pages", self.pages, 1)
        at_least_0("a_day", self.a_day)
        between("echoes", self.echoes, 0.0, 0.95)  # at 1 a burst never ends
        above("after_hours", self.after_hours, 0.0, finite=True)

    def history(self, days: float, rng: np.random.Generator) -> History:
        """Generation by generation: changes, their echoes, the echoes of those."""
        rates = _rates(self.pages, self.a_day * (1.0 - self.echoes), self.spread, rng)
        pages, times = _poisson(rates, days, rng)
        all_pages, all_times = [pages], [times]
        while len(pages):
            echoes = rng.poisson(self.echoes, len(pages))
            pages = np.repeat(pages, echoes)
            times = np.repeat(times, echoes) + rng.exponential(self.after_hours / 24.0, len(pages))
            pages, times = pages[times < days], times[times < days]
            all_pages.append(pages)
            all_times.append(times)
        return _made("bursty", self.pages, np.concatenate(all_pages), np.concatenate(all_times), days)


@dataclass(frozen=True)
class Daily:
    """Changes that follow the hours: most at `peak_hour` (UTC), none twelve hours later."""

    pages: int = 100
    a_day: float = 0.5
    spread: float = 1.0
    peak_hour: float = 14.0

    def __post_init__(self) -> None:
        whole_number("pages", self.pages, 1)
        at_least_0("a_day", self.a_day)
        between("peak_hour", self.peak_hour, 0.0, 24.0)

    def history(self, days: float, rng: np.random.Generator) -> History:
        """Poisson of twice the rate, thinned by a cosine."""
        pages, times = _poisson(_rates(self.pages, 2.0 * self.a_day, self.spread, rng), days, rng)
        chance = 0.5 + 0.5 * np.cos(2.0 * np.pi * (times - self.peak_hour / 24.0))
        kept = rng.random(len(times)) < chance
        return _made("daily", self.pages, pages[kept], times[kept], days)


@dataclass(frozen=True)
class Builds:
    """Builds that touch the share `touched` of the pages at one moment, and in between changes as of `Poisson`."""

    pages: int = 100
    every_days: float = 7.0
    touched: float = 1.0
    between: Poisson = field(default_factory=lambda: Poisson(1, 0.01))

    def __post_init__(self) -> None:
        whole_number("pages", self.pages, 1)
        above("every_days", self.every_days, 0.0, finite=True)
        between("touched", self.touched, 0.0, 1.0)

    def history(self, days: float, rng: np.random.Generator) -> History:
        """Builds and the changes between them."""
        pages, times = _poisson(_rates(self.pages, self.between.a_day, self.between.spread, rng), days, rng)
        builds = np.arange(self.every_days, days, self.every_days)
        hit = rng.random((len(builds), self.pages)) < self.touched
        which, touched = np.nonzero(hit)
        return _made(
            "builds", self.pages, np.concatenate((pages, touched)), np.concatenate((times, builds[which])), days
        )


def _rates(pages: int, mean: float, spread: float, rng: np.random.Generator) -> Times:
    return np.asarray(mean * rng.lognormal(-0.5 * spread * spread, spread, pages))


def _poisson(rates: Times, days: float, rng: np.random.Generator) -> tuple[Ids, Times]:
    pages = np.repeat(np.arange(len(rates)), rng.poisson(rates * days))
    return pages, rng.random(len(pages)) * days


def _made(name: str, count: int, pages: Ids, times: Times, days: float) -> History:
    if not days > 0.0:
        raise InputError(f"days must be > 0, got {days:g}", argument="days")
    order = np.lexsort((pages, times))
    return History(
        name,
        tuple(map(path_of, range(count))),
        np.zeros(count),
        np.full(count, np.inf),
        pages[order],
        times[order],
        days,
    )


def path_of(page: int) -> str:
    """The path of a page that has none from a history.

    >>> path_of(123)
    'docs/2/123.html'
    """
    return f"docs/{page // 50}/{page}.html"


def page_of(path: str) -> int:
    """The page of such a path, with the slash in front; -1 where it is none.

    >>> page_of("/docs/2/123.html"), page_of("/docs/3/123.html"), page_of("/docs/x")
    (123, -1, -1)
    """
    name = path[path.rfind("/") + 1 : -5]
    if not name.isdecimal() or not name.isascii() or len(name) > 12:
        return -1
    page = int(name)
    return page if path[1:] == path_of(page) else -1
