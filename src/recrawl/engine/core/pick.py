"""The best pages at one moment, exactly.

Theory of operation
-------------------
1. Pages whose promise has ended are looked at and given another one.
2. The ranked page of highest bound is looked at, then the next, as long as bounds reach the best page seen so far.
   Sleepers wake, a bucket at a time, where the edge of their bucket does; so do fresh pages and the pools of hosts.
3. Then the best page seen is the best of all: every other page is worth no more than a bound that is below it, or equal
   to it and of a higher id.  It is taken; for the next one of the same moment, go on at 2.
4. The pages seen in vain are given new promises, below the page taken last.
5. Now and then it is asked where the level will soon be (foresee.py).
"""

import math

from recrawl._jit import inlined, inner, wide
from recrawl.engine.core.foresee import foresee
from recrawl.engine.core.layout import (
    CRAWLED,
    DECISIONS,
    FRESH_ROOT,
    GAP,
    GOAL,
    HEAP,
    IN_FLIGHT,
    LAST,
    LEVEL,
    LOWEST,
    OVERDUE_ROOT,
    POOLS_BY_RANK,
    RANKED,
    READY,
    ROOT,
    SCALE,
    SEEN,
    SIZE,
    TAKEN,
    UNAGED,
    Core,
    Ids,
)
from recrawl.engine.core.lists import clones, seen
from recrawl.engine.core.places import held_back, host_of, pool_of, set_state
from recrawl.engine.core.pools import go_away, let_ready_compete, place_pool
from recrawl.engine.core.promise import edge_of
from recrawl.engine.core.settle import (
    detach,
    enter,
    exit_heap,
    forget,
    replace,
    settle,
)
from recrawl.engine.core.wake import catch_up, look_at, see_fresh, see_unbounded, top_bucket, wake_bucket

WINDOW = 1.0 / 8192.0
"""The level is the least value among the pages taken last: this part of all pages, and no fewer than a few dozen."""
LEAST_WINDOW = 64.0


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
def _best_seen(core: Core, now: float, polite: bool) -> int:
    """The best of all pages that may be crawled now, now seen; -1 where there is none, -2 where one is overdue."""
    while True:
        best = seen.top(core)
        i = wide(core.pool_links[0, ROOT])
        if _outranks(core, i, best):
            if polite and held_back(core, host_of(core, i), now):
                _send_away(core, i, now)
            elif not look_at(core, i, now):
                return -2
            continue
        if polite and core.rest[POOLS_BY_RANK] > 0:
            i = wide(core.pool_links[wide(core.pool_links[0, HEAP]), ROOT])
            if _outranks(core, i, best):
                if not look_at(core, i, now):
                    return -2
                continue
        bucket = top_bucket(core)
        if bucket >= 0 and (best < 0 or edge_of(core, bucket) >= seen.top_value(core)):
            wake_bucket(core, bucket, now)
            continue
        if core.rest[FRESH_ROOT] >= 0 and see_fresh(core, now, best):
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
    if core.pool_numbers[0, SCALE] == 0.0 and value > 0.0:
        core.pool_numbers[0, SCALE] = 1.0 / value


@inner
def note_crawl(core: Core, i: int, now: float, leased: bool) -> None:
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
    catch_up(core, now)
    if polite:
        let_ready_compete(core, now)
    see_unbounded(core, now)
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
            note_crawl(core, i, now, leased)
    if of_common > 0:
        follow(core, wide(0), common, of_common)
    i = seen.pop_any(core)
    while i >= 0:
        forget(core, i, now, last)
        i = seen.pop_any(core)
    core.rest[DECISIONS] += done
    foresee(core, now, done)
    return done
