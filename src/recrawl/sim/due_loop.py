"""Rules that crawl what is due first, compiled, with pages that come and go: the rivals in worlds from histories.

The same decisions as the rules of `recrawl.policies`, which are the definition, some fifty times as fast.  Where pages
come, they are better served than by the crawlers these rules come from: a new page is crawled before all others, and
one that is found gone is never crawled again.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush

import numpy as np

from recrawl._jit import jit
from recrawl.policies import nutch, stormcrawler
from recrawl.policies.nutch import DAY_S
from recrawl.policies.stormcrawler import DAY_MIN
from recrawl.sim.events import Ids, Times
from recrawl.sim.presence import Presence
from recrawl.sim.world import World

UNIFORM, SIGNALLED_FIRST, NUTCH, STORMCRAWLER = range(4)

Loop = Callable[[World, Times], Ids]
"""The page crawled at each moment of a world, -1 for none."""


def uniform(world: World, moments: Times) -> Ids:
    """Every page in turn."""
    return _crawls(world, moments, UNIFORM, ())


def signalled_first(world: World, moments: Times) -> Ids:
    """Pages with a signal first, and in between every page in turn."""
    return _crawls(world, moments, SIGNALLED_FIRST, ())


def nutch_rule(world: World, moments: Times, constants: nutch.Constants = nutch.SHIPPED) -> Ids:
    """Nutch's adaptive intervals, a unit of time being a day."""
    return _crawls(world, moments, NUTCH, constants)


def stormcrawler_rule(world: World, moments: Times, constants: stormcrawler.Constants = stormcrawler.SHIPPED) -> Ids:
    """StormCrawler's adaptive intervals, a unit of time being a day."""
    return _crawls(world, moments, STORMCRAWLER, constants)


def _crawls(world: World, moments: Times, kind: int, constants: tuple[float, ...]) -> Ids:
    out = np.empty(len(moments), dtype=np.int64)
    presence = world.presence or Presence.throughout(len(world))
    _run(
        kind,
        np.array(constants, dtype=np.float64),
        moments,
        world.changes.start,
        world.changes.times,
        world.signal_times,
        world.signal_pages,
        presence.announced,
        np.argsort(presence.announced, kind="stable"),
        presence.removed,
        out,
    )
    return out


@jit
def _nutch(fixed: Times, interval: Times, modified: Times, i: int, now: float, changed: bool) -> float:
    _, least, most, ceiling, grow, shrink, sync = fixed
    now_s = now * DAY_S
    length = interval[i] * (1.0 - shrink if changed else 1.0 + grow)
    if changed:
        modified[i] = now_s
    unchanged = now_s - modified[i]
    if sync > 0.0:
        length = max(length, unchanged)
    earlier = sync * unchanged
    if earlier > most:
        earlier = 0.0
    interval[i] = length = min(max(length, least), most)
    return float(min(now_s - earlier + length, now_s + ceiling) / DAY_S)


@jit
def _stormcrawler(fixed: Times, interval: Times, i: int, now: float, changed: bool) -> float:
    _, least, most, grow, shrink = fixed
    old = interval[i]
    interval[i] = (1.0 - shrink) * old + shrink * least if changed else min(most, old * (1.0 + grow))
    return float(now + interval[i] / DAY_MIN)


@jit
def _due(
    kind: int, fixed: Times, interval: Times, modified: Times, i: int, now: float, changed: bool, first: bool
) -> float:
    """When a page that was crawled now is due; a first copy has nothing to be compared with."""
    if kind == NUTCH:
        if first:
            modified[i] = now * DAY_S
            return float(now + fixed[0] / DAY_S)
        return float(_nutch(fixed, interval, modified, i, now, changed))
    if kind == STORMCRAWLER:
        if first:
            return float(now + fixed[0] / DAY_MIN)
        return float(_stormcrawler(fixed, interval, i, now, changed))
    return now


@jit
def _run(
    kind: int,
    fixed: Times,
    moments: Times,
    change_start: Ids,
    changes: Times,
    signal_times: Times,
    signal_pages: Ids,
    announced: Times,
    by_announcement: Ids,
    removed: Times,
    out: Ids,
) -> None:
    m = len(announced)
    known = np.zeros(m, dtype=np.bool_)
    copied = np.zeros(m, dtype=np.bool_)
    waiting = np.zeros(m, dtype=np.bool_)
    key = np.zeros(m)  # an entry of the heap counts if it is this one
    interval, modified = np.zeros(m), np.zeros(m)
    unseen = change_start[:-1].copy()
    if kind >= NUTCH:
        interval[:] = fixed[0]
    heap = [(np.inf, np.int64(-1))]
    heap.pop()
    come = 0
    while come < m and announced[by_announcement[come]] <= 0.0:
        i = by_announcement[come]
        known[i] = copied[i] = True
        key[i] = _due(kind, fixed, interval, modified, i, 0.0, False, True)
        heap.append((key[i], np.int64(i)))
        come += 1
    heapify(heap)
    s = 0
    for t in range(len(moments)):
        now = moments[t]
        while come < m and announced[by_announcement[come]] <= now:
            i = by_announcement[come]
            known[i] = True
            key[i] = -np.inf
            heappush(heap, (key[i], np.int64(i)))
            come += 1
        while s < len(signal_times) and signal_times[s] <= now:
            i = signal_pages[s]
            if kind == SIGNALLED_FIRST and known[i] and not waiting[i]:
                waiting[i] = True
                if copied[i]:
                    key[i] = -1.0 / (s + 1.0)  # before every turn, in order of arrival
                    heappush(heap, (key[i], np.int64(i)))
            s += 1
        page = -1
        while page < 0 and len(heap) > 0:
            first_key, i = heappop(heap)
            if known[i] and key[i] == first_key:
                page = int(i)
        out[t] = page
        if page < 0:
            continue
        waiting[page] = False
        if removed[page] <= now:
            known[page] = False
            continue
        k = unseen[page]
        while k < change_start[page + 1] and changes[k] <= now:
            k += 1
        changed = k > unseen[page]
        unseen[page] = k
        key[page] = _due(kind, fixed, interval, modified, page, now, changed, not copied[page])
        copied[page] = True
        heappush(heap, (key[page], np.int64(page)))
