"""A whole frontier as a rule: what a crawler really runs, in memory and with a clock that the simulation moves."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.sim.events import Times
from recrawl.sim.hosts import Hosts
from recrawl.sim.world import World

START = 1e6
"""Frontiers count from 1970; a simulation begins this long after that."""


class InFrontier:
    """`lease(1)` of a frontier at each moment, and `complete` with what the crawl saw.

    All pages are fetched at time 0, as in every simulation; the frontier learns nothing from that but that they exist.
    Signals are heard when the next crawl is due, with their sources and with when the change happened where the world
    tells.  A unit of time is `unit` seconds to the frontier; its half-life is in units of time.  `folders`: a key for
    the directory of each page, 0 for one of its own.
    """

    def __init__(
        self,
        importance: Times,
        hosts: Hosts | None,
        half_life: float,
        explore: float,
        world: World,
        unit: float = 1.0,
        folders: NDArray[np.uint64] | None = None,
    ) -> None:
        self._world, self._unit, self._heard = world, unit, 0
        self._clock = ManualClock(START)
        self.frontier = Frontier(clock=self._clock, half_life=half_life * unit, explore=explore, lease=1e9)
        of = np.full(len(importance), -1) if hosts is None else np.asarray(hosts.of_page)
        keys = np.zeros(len(of), dtype=np.uint64) if folders is None else folders
        self._urls = [
            f"https://{f'host{h}' if h >= 0 else 'none'}.example/{key or f'of{page}'}/{page}"
            for page, (h, key) in enumerate(zip(of.tolist(), keys.tolist(), strict=True))
        ]
        self._pages = {url: page for page, url in enumerate(self._urls)}
        self.frontier.add(self._urls, importance=importance)
        self.frontier.complete(self.frontier.lease(len(importance)).tokens)
        for host, gap in enumerate([] if hosts is None else hosts.gaps().tolist()):
            self.frontier.set_host(f"host{host}.example", gap=gap * unit)
        self._token = 0

    def signalled(self, pages: Sequence[int], times: Sequence[float]) -> None:
        """The next signals of the world."""
        self._go(times[-1])
        part = slice(self._heard, self._heard + len(pages))
        self._heard = part.stop
        whose, senders, happened = np.asarray(pages), self._world.signal_sources, self._world.signal_happened
        sources = np.zeros(len(pages), dtype=np.int64) if senders is None else senders[part]
        when = np.full(len(pages), np.nan) if happened is None else START + happened[part] * self._unit
        for source in np.unique(sources).tolist():
            for mine in ((sources == source) & ~np.isnan(when), (sources == source) & np.isnan(when)):
                urls = [self._urls[page] for page in whose[mine].tolist()]
                if urls:
                    dates = None if np.isnan(when[mine][0]) else when[mine]
                    self.frontier.signal(urls, source=f"source{source}", happened=dates)

    def next(self, now: float) -> int:
        """The page of highest value."""
        self._go(now)
        batch = self.frontier.lease(1)
        if not len(batch):
            return -1
        self._token = batch.tokens[0]
        return self._pages[batch.urls[0]]

    def crawled(self, page: int, now: float, elapsed: float, signals: int, changed: bool) -> None:
        """The frontier counts time and signals itself."""
        del page, now, elapsed, signals
        self.frontier.complete([self._token], changed=changed)

    def _go(self, now: float) -> None:
        self._clock.advance(START + now * self._unit - self._clock.wall())
