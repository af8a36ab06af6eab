"""The best pages at one moment, exactly.

Theory of operation
-------------------
1. Pages whose promise has ended are looked at and given another one.
2. The ranked page of highest bound is looked at, then the next, as long as bounds reach the best page seen so far.
   Sleepers wake, a bucket at a time, where the edge of their bucket does; so do fresh pages and the pools of hosts.
3. Then the best page seen is the best of all: every other page is worth no more than a bound that is below it, or equal
   to it and of a higher id.  It is taken; for the next one of the same moment, go on at 2.
4. The pages seen in vain are given new promises, below the page taken last.
"""

import math

from recrawl._jit import inlined, inner, pointer_to, prefetch_row, wide
from recrawl.engine.core.layout import (
    BUCKETS,
    CALLED,
    CLONE,
    CRAWLED,
    DECISIONS,
    FRESH,
    FRESH_ROOT,
    GAP,
    GOAL,
    HEAP,
    IN_FLIGHT,
    JUMPS,
    LAST,
    LEVEL,
    LOWEST,
    NEXT,
    NOW,
    OVERDUE_ROOT,
    PAGES,
    POOLS_BY_RANK,
    RANKED,
    READY,
    ROOT,
    SEEN,
    SINCE,
    SIZE,
    TAKEN,
    TICK,
    TOP,
    UNAGED,
    UNBOUNDED,
    UNIT,
    WAITING_ROOT,
    WOKEN,
    Core,
    Ids,
)
from recrawl.engine.core.lists import clones, seen, slots, wheel
from recrawl.engine.core.places import held_back, host_of, pool_of, set_state, state_of
from recrawl.engine.core.pools import go_away, let_ready_compete, place_pool
from recrawl.engine.core.promise import SAFE, edge_of
from recrawl.engine.core.review import review
from recrawl.engine.core.settle import (
    CANDIDATE,
    detach,
    enter,
    exit_heap,
    forget,
    found_clone,
    lift,
    replace,
    settle,
    stand_at,
)
from recrawl.engine.core.value import look, overdue

WINDOW = 1.0 / 8192.0
"""The level is the least value among the pages taken last: this part of all pages, and no fewer than a few dozen."""
LEAST_WINDOW = 64.0


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
def _look_at(core: Core, i: int, now: float) -> bool:
    """Look at page i, in some place, and have it seen; false where it turns out to be overdue."""
    lift(core, i)
    if overdue(core, i, now):
        settle(core, i, now, math.nan)
        return False
    _, value, slope = look(core, i, now)
    seen.put(core, i, value, slope)
    return True


@inner
def _wake_bucket(core: Core, bucket: int, now: float) -> None:
    """Look at every page of a bucket."""
    i = wide(core.heads[BUCKETS + bucket])
    while i >= 0:
        after = wide(core.links[i, NEXT])
        if after >= 0:
            prefetch_row(core.numbers, after)
            prefetch_row(core.links, after)
        core.rest[WOKEN] += 1
        _look_at(core, i, now)
        i = after


@inlined
def _top_bucket(core: Core) -> int:
    """The highest bucket that is not empty, or -1."""
    if core.rest[TOP] < 0:
        return wide(-1)
    slot = slots.last_occupied(core, wide(BUCKETS), BUCKETS + core.rest[TOP])
    core.rest[TOP] = slot - BUCKETS if slot >= 0 else -1
    return core.rest[TOP]


@inlined
def _outranks(core: Core, i: int, best: int) -> bool:
    """Whether the bound of ranked page i allows it to be better than the best seen."""
    if i < 0:
        return False
    if best < 0:
        return True
    bound, value = core.numbers[i, GOAL], seen.top_value(core)
    return bound > value or (bound == value and i < best)


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
def _see_fresh(core: Core, now: float, best: int) -> bool:
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
    _look_at(core, core.rest[FRESH_ROOT], now)
    return True


@inner
def _see_unbounded(core: Core, now: float) -> None:
    """Look at pages whose promise could not reach beyond the present tick; some of them may be overdue."""
    while True:
        i = wide(core.pool_links[0, ROOT])
        if i < 0 or core.numbers[i, GOAL] < math.inf:
            break
        _look_at(core, i, now)
    while core.rest[POOLS_BY_RANK] > 0:
        i = wide(core.pool_links[wide(core.pool_links[0, HEAP]), ROOT])
        if i < 0 or core.numbers[i, GOAL] < math.inf:
            break
        _look_at(core, i, now)


@inner
def _best_seen(core: Core, now: float, polite: bool) -> int:
    """The best of all pages that may be crawled now, now seen; -1 where there is none, -2 where one is overdue."""
    while True:
        best = seen.top(core)
        i = wide(core.pool_links[0, ROOT])
        if _outranks(core, i, best):
            if polite and held_back(core, host_of(core, i), now):
                _send_away(core, i, now)
            elif not _look_at(core, i, now):
                return -2
            continue
        if polite and core.rest[POOLS_BY_RANK] > 0:
            i = wide(core.pool_links[wide(core.pool_links[0, HEAP]), ROOT])
            if _outranks(core, i, best):
                if not _look_at(core, i, now):
                    return -2
                continue
        bucket = _top_bucket(core)
        if bucket >= 0 and (best < 0 or edge_of(core, bucket) >= seen.top_value(core)):
            _wake_bucket(core, bucket, now)
            continue
        if core.rest[FRESH_ROOT] >= 0 and _see_fresh(core, now, best):
            continue
        if best >= 0 and polite and held_back(core, host_of(core, best), now):
            _send_seen_away(core, now)
            continue
        return best


