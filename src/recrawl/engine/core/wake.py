"""Pages wake: their promise has ended, a signal called them, or the best page is worth no more than their bound.

A page that wakes is looked at.  It is then *seen*, one of those the present decision chooses from, or gets a new
promise and goes back to sleep (settle.py).
"""

import math

from recrawl._jit import inlined, inner, pointer_to, prefetch_row, wide
from recrawl.engine.core.layout import (
    BUCKETS,
    CALLED,
    CLONE,
    CRAWLED,
    FRESH,
    FRESH_ROOT,
    GOAL,
    HEAP,
    JUMPS,
    LEVEL,
    NEXT,
    NOW,
    PAGES,
    POOLS_BY_RANK,
    ROOT,
    SINCE,
    TICK,
    TOP,
    UNAGED,
    UNBOUNDED,
    WAITING_ROOT,
    WOKEN,
    Core,
)
from recrawl.engine.core.lists import seen, slots, wheel
from recrawl.engine.core.places import pool_of, state_of
from recrawl.engine.core.promise import SAFE, bound_below, bucket_of
from recrawl.engine.core.review import review
from recrawl.engine.core.settle import (
    CANDIDATE,
    detach,
    exit_heap,
    found_clone,
    lift,
    promise,
    settle,
    stand_at,
)
from recrawl.engine.core.value import look, overdue


@inner
def wake_due(core: Core, now: float, limit: int, hint: float) -> int:
    """Let it be `now`: settle pages whose promise has ended, or whose wait is over, up to `limit`; how many there were.

    `hint`: CANDIDATE where a decision is under way, or NaN.
    """
    core.pool_numbers[0, NOW] = now
    target = wheel.tick_of(core, now)
    count = 0
    where = pointer_to(core)
    while count < limit:
        i = wheel.pop_due(core, target)
        if i < 0:
            break
        lift(core, i)
        stand_at(where, i, now, hint)
        count += 1
    while count < limit:
        i = core.rest[WAITING_ROOT]
        if i < 0 or core.numbers[i, GOAL] > now:
            break
        exit_heap(core, i)
        settle(core, i, now, hint)
        count += 1
    return count


@inner
def look_at_called(core: Core, now: float, limit: int, hint: float) -> int:
    """Settle pages without a bound, up to `limit`; how many there were."""
    count = 0
    where = pointer_to(core)
    while count < limit:
        i = wide(core.heads[BUCKETS + UNBOUNDED])
        if i < 0:
            core.rest[CALLED] = 0
            break
        after = max(wide(core.links[i, NEXT]), 0)
        prefetch_row(core.numbers, after)
        prefetch_row(core.links, after)
        lift(core, i)
        if not found_clone(core, i):
            stand_at(where, i, now, hint)
        count += 1
    return count


@inner
def look_at(core: Core, i: int, now: float) -> bool:
    """Look at page i, in some place, and have it seen; false where it turns out to be overdue."""
    lift(core, i)
    if overdue(core, i, now):
        settle(core, i, now, math.nan)
        return False
    _, value, slope = look(core, i, now)
    seen.put(core, i, value, slope)
    return True


@inner
def _look_at_one_of_many(core: Core, i: int, now: float, bucket: int) -> None:
    """The same for one of a bucket, where there is no room for more: if worth less, it sleeps on in a lower bucket."""
    lift(core, i)
    if overdue(core, i, now):
        settle(core, i, now, math.nan)
        return
    x, value, slope = look(core, i, now)
    bound = bound_below(core, i, value, seen.top_value(core))
    if bucket_of(core, bound) < bucket:
        promise(core, i, x, value, slope, bound)
    else:
        seen.put(core, i, value, slope)


