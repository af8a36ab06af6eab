"""The best pages of one pool at one moment, exactly.

1. Pages whose event has come are given a new place (they may have become hot).
2. Every hot page is looked at.  While some tier's bound reaches the worst of the n best so far, that tier is woken.
3. What is then the n best is the answer: every page still asleep is worth less than its bound, which is less than they.
"""

import math

from recrawl._jit import inner, prefetch_row
from recrawl.engine import linked, wheel
from recrawl.engine.best import Ids, Values, keep, sort_best_first
from recrawl.engine.hot import leave_hot, make_hot, moment
from recrawl.engine.layout import (
    BATCH,
    BOUNDS,
    CLONE,
    CLOSING,
    CRAWLED,
    DECISIONS,
    GOAL,
    HEADS,
    HOT,
    HOT_COUNT,
    HOT_HEAD,
    LEVEL,
    LOOK,
    NEXT,
    NOW,
    OVERDUE_ROOT,
    PICKED,
    PREVIOUS,
    SHORT_STEPS,
    STATE,
    TIERS,
    UNKNOWN,
    WAITING_ROOT,
    WHEEL_NEXT,
    WIDTH,
    WOKEN,
    Core,
)
from recrawl.engine.looks import overdue, value_beside, value_now
from recrawl.engine.sleep import settle
from recrawl.engine.tiers import note_fall, set_level, wanted_hot
from recrawl.engine.wide import wide

MOVED = 24
"""Pages moved out of a closed tier for each page taken.

For the level to fall by a share g, about g of all pages must be taken, and a tier holds at most some 8 g of them.
"""


@inner
def look_at_hot(core: Core, pool: int, now: float) -> tuple[float, int]:
    """Look at every hot page, setting the overdue ones apart; the best value and its id, or (-1, -1)."""
    this = moment(core, now)
    best, best_id = -1.0, -1
    value, looked_at = -1.0, wide(-1)
    i = wide(core.pool_links[pool, HOT_HEAD])
    while i >= 0:
        after = wide(core.links[i, NEXT])
        if overdue(core, i, now):
            leave_hot(core, i)
            settle(core, i, now, math.nan)
        else:
            if core.links[i, LOOK] == this:
                value = core.numbers[i, GOAL]
            else:
                value = value_beside(core, i, now, looked_at, value)
                core.numbers[i, GOAL] = value
                core.links[i, LOOK] = this
            looked_at = i
            if value > best or (value == best and i < best_id):
                best, best_id = value, i
        i = after
    return best, best_id


@inner
def highest_bound(core: Core, pool: int) -> tuple[float, int]:
    """The highest bound of a tier that is not empty, and that tier; (-1, -1) when all are empty."""
    if core.pool_links[pool, HEADS + UNKNOWN] >= 0:
        return math.inf, UNKNOWN
    bound, tier = -1.0, -1
    for j in range(TIERS):
        if core.pool_links[pool, HEADS + j] >= 0 and core.pool_numbers[pool, BOUNDS + j] > bound:
            bound, tier = core.pool_numbers[pool, BOUNDS + j], j
    return bound, tier


@inner
def wake_tier(core: Core, pool: int, tier: int, now: float) -> tuple[float, int]:
    """Make every page of a tier hot; the best value among them and its id."""
    best, best_id = -1.0, -1
    i = wide(core.pool_links[pool, HEADS + tier])
    while i >= 0:
        after = wide(core.links[i, NEXT])
        linked.unlink(core, i)
        wheel.remove(core, i)
        core.rest[WOKEN] += 1
        value = value_now(core, i, now)
        make_hot(core, i, value, now)
        if value > best or (value == best and i < best_id):
            best, best_id = value, i
        i = after
    return best, best_id


@inner
def best_hot(core: Core, pool: int, now: float) -> tuple[float, int]:
    """The page of highest value of a pool that is not overdue, made hot; (-1, -1) when there is none."""
    best, best_id = look_at_hot(core, pool, now)
    while True:
        bound, tier = highest_bound(core, pool)
        if tier < 0 or bound < best:
            return best, best_id
        value, i = wake_tier(core, pool, tier, now)
        if value > best or (value == best and i < best_id):
            best, best_id = value, i


@inner
def _kth_best(core: Core, pool: int, k: int) -> float:
    """The k-th best value among the hot pages, as last looked at."""
    values, ids = core.kept_values[:k], core.kept_ids[:k]
    size = wide(0)
    i = wide(core.pool_links[pool, HOT_HEAD])
    while i >= 0:
        size = keep(values, ids, size, core.numbers[i, GOAL], i)
        i = wide(core.links[i, NEXT])
    return float(values[0])


@inner
def follow(core: Core, pool: int, value: float, n: int, now: float) -> None:
    """Let the level follow the value of the last page taken, and send pages that are now far below it to sleep.

    Down at once, for what sleeps must be worth less.  Up only when hot pages have become many: single pages that a
    signal lifted far above the rest say nothing of the level.
    """
    level = core.pool_numbers[pool, LEVEL]
    core.pool_numbers[pool, BATCH] += 0.125 * (n - core.pool_numbers[pool, BATCH])
    note_fall(core, pool, max(1.0 - value / level, 0.0) if level > 0.0 else 0.0, n)
    if level <= 0.0 or value < level:
        set_level(core, pool, value)
        _prune(core, pool, now)
    else:
        thin_out(core, pool, now)
    if core.pool_links[pool, CLOSING] != 0:
        _empty_closed(core, pool, n, now)


