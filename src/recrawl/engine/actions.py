"""What the outside does to pages, as kernels over many ids."""

import math

import numpy as np

from recrawl._jit import bare, inlined, inner, jit, prefetch_row
from recrawl.engine import linked, wheel
from recrawl.engine.best import Ids, Values
from recrawl.engine.homes import host_of, pool_of
from recrawl.engine.hot import leave_hot, make_hot
from recrawl.engine.layout import (
    ALPHA,
    CLONE,
    CRAWLED,
    DEAD,
    DECISIONS,
    FREE,
    GAP,
    GOAL,
    HOT,
    IN_FLIGHT,
    JUMPS,
    KAPPA,
    LEASED,
    LEVEL,
    NEXT,
    NOW,
    PAGES,
    POOL,
    PREVIOUS,
    READY,
    SIZE,
    STATE,
    TIERS,
    WAITING,
    WAITING_ROOT,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    Core,
)
from recrawl.engine.looks import value_now
from recrawl.engine.page_value import set_parameters, staleness_at, weight_of
from recrawl.engine.pools import come_home, pick_over_pools, place_pool
from recrawl.engine.select import pick_many, wake_due
from recrawl.engine.sleep import detach, settle
from recrawl.engine.wide import wide

AHEAD = 8
"""How many pages ahead memory is asked for."""


@bare
def add(core: Core, columns: Values, pools: Ids, ages: Values, now: float, ids: Ids) -> None:
    """Add pages (columns alpha, kappa, gamma, mu), crawled at `now`; ids of removed pages are used again first."""
    for k in range(len(ids)):
        i = core.rest[FREE]
        if i >= 0:
            core.rest[FREE] = core.links[i, NEXT]
        else:
            i = core.rest[PAGES]
            core.rest[PAGES] += 1
        ids[k] = i
        set_parameters(core.numbers, i, columns[0, k], columns[1, k], columns[2, k], columns[3, k])
        core.numbers[i, CRAWLED] = now
        core.numbers[i, JUMPS] = 0.0
        if len(core.max_age) > 0:
            core.max_age[i] = ages[k]
        core.links[i, POOL] = -pools[k]
        core.links[i, WHEEL_NEXT] = -1
        core.links[i, WHEEL_PREVIOUS] = -1
        core.pool_links[0, SIZE] += 1
        settle(core, i, now, math.nan)


@inner
def _let_go(core: Core, i: int) -> None:
    """Take page i out of whatever holds it, in flight or waiting included."""
    state = wide(core.links[i, STATE])
    if state == LEASED:
        core.pool_links[host_of(core, i), IN_FLIGHT] -= 1
    elif state == WAITING:
        core.rest[WAITING_ROOT] = linked.heap_remove(core, core.rest[WAITING_ROOT], i, wide(GOAL))
    else:
        detach(core, i)


@bare
def remove(core: Core, ids: Ids) -> None:
    """Forget pages."""
    now = core.pool_numbers[0, NOW]
    for i in ids:
        _let_go(core, i)
        core.pool_links[pool_of(core, i), SIZE] -= 1
        core.links[i, STATE] = DEAD
        core.links[i, NEXT] = core.rest[FREE]
        core.rest[FREE] = i
        place_pool(core, host_of(core, i), now)


@bare
def update(core: Core, ids: Ids, columns: Values, now: float) -> None:
    """Give pages new parameters; the time of the crawl and what signals added stay."""
    for k in range(len(ids)):
        i = ids[k]
        held = core.links[i, STATE] == LEASED or core.links[i, STATE] == WAITING
        if not held:
            detach(core, i)
        set_parameters(core.numbers, i, columns[0, k], columns[1, k], columns[2, k], columns[3, k])
        if not held:
            settle(core, i, now, math.nan)