@inner
def _send_away(core: Core, i: int, now: float) -> None:
    """Move ranked page i of the common pool, alone, into the pool of its host, which is held back."""
    following = clones.next_clone(core, i)
    bound = core.numbers[i, GOAL]
    if following >= 0:
        replace(core, i, following)  # with the event in the wheel
        go_away(core, i, now)
        settle(core, i, now, math.nan)
        return
    exit_heap(core, i)
    go_away(core, i, now)
    core.numbers[i, GOAL] = bound
    enter(core, i, wide(RANKED))


@inner
def _send_seen_away(core: Core, now: float) -> None:
    """The same for the best page seen, of any pool."""
    i = _pop_seen(core)
    if pool_of(core, i) == 0:
        go_away(core, i, now)
    forget(core, i, now, -1.0)


@inner
def _pop_seen(core: Core) -> int:
    """Take the best page seen out; the next of its clones is seen in its place."""
    i = seen.pop(core)
    following = clones.next_clone(core, i)
    if following >= 0:
        seen.put(core, following, core.numbers[i, GOAL], core.slope[0])
    return i


@inner
def _first_overdue(core: Core, now: float, polite: bool) -> int:
    """The page that is longest overdue and may be crawled now, taken out; -1 where there is none."""
    root = wide(core.pool_links[0, OVERDUE_ROOT])
    while polite and root >= 0 and held_back(core, host_of(core, root), now):
        detach(core, root)
        go_away(core, root, now)
        settle(core, root, now, math.nan)
        root = wide(core.pool_links[0, OVERDUE_ROOT])
    if polite and core.rest[POOLS_BY_RANK] > 0:
        other = wide(core.pool_links[wide(core.pool_links[0, HEAP]), OVERDUE_ROOT])
        if other >= 0 and root >= 0:
            p, q = core.numbers[other, CRAWLED], core.numbers[root, CRAWLED]
            root = other if p < q or (p == q and other < root) else root
        elif other >= 0:
            root = other
    if root >= 0:
        detach(core, root)
        set_state(core, root, wide(SEEN))  # not standing any more
        core.numbers[root, GOAL] = math.nan  # it was not taken for its value
    return root


@inner
def follow(core: Core, pool: int, value: float, n: int) -> None:
    """Let the level follow the value of the last of n pages taken: down at once, for what sleeps must be worth less.

    Up only when all of the last ones were worth more: what signals lifted is taken between others that were not.
    """
    numbers = core.pool_numbers[pool]
    numbers[LAST] = value
    numbers[LOWEST] = value if numbers[TAKEN] == 0.0 else min(value, numbers[LOWEST])
    numbers[TAKEN] += n
    if value < numbers[LEVEL] or numbers[LEVEL] <= 0.0:
        numbers[LEVEL] = value
    elif numbers[TAKEN] >= max(core.pool_links[pool, SIZE] * WINDOW, LEAST_WINDOW):
        numbers[LEVEL] = numbers[LOWEST]
        numbers[TAKEN] = 0.0
    if core.pool_numbers[0, UNIT] == 0.0 and value > 0.0:
        core.pool_numbers[0, UNIT] = 1.0 / value


@inner
def _note_crawl(core: Core, i: int, now: float, leased: bool) -> None:
    """Have the host of page i, taken now, keep its gap and count what is in flight."""
    host = host_of(core, i)
    core.pool_numbers[host, READY] = max(core.pool_numbers[host, READY], now + core.pool_numbers[host, GAP])
    if leased:
        core.pool_links[host, IN_FLIGHT] += 1
    place_pool(core, host, now)


@inner
def pick(core: Core, now: float, n: int, leased: bool, out: Ids) -> int:
    """The n best pages whose hosts allow it, best first, taken out, their values in GOAL; how many there were."""
    polite = core.pool_links.shape[0] > 1
    core.rest[UNAGED] = 0
    _catch_up(core, now)
    if polite:
        let_ready_compete(core, now)
    _see_unbounded(core, now)
    done, last, common, of_common = 0, -1.0, -1.0, 0
    while done < n:
        i = _first_overdue(core, now, polite)
        if i < 0:
            i = _best_seen(core, now, polite)
            if i == -2:
                continue
            if i < 0:
                break
            _pop_seen(core)
            last = core.numbers[i, GOAL]
            if pool_of(core, i) == 0:
                common, of_common = last, of_common + 1
            else:
                follow(core, pool_of(core, i), last, wide(1))
                core.pool_numbers[0, LEVEL] = min(core.pool_numbers[0, LEVEL], last)
        out[done] = i
        done += 1
        if polite:
            _note_crawl(core, i, now, leased)
    if of_common > 0:
        follow(core, wide(0), common, of_common)
    i = seen.pop_any(core)
    while i >= 0:
        forget(core, i, now, last)
        i = seen.pop_any(core)
    core.rest[DECISIONS] += done
    return done


@inner
def _catch_up(core: Core, now: float) -> None:
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
