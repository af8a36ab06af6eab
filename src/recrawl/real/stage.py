"""A history made ready: cut, sampled, with the importance of its pages and its worlds."""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from recrawl.histories import History, shipped
from recrawl.histories.files import read_history
from recrawl.histories.importance import equal, pareto
from recrawl.histories.last_years import check_last_years, last_years
from recrawl.histories.signals import Signals, draw
from recrawl.real.settings import DISCOVERY_DAYS, MONTH, SIGNALS, WARMUP_SHARE, Setting
from recrawl.sim.events import Times
from recrawl.sim.histories import world_of
from recrawl.sim.presence import Presence
from recrawl.sim.world import World

# Each use of chance has a stream of its own, a child of the seed.
OF_SAMPLE, OF_IMPORTANCE, OF_SIGNALS, OF_RESAMPLING = range(4)


class Stage(NamedTuple):
    """A history and what is fixed about it, whoever crawls."""

    history: History
    importance: dict[str, Times]
    mean_pages: float
    """Pages that are there at a time, on average."""

    @property
    def warmup(self) -> float:
        """From when on is measured."""
        return self.history.end * WARMUP_SHARE

    def rate(self, budget: float) -> float:
        """Crawls a day for so many a page and month."""
        return budget * self.mean_pages / MONTH

    def weights(self, importance: str) -> Times:
        """What each page counts: its importance, times how long it is there."""
        there = Presence(self.history.created, self.history.removed, self.history.created)
        return self.importance[importance] * there.days(self.warmup, self.history.end)


def chance(seed: int, *stream: int) -> np.random.Generator:
    """A generator of its own for each use."""
    return np.random.default_rng([seed, *stream])


@lru_cache(maxsize=1)
def _read(stem: str | None) -> History:
    return shipped() if stem is None else read_history(stem)


@cache
def stage(setting: Setting) -> Stage:
    """Read, cut and sample a history."""
    chosen = last_years(_read(setting.stem), setting.years, setting.moving)
    history = chosen.sample(setting.pages, chance(setting.seed, OF_SAMPLE))
    if not setting.moving:
        check_last_years(history, setting.years)
    importance = {"equal": equal(history), "pareto": pareto(history, chance(setting.seed, OF_IMPORTANCE))}
    days = np.minimum(history.removed, history.end) - history.created
    return Stage(history, importance, float(days.sum()) / history.end)


@lru_cache(maxsize=8)
def world(setting: Setting, signals: str) -> World:
    """The world of a history with signals of this quality."""
    history = stage(setting).history
    quality = SIGNALS[signals]
    stream = (OF_SIGNALS, list(SIGNALS).index(signals))
    heard = Signals.none() if quality is None else draw(history, quality, chance(setting.seed, *stream))
    return world_of(history, heard, announced(history) if setting.moving else None)


def announced(history: History) -> Times:
    """When a crawler hears of each page: at 0 of those there, later of new ones, never of those gone by then."""
    when = np.where(history.created > 0.0, history.created + DISCOVERY_DAYS, 0.0)
    return np.where(history.removed <= when, np.inf, when)