@inlined
def signal_one(core: Core, i: int, weight: float, now: float) -> None:
    """Add to the staleness of page i, and put it where it then belongs.  O(1)."""
    state = wide(core.links[i, STATE])
    if state == LEASED:
        core.numbers[i, GOAL] += weight
        return
    if state < TIERS:
        core.numbers[i, JUMPS] += weight
        if core.numbers[i, GOAL] == math.inf:
            return  # its limit is below the level: no signal brings it up
        if staleness_at(core.numbers, core.tables, i, now) >= core.numbers[i, GOAL] * (1.0 - 1e-12):
            detach(core, i)
            settle(core, i, now, math.nan)
        else:
            wheel.move(core, i)
    elif state in (HOT, CLONE):
        leave_hot(core, i)
        core.numbers[i, JUMPS] += weight
        make_hot(core, i, value_now(core, i, now), now)
    else:
        core.numbers[i, JUMPS] += weight


@inner
def _prefetch_neighbours(core: Core, i: int, now: float) -> None:
    """Ask for the pages that a signal to page i touches: those beside it in the wheel, and in its tier if it wakes."""
    goal = core.numbers[i, GOAL]
    if goal == math.inf:
        return
    prefetch_row(core.links, max(wide(core.links[i, WHEEL_NEXT]), 0))
    prefetch_row(core.links, max(wide(core.links[i, WHEEL_PREVIOUS]), 0))
    drift = core.numbers[i, ALPHA] * (now - core.numbers[i, CRAWLED])
    if drift + core.numbers[i, JUMPS] + core.numbers[i, KAPPA] >= goal:
        prefetch_row(core.links, max(wide(core.links[i, NEXT]), 0))
        prefetch_row(core.links, max(wide(core.links[i, PREVIOUS]), 0))


@bare
def signal(
    core: Core, ids: Ids, weights: Values, aged: bool, discard: Values, window: float, now: float, time: float
) -> int:
    """Add a signal to each id; how many came within a window after the crawl and were dropped; -1 - k for a bad ids[k].

    `weights`: none (the pages' own), one, or one each; `aged`: they are those of signals long after the crawl, less
    is due to late ones soon after it.  `discard`: windows by page, or none; `window`: for all.
    O(1) a signal.
    """
    for k in range(len(ids)):
        if k + 4 * AHEAD < len(ids):
            prefetch_row(core.links, ids[k + 4 * AHEAD])
        if not 0 <= ids[k] < core.rest[PAGES] or core.links[ids[k], STATE] == DEAD:
            return -1 - k
    dropped = 0
    for k in range(len(ids)):
        if k + 2 * AHEAD < len(ids):
            prefetch_row(core.numbers, ids[k + 2 * AHEAD])
            prefetch_row(core.links, ids[k + 2 * AHEAD])
        if k + AHEAD < len(ids):
            _prefetch_neighbours(core, ids[k + AHEAD], now)
        i = ids[k]
        own = max(window, discard[i]) if len(discard) > 0 else window
        if own > 0.0 and time - core.numbers[i, CRAWLED] < own:
            dropped += 1
            continue
        weight = core.numbers[i, KAPPA]
        if len(weights) > 0:
            weight = weights[k] if len(weights) > 1 else weights[0]
        if aged:
            weight = weight_of(core.numbers, core.tables, i, weight, time)
        if weight > 0.0:
            signal_one(core, i, weight, now)
    return dropped


@inner
def _mark_taken(core: Core, now: float, ids: Ids) -> None:
    """Count picked pages as crawled at `now`."""
    level = core.pool_numbers[0, LEVEL]
    for i in ids:
        x = staleness_at(core.numbers, core.tables, i, now)
        if core.numbers[i, GOAL] > level:  # a signal lifted it beyond
            x *= level / core.numbers[i, GOAL]
        core.numbers[i, CRAWLED] = now
        core.numbers[i, JUMPS] = 0.0
        settle(core, i, now, x)


@inner
def _mark_leased(core: Core, ids: Ids) -> None:
    """Hold picked pages: not offered again until crawled or released."""
    for i in ids:
        core.links[i, STATE] = LEASED
        core.numbers[i, GOAL] = 0.0


