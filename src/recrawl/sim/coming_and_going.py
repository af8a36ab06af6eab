"""Worlds whose pages come and go, crawled step by step: a crawler is told of new pages, and finds others gone.

At each moment there is bandwidth for one crawl.  Before it, the crawler hears which pages were announced and which
signals came; signals of pages it does not know are lost.  A crawl of a page that has gone is wasted.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.pairing import Pairing
from recrawl.policies import ValuePolicy
from recrawl.sim.due_loop import Loop
from recrawl.sim.events import Ids, Times
from recrawl.sim.learning import Learning
from recrawl.sim.permits import permits
from recrawl.sim.presence import Presence
from recrawl.sim.progress import stretches
from recrawl.sim.run import Run
from recrawl.sim.world import World


class Crawler(Protocol):
    """A rule for pages that come and go; pages are numbered as in the world."""

    def announced(self, pages: Sequence[int], now: float) -> None:
        """There are these new pages."""

    def signalled(self, page: int, time: float) -> None:
        """A signal came for a page it knows."""

    def next(self, now: float) -> int:
        """The page to crawl now; -1 for none."""

    def crawled(self, page: int, now: float, changed: bool | None) -> None:
        """`page` was crawled and had changed or not; None: it is the first copy."""

    def gone(self, page: int, now: float) -> None:
        """`page` is no more."""


class ByEngine:
    """What crawlers on the engine share: its ids are given to other pages when theirs have gone."""

    def __init__(self, known: Ids, m: int) -> None:
        self.id_of = np.full(m, -1, dtype=np.int64)
        """The engine's id of each page of the world, -1 where it is not known."""
        self.page_of = np.full(max(m, 1), -1, dtype=np.int64)
        """The page of each id, -1 where it is not in use."""
        self._name(known, np.arange(len(known)))

    def _name(self, pages: Ids, ids: Ids) -> None:
        self.id_of[pages] = ids
        self.page_of[ids] = pages

    def _of(self, page: int) -> list[int]:
        return [int(self.id_of[page])]

    def _forget(self, page: int) -> list[int]:
        ids = self._of(page)
        self.id_of[page] = self.page_of[ids] = -1
        return ids

    def _number(self, taken: Ids) -> int:
        return int(self.page_of[taken[0]]) if len(taken) else -1


class Learns(ByEngine):
    """A pairing: told the importance of each page with its announcement, and nothing else."""

    def __init__(self, world: World, importance: Times, policy: str | ValuePolicy, learning: Learning) -> None:
        known = _known_at_0(world)
        super().__init__(known, len(world))
        self._importance = importance
        learner = learning.learner(importance[known])
        self._folders = learning.folder_keys(len(world))
        near = learning.neighbours(len(world), known)
        self.pairing = Pairing(Scheduler(learner.pages(), policy), learner, neighbours=near)

    def announced(self, pages: Sequence[int], now: float) -> None:
        """They are added without a copy."""
        new = np.array(pages, dtype=np.int64)
        folders = None if self._folders is None else self._folders[new]
        weights = self._importance[new]
        self._name(new, self.pairing.add(len(new), now, importance=weights, fetched=False, folders=folders))

    def signalled(self, page: int, time: float) -> None:
        """Scheduler and learner hear of it."""
        self.pairing.signal(self._of(page), time)

    def next(self, now: float) -> int:
        """The page of highest value."""
        return self._number(self.pairing.lease(1, now))

    def crawled(self, page: int, now: float, changed: bool | None) -> None:
        """It is learned from, unless there was nothing to compare."""
        outcome = [np.nan if changed is None else float(changed)]
        self.pairing.crawled(self._of(page), outcome, at=now, now=now)

    def gone(self, page: int, now: float) -> None:
        """It is forgotten."""
        del now
        self.pairing.remove(self._forget(page))


