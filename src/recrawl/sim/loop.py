"""A rule through a world, crawl by crawl: for policies that must be told what each crawl saw."""

import numpy as np

from recrawl.errors import InputError
from recrawl.policies.rule import Rule
from recrawl.sim.events import Ids, Times
from recrawl.sim.progress import stretches
from recrawl.sim.world import World


def drive(rule: Rule, world: World, moments: Times, discard: float = 0.0) -> Ids:
    """The page the rule crawls at each moment, -1 for none.  Signals of a moment come before its crawl.

    Signals that come sooner than `discard` after a crawl of their page are dropped before the rule hears them.
    """
    seen = _Seen(world, discard)
    taken = np.full(len(moments), -1, dtype=np.int64)
    before = 0
    for stretch in stretches(len(moments)):
        before = _drive(rule, seen, moments[stretch], before, taken[stretch])
    return taken


def _drive(rule: Rule, seen: "_Seen", moments: Times, before: int, taken: Ids) -> int:
    """A stretch of it, from the signal number `before` on; the number of the first signal that was not heard."""
    world = seen.world
    heard = np.searchsorted(world.signal_times, moments, side="right").tolist()
    for k, now in enumerate(moments.tolist()):
        if heard[k] > before:
            part = slice(before, heard[k])
            rule.signalled(*seen.signalled(world.signal_pages[part].tolist(), world.signal_times[part].tolist()))
            before = heard[k]
        page = rule.next(now)
        if page >= len(world):
            raise InputError(f"a rule must name a page in [0, {len(world)}) or -1, got {page}", argument="policy")
        if page >= 0:
            taken[k] = page
            rule.crawled(page, now, *seen.crawled(page, now))
    return before


class _Seen:
    """What a crawl of each page would see.  Plain lists: they are read one number at a time."""

    def __init__(self, world: World, discard: float) -> None:
        self.world = world
        self._discard = discard
        self._changes = world.changes
        self._start = world.changes.start.tolist()
        self._last = [0.0] * len(world)
        self._signals = [0] * len(world)
        self._change = [self._after(page, 0.0) for page in range(len(world))]

    def _after(self, page: int, now: float) -> float:
        """When the page changes next after `now`."""
        times = self._changes.times[self._start[page] : self._start[page + 1]]
        k = int(times.searchsorted(now, side="right"))
        return float(times[k]) if k < len(times) else np.inf

    def signalled(self, pages: list[int], times: list[float]) -> tuple[list[int], list[float]]:
        """Count signals; those that are heard."""
        if self._discard > 0.0:
            heard = [k for k, time in enumerate(times) if time - self._last[pages[k]] >= self._discard]
            pages, times = [pages[k] for k in heard], [times[k] for k in heard]
        for page in pages:
            self._signals[page] += 1
        return pages, times

    def crawled(self, page: int, now: float) -> tuple[float, int, bool]:
        """Time and signals since the last crawl and whether anything changed; counting starts anew."""
        elapsed, signals = now - self._last[page], self._signals[page]
        changed = self._change[page] <= now
        self._last[page], self._signals[page] = now, 0
        if changed:
            self._change[page] = self._after(page, now)
        return elapsed, signals, changed