@inner
def _put_back(core: Core, now: float, ids: Ids) -> None:
    """Put picked pages back as they were."""
    core.rest[DECISIONS] -= len(ids)
    for i in ids:
        settle(core, i, now, math.nan)


@bare
def take(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and mark, where no host sets limits."""
    wake_due(core, now)
    done = pick_many(core, now, n, out)
    _mark_taken(core, now, out[:done])
    return done


@bare
def take_polite(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and mark."""
    wake_due(core, now)
    done = pick_over_pools(core, now, n, False, out)
    for k in range(done):
        come_home(core, out[k], now)
    _mark_taken(core, now, out[:done])
    return done


@bare
def lease(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and hold, where no host sets limits."""
    wake_due(core, now)
    done = pick_many(core, now, n, out)
    core.pool_links[0, IN_FLIGHT] += done
    _mark_leased(core, out[:done])
    return done


@bare
def lease_polite(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and hold."""
    wake_due(core, now)
    done = pick_over_pools(core, now, n, True, out)
    _mark_leased(core, out[:done])
    return done


@bare
def peek(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and put back, where no host sets limits."""
    wake_due(core, now)
    done = pick_many(core, now, n, out)
    _put_back(core, now, out[:done])
    return done


@jit
def peek_polite(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and put back, hosts included."""
    ready = core.pool_numbers[:, READY].copy()
    wake_due(core, now)
    done = pick_over_pools(core, now, n, False, out)
    _put_back(core, now, out[:done])
    for k in range(done):
        host = host_of(core, out[k])
        core.pool_numbers[host, READY] = ready[host]
        place_pool(core, host, now)
    return done


@bare
def crawled(core: Core, ids: Ids, at: Values, now: float) -> None:
    """Restart pages at the time they were fetched; signals since the lease are kept."""
    for k in range(len(ids)):
        i = ids[k]
        time = at[k] if len(at) > 1 else at[0]
        kept = core.numbers[i, GOAL] if core.links[i, STATE] == LEASED else 0.0
        x = staleness_at(core.numbers, core.tables, i, now)
        _let_go(core, i)
        core.numbers[i, CRAWLED] = time
        core.numbers[i, JUMPS] = kept
        host = host_of(core, i)
        gap = core.pool_numbers[host, GAP]
        if gap > 0.0:
            core.pool_numbers[host, READY] = max(core.pool_numbers[host, READY], time + gap)
        come_home(core, i, now)
        settle(core, i, now, x)
        place_pool(core, host, now)


@bare
def release(core: Core, ids: Ids, not_before: Values, now: float) -> None:
    """Put leased pages back as they were, signals since included, from `not_before` on."""
    for k in range(len(ids)):
        i = ids[k]
        core.numbers[i, JUMPS] += core.numbers[i, GOAL]
        host = host_of(core, i)
        core.pool_links[host, IN_FLIGHT] -= 1
        time = not_before[k] if len(not_before) > 1 else not_before[0]
        if time > now:
            core.numbers[i, GOAL] = time
            core.links[i, STATE] = WAITING
            core.rest[WAITING_ROOT] = linked.heap_insert(core, core.rest[WAITING_ROOT], i, wide(GOAL))
        else:
            settle(core, i, now, math.nan)
        place_pool(core, host, now)


@jit
def rewind(core: Core, quantum: float) -> None:
    """Empty the wheel and fill it again with ticks of another length."""
    asleep = np.empty(core.rest[PAGES], dtype=np.int64)
    count = 0
    for i in range(core.rest[PAGES]):
        if core.links[i, STATE] <= TIERS:
            if core.links[i, WHEEL_PREVIOUS] != -1:
                wheel.remove(core, i)
            asleep[count] = i
            count += 1
    wheel.restart(core, quantum)
    for k in range(count):
        wheel.insert(core, asleep[k])