class Told(ByEngine):
    """A scheduler that is told the parameters of each page with its announcement."""

    def __init__(self, world: World, pages: Pages, policy: str | ValuePolicy) -> None:
        known = _known_at_0(world)
        super().__init__(known, len(world))
        self._pages = pages
        self.scheduler = Scheduler(pages[known], policy)

    def announced(self, pages: Sequence[int], now: float) -> None:
        """They are added, as certainly stale."""
        new = np.array(pages, dtype=np.int64)
        ids = self.scheduler.add(self._pages[new], now)
        self.scheduler.signal(ids, now, weight=np.inf)
        self._name(new, ids)

    def signalled(self, page: int, time: float) -> None:
        """The scheduler hears of it."""
        self.scheduler.signal(self._of(page), time)

    def next(self, now: float) -> int:
        """The page of highest value."""
        return self._number(self.scheduler.take(1, now))

    def crawled(self, page: int, now: float, changed: bool | None) -> None:
        """The scheduler knows already."""

    def gone(self, page: int, now: float) -> None:
        """It is forgotten."""
        del now
        self.scheduler.remove(self._forget(page))


def crawl(crawler: Crawler, world: World, moments: Times) -> Ids:
    """The page crawled at each moment, -1 for none; also the crawls that find a page gone."""
    presence = _presence(world)
    state = _State(world, presence)
    taken = np.full(len(moments), -1, dtype=np.int64)
    for stretch in stretches(len(moments)):
        for k, now in enumerate(moments[stretch].tolist(), stretch.start):
            if new := state.new(now):
                crawler.announced(new, now)
            for page, time in state.heard(now):
                crawler.signalled(page, time)
            page = crawler.next(now)
            if page < 0:
                continue
            taken[k] = page
            if presence.removed[page] <= now:
                state.known[page] = False
                crawler.gone(page, now)
            else:
                crawler.crawled(page, now, state.crawled(page, now))
    return taken


class _State:
    """How far the world is."""

    def __init__(self, world: World, presence: Presence) -> None:
        self._world = world
        self._order = np.argsort(presence.announced, kind="stable").tolist()
        self._announced = presence.announced.tolist()
        self.known = presence.announced <= 0.0
        self._copied = self.known.copy()
        self._come = int(self.known.sum())
        self._heard = 0
        self._seen = np.zeros(len(world))

    def new(self, now: float) -> list[int]:
        """Pages announced since."""
        before = self._come
        while self._come < len(self._order) and self._announced[self._order[self._come]] <= now:
            self._come += 1
        pages: list[int] = self._order[before : self._come]
        self.known[pages] = True
        return pages

    def heard(self, now: float) -> list[tuple[int, float]]:
        """Signals since, of pages that are known."""
        world, before = self._world, self._heard
        while self._heard < len(world.signal_times) and world.signal_times[self._heard] <= now:
            self._heard += 1
        part = slice(before, self._heard)
        both = zip(world.signal_pages[part].tolist(), world.signal_times[part].tolist(), strict=True)
        return [(page, time) for page, time in both if self.known[page]]

    def crawled(self, page: int, now: float) -> bool | None:
        """Whether the page changed since its last crawl; None where there was none."""
        changes = self._world.changes.of(page)
        since, until = np.searchsorted(changes, (self._seen[page], now), side="right")
        first = not self._copied[page]
        self._seen[page], self._copied[page] = now, True
        return None if first else bool(until > since)


def run(
    crawler: Crawler | Loop, world: World, importance: Times, rate: float, warmup: float = 0.0, name: str = ""
) -> Run:
    """What a crawler, or a compiled loop of `due_loop`, does in a world whose pages come and go."""
    if not 0.0 <= warmup < world.horizon:
        raise InputError(f"warmup must be in [0, {world.horizon:g}), before the horizon, got {warmup}", "warmup")
    moments = permits(rate, world.horizon)
    taken = crawler(world, moments) if callable(crawler) else crawl(crawler, world, moments)
    used = taken >= 0
    chosen = name or getattr(crawler, "__name__", type(crawler).__name__)
    return Run(chosen, world, importance, moments[used], taken[used], warmup, int((~used).sum()))


def _presence(world: World) -> Presence:
    return world.presence or Presence.throughout(len(world))


def _known_at_0(world: World) -> Ids:
    return np.flatnonzero(_presence(world).announced <= 0.0)