@inner
def wake_bucket(core: Core, bucket: int, now: float) -> None:
    """Look at every page of a bucket."""
    i = wide(core.heads[BUCKETS + bucket])
    while i >= 0:
        after = wide(core.links[i, NEXT])
        if after >= 0:
            prefetch_row(core.numbers, after)
            prefetch_row(core.links, after)
        core.rest[WOKEN] += 1
        if seen.is_full(core):
            _look_at_one_of_many(core, i, now, bucket)
        else:
            look_at(core, i, now)
        i = after


@inlined
def top_bucket(core: Core) -> int:
    """The highest bucket that is not empty, or -1."""
    if core.rest[TOP] < 0:
        return wide(-1)
    slot = slots.last_occupied(core, wide(BUCKETS), BUCKETS + core.rest[TOP])
    core.rest[TOP] = slot - BUCKETS if slot >= 0 else -1
    return core.rest[TOP]


@inner
def _fresh_bound(core: Core, now: float) -> float:
    """What fresh pages are worth at most; -1 where there are none."""
    root = core.rest[FRESH_ROOT]
    if root < 0:
        return -1.0
    age = max(now - core.pool_numbers[0, SINCE], 0.0)
    return core.numbers[root, GOAL] * age * age * (1.0 + SAFE)


@inner
def _first_unaged(core: Core, now: float, best: int) -> int:
    """The fresh page of lowest id below `best` (-1: any) where none has aged yet, so that all are worth 0; or -1."""
    last = core.rest[PAGES] if best < 0 else best
    for i in range(core.rest[UNAGED], last):
        core.rest[UNAGED] = i + 1  # the same decision need not look there again
        state = state_of(core, i)
        unaged = core.numbers[i, CRAWLED] >= now and core.numbers[i, JUMPS] == 0.0
        if unaged and state in (FRESH, CLONE) and pool_of(core, i) == 0:
            return i
    return wide(-1)


@inner
def see_fresh(core: Core, now: float, best: int) -> bool:
    """Look at the fresh page that could be best; false where none can."""
    bound = _fresh_bound(core, now)
    if now <= core.pool_numbers[0, SINCE] and (best < 0 or seen.top_value(core) == 0.0):
        i = _first_unaged(core, now, best)
        if i >= 0:
            detach(core, i)
            seen.put(core, i, 0.0, 0.0)
        return i >= 0
    if bound < 0.0 or (best >= 0 and bound < seen.top_value(core)):
        return False
    look_at(core, core.rest[FRESH_ROOT], now)
    return True


@inner
def see_unbounded(core: Core, now: float) -> None:
    """Look at pages whose promise could not reach beyond the present tick; some of them may be overdue."""
    while True:
        i = wide(core.pool_links[0, ROOT])
        if i < 0 or core.numbers[i, GOAL] < math.inf:
            break
        look_at(core, i, now)
    while core.rest[POOLS_BY_RANK] > 0:
        i = wide(core.pool_links[wide(core.pool_links[0, HEAP]), ROOT])
        if i < 0 or core.numbers[i, GOAL] < math.inf:
            break
        look_at(core, i, now)


@inner
def catch_up(core: Core, now: float) -> None:
    """Have every promise hold now, one page after the other, or all at once where most have ended."""
    if core.heads[BUCKETS + UNBOUNDED] >= 0 and (
        core.pool_numbers[0, LEVEL] <= 0.0 or core.rest[CALLED] > core.rest[PAGES] // 4
    ):
        review(core, now)
        wake_due(core, now, wide(1 << 62), CANDIDATE)
        return
    look_at_called(core, now, wide(1 << 62), CANDIDATE)
    share = core.rest[PAGES] // 128 + 1024
    begun, target = core.rest[TICK], wheel.tick_of(core, now)
    if wake_due(core, now, share, CANDIDATE) < share:
        return
    way = (core.rest[TICK] - begun) / max(target - begun, 1)
    if way < 0.1 or wheel.many_due(core, core.rest[PAGES] // 4):
        review(core, now)
    wake_due(core, now, wide(1 << 62), CANDIDATE)