@inner
def _empty_closed(core: Core, pool: int, n: int, now: float) -> None:
    """Move some pages out of each tier that is closed."""
    emptied = False
    for j in range(SHORT_STEPS, TIERS):
        if core.pool_links[pool, CLOSING] >> j & 1:
            for _ in range(MOVED * n):
                i = wide(core.pool_links[pool, HEADS + j])
                if i < 0:
                    emptied = True
                    break
                linked.unlink(core, i)
                wheel.remove(core, i)
                settle(core, i, now, math.nan)
    if emptied:  # it takes a step of its own again
        set_level(core, pool, core.pool_numbers[pool, LEVEL])


@inner
def thin_out(core: Core, pool: int, now: float) -> None:
    """Where hot pages have become many, raise the level and send those now far below it to sleep."""
    count = core.pool_links[pool, HOT_COUNT]
    wanted = int(wanted_hot(core, pool)) + 1
    if count > 4 * wanted:
        set_level(core, pool, max(core.pool_numbers[pool, LEVEL], _kth_best(core, pool, wanted)))
    if count > 2 * wanted:
        _prune(core, pool, now)


@inner
def _prune(core: Core, pool: int, now: float) -> None:
    """Send hot pages that have fallen well behind the level to sleep."""
    floor = core.pool_numbers[pool, LEVEL] * (1.0 - 2.0 * core.pool_numbers[pool, WIDTH])
    i = wide(core.pool_links[pool, HOT_HEAD])
    while i >= 0:
        after = wide(core.links[i, NEXT])
        if core.numbers[i, GOAL] < floor:
            while True:  # clones go with the page that stands for them
                clone = wide(core.links[i, WHEEL_NEXT])
                leave_hot(core, i)
                settle(core, i, now, math.nan)
                if clone == i or core.links[i, STATE] == HOT or core.links[i, STATE] == CLONE:
                    break
                i = clone
        i = after


@inner
def wake_due(core: Core, now: float) -> None:
    """Let it be `now`: give every page whose event has come, or whose wait is over, a new place."""
    core.pool_numbers[0, NOW] = now
    target = wheel.tick_of(core, now)
    i = wheel.pop_due(core, target)
    while i >= 0:
        following = wheel.pop_due(core, target)  # one ahead, so that what it touches is on the way meanwhile
        if following >= 0:
            prefetch_row(core.links, max(wide(core.links[following, NEXT]), 0))
            prefetch_row(core.links, max(wide(core.links[following, PREVIOUS]), 0))
        linked.unlink(core, i)
        settle(core, i, now, math.nan)
        i = following
    root = core.rest[WAITING_ROOT]
    while root >= 0 and core.numbers[root, GOAL] <= now:
        i = root
        root = linked.heap_pop(core, root, wide(GOAL))
        settle(core, i, now, math.nan)
    core.rest[WAITING_ROOT] = root


@inner
def pick_overdue(core: Core, pool: int) -> int:
    """The oldest overdue page of a pool, taken out; -1 when there is none."""
    links = core.pool_links[pool]
    i = wide(links[OVERDUE_ROOT])
    if i >= 0:
        links[OVERDUE_ROOT] = linked.heap_pop(core, i, wide(CRAWLED))
        core.links[i, STATE] = PICKED
    return i


@inner
def _offer(core: Core, i: int, values: Values, ids: Ids, size: int) -> int:
    """Offer a hot page and its clones, lowest ids first, as long as they are kept; how many are kept then."""
    value = core.numbers[i, GOAL]
    clone = i
    for _ in range(len(values)):
        size = keep(values, ids, size, value, clone)
        clone = wide(core.links[clone, WHEEL_NEXT])
        if clone == i:
            break
    return size


@inner
def pick_many(core: Core, now: float, n: int, out: Ids) -> int:
    """The n best pages of the common pool, best first, taken out; how many there were.

    O(n log n) besides a handful of values for each page that wakes.
    """
    pool, done = wide(0), 0
    best, best_id = best_hot(core, pool, now)  # also sets the overdue apart
    while done < n:
        i = pick_overdue(core, pool)
        if i < 0:
            break
        out[done] = i
        done += 1
    if n - done == 1 and best_id >= 0:
        leave_hot(core, best_id)
        core.links[best_id, STATE] = PICKED
        out[done] = best_id
        follow(core, pool, best, n, now)
        done += 1
    elif n > done and best_id >= 0:
        done = _pick_sorted(core, pool, now, done, n, out)
    core.rest[DECISIONS] += done
    return done


@inner
def _pick_sorted(core: Core, pool: int, now: float, done: int, n: int, out: Ids) -> int:
    """`pick_many` from the second page on: wake what may reach the n best, then sort those."""
    values, ids = core.kept_values[: n - done], core.kept_ids[: n - done]
    while True:
        size = wide(0)
        i = wide(core.pool_links[pool, HOT_HEAD])
        while i >= 0:
            size = _offer(core, i, values, ids, size)
            i = wide(core.links[i, NEXT])
        bound, tier = highest_bound(core, pool)
        if tier < 0 or (size == n - done and bound < values[0]):
            break
        wake_tier(core, pool, tier, now)
    sort_best_first(values, ids, size)
    for k in range(size):
        leave_hot(core, ids[k])
        core.links[ids[k], STATE] = PICKED
        out[done + k] = ids[k]
    follow(core, pool, values[size - 1], n, now)
    return done + size
