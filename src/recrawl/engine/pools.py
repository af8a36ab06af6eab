"""The best page over many pools: hosts with a gap between crawls and a limit on crawls in flight.

Theory of operation
-------------------
1. Pages live in the common pool; one that is best there while its host is held back moves into its host's own pool,
   until it is crawled (homes.py).  There it competes at its host's own level: of a million pages that pile up behind a
   slow host, the few near that level are hot, and the others cost nothing.
2. A host's pool is *blocked* (its gap has not passed), *full* (too many in flight), or *ready*.  Only ready ones
   compete.
3. Of a ready pool it is known that no page is worth more than BOUND before UNTIL: the hot pages were evaluated at that
   later time, and V only grows; pages that become hot in between raise the bound (hot.py).
4. A decision looks at the common pool, then at hosts' pools in order of their bounds until the best page found is worth
   more than the next bound.  Pools looked at in vain set their bounds less far ahead next time; bounds that run out
   unused, further.
"""

import math

from recrawl._jit import bare, inner
from recrawl.engine import linked, pool_heaps
from recrawl.engine.best import Ids
from recrawl.engine.homes import held_back, host_of, move, pool_of
from recrawl.engine.hot import leave_hot
from recrawl.engine.layout import (
    BOUND,
    BY_BOUND,
    CRAWLED,
    DECISIONS,
    GAP,
    GOAL,
    HEAP,
    HORIZON,
    HOT,
    HOT_COUNT,
    HOT_HEAD,
    IN_FLIGHT,
    LEVEL,
    MOST_IN_FLIGHT,
    NEXT,
    OVERDUE,
    OVERDUE_ROOT,
    PICKED,
    POOLS_BY_BOUND,
    POOLS_BY_TIME,
    QUANTUM,
    READY,
    SIZE,
    STATE,
    UNTIL,
    WHEEL_NEXT,
    Core,
)
from recrawl.engine.looks import overdue, value_beside
from recrawl.engine.select import best_hot, follow, highest_bound, look_at_hot, pick_overdue, thin_out, wake_tier
from recrawl.engine.sleep import settle
from recrawl.engine.tiers import set_level
from recrawl.engine.wide import wide

_SAFE = 1.0 + 1e-12


@bare
def place_pool(core: Core, pool: int, now: float) -> None:
    """Put a pool where it belongs: full or empty nowhere, blocked by the end of its gap, ready to be looked at."""
    if pool == 0:
        return  # looked at by every decision
    numbers, links = core.pool_numbers[pool], core.pool_links[pool]
    if links[SIZE] <= 0 or links[IN_FLIGHT] >= links[MOST_IN_FLIGHT]:
        pool_heaps.remove(core, wide(0), pool)
        pool_heaps.remove(core, wide(1), pool)
    elif numbers[READY] > now:
        pool_heaps.remove(core, wide(0), pool)
        pool_heaps.insert(core, wide(1), pool)
    elif links[BY_BOUND] < 0:
        numbers[BOUND] = math.inf
        numbers[UNTIL] = math.inf
        pool_heaps.insert(core, wide(0), pool)
        pool_heaps.insert(core, wide(1), pool)


@inner
def _ready_now(core: Core, now: float) -> None:
    """Let hosts whose gap has passed compete, and forget bounds that have run out."""
    while core.rest[POOLS_BY_TIME] > 0:
        pool = wide(core.pool_links[0, HEAP + 1])
        numbers = core.pool_numbers[pool]
        if core.pool_links[pool, BY_BOUND] < 0:
            if numbers[READY] > now:
                return
            place_pool(core, pool, now)
        else:
            if numbers[UNTIL] > now:  # one that ends now could hide a gap that ends now, behind it in the heap
                return
            numbers[HORIZON] *= 2.0
            pool_heaps.raise_bound(core, pool, math.inf)


@inner
def _look_ahead(core: Core, pool: int, now: float) -> None:
    """Bound the pool's values for a while ahead, and put it back among the ready ones."""
    numbers = core.pool_numbers[pool]
    if numbers[HORIZON] <= 0.0:
        numbers[HORIZON] = 64.0 * core.pool_numbers[0, QUANTUM]
    until = now + numbers[HORIZON]
    bound = highest_bound(core, pool)[0]
    value, looked_at = -1.0, wide(-1)
    i = wide(core.pool_links[pool, HOT_HEAD])
    while i >= 0:
        value = value_beside(core, i, until, looked_at, value)
        looked_at = i
        bound = max(bound, value * _SAFE)
        if overdue(core, i, until):
            bound = math.inf
        i = wide(core.links[i, NEXT])
    if core.pool_links[pool, OVERDUE_ROOT] >= 0:
        bound = math.inf
    numbers[BOUND] = bound
    numbers[UNTIL] = until if bound < math.inf else math.inf
    pool_heaps.insert(core, wide(0), pool)
    pool_heaps.insert(core, wide(1), pool)


@inner
def _best_of_pool(core: Core, pool: int, now: float) -> tuple[float, float, int]:
    """(value, crawl time, id) of a pool's best page; the value is inf where it is overdue."""
    best, i = best_hot(core, pool, now)
    if i >= 0:
        follow(core, pool, best, wide(1), now)
    root = wide(core.pool_links[pool, OVERDUE_ROOT])
    if root >= 0:
        return math.inf, core.numbers[root, CRAWLED], root
    return best, 0.0, i


@inner
def come_home(core: Core, i: int, now: float) -> None:
    """Have page i, crawled and linked nowhere, live in the common pool again."""
    host = pool_of(core, i)
    if host > 0:
        move(core, i, False)
        place_pool(core, host, now)


@inner
def _move_out(core: Core, i: int, now: float) -> None:
    """Move page i of the common pool, hot or overdue, into the pool of its host, which is held back."""
    host = host_of(core, i)
    if core.pool_numbers[host, LEVEL] <= 0.0:
        set_level(core, host, core.pool_numbers[0, LEVEL])
    if core.links[i, STATE] == OVERDUE:
        pick_overdue(core, wide(0))
        move(core, i, True)
        settle(core, i, now, math.nan)
    elif core.links[i, WHEEL_NEXT] == i:
        leave_hot(core, i)
        move(core, i, True)
        settle(core, i, now, math.nan)
    else:  # with all its clones: they may be a million, and the ring stays as it is
        linked.unlink(core, i)
        clone = i
        while True:
            move(core, clone, True)
            clone = wide(core.links[clone, WHEEL_NEXT])
            if clone == i:
                break
        linked.push(core, i, wide(HOT))
    count = wide(core.pool_links[host, HOT_COUNT])
    if count & (count - 1) == 0:  # not at each page, should thinning out not help
        thin_out(core, host, now)
    place_pool(core, host, now)


@inner
def _best_hot_at_home(core: Core, now: float) -> tuple[float, int]:
    """The best hot page of the common pool whose host may be crawled; better ones move out of the way."""
    best, best_id, highest = -1.0, -1, -1.0
    i = wide(core.pool_links[0, HOT_HEAD])
    while i >= 0:
        value = core.numbers[i, GOAL]
        if value > best or (value == best and i < best_id):
            if held_back(core, host_of(core, i), now):
                highest = max(highest, value)
            else:
                best, best_id = value, i
        i = wide(core.links[i, NEXT])
    if highest < best or highest < 0.0:
        return best, best_id
    i = wide(core.pool_links[0, HOT_HEAD])
    while i >= 0:
        after = wide(core.links[i, NEXT])
        if core.numbers[i, GOAL] >= best and held_back(core, host_of(core, i), now):
            _move_out(core, i, now)
        i = after
    return best, best_id


@inner
def _best_at_home(core: Core, now: float, again: bool) -> tuple[float, float, int, float]:
    """(value, crawl time, id) of the best page of the common pool whose host may be crawled; and the best hot value.

    `again`: at the same moment as before, so that the values of hot pages are known.
    """
    if not again:
        look_at_hot(core, wide(0), now)
    while True:
        root = wide(core.pool_links[0, OVERDUE_ROOT])
        if root < 0 or not held_back(core, host_of(core, root), now):
            break
        _move_out(core, root, now)
    while True:
        best, i = _best_hot_at_home(core, now)
        bound, tier = highest_bound(core, wide(0))
        if tier < 0 or bound < best:
            break
        wake_tier(core, wide(0), tier, now)
    if root >= 0:
        return math.inf, core.numbers[root, CRAWLED], root, best
    return best, 0.0, i, best


@inner
def _pick_one(core: Core, now: float, leased: bool, again: bool) -> tuple[int, float]:
    """The best page whose host may be crawled now, taken out, and the best hot value at home; -1 where none is."""
    _ready_now(core, now)
    best, best_time, best_id, at_home = _best_at_home(core, now, again)
    best_pool = wide(0)
    aside = 0
    while core.rest[POOLS_BY_BOUND] > 0:
        pool = wide(core.pool_links[0, HEAP])
        bound = core.pool_numbers[pool, BOUND]
        if bound < best:
            break
        pool_heaps.remove(core, wide(1), pool)  # first: its key there depends on whether it is in heap 0
        pool_heaps.remove(core, wide(0), pool)  # it now lies behind the end of the heap
        aside += 1
        value, time, i = _best_of_pool(core, pool, now)
        if i >= 0 and (value > best or (value == best and (time < best_time or (time == best_time and i < best_id)))):
            best, best_time, best_id, best_pool = value, time, i, pool
        elif bound < math.inf:
            core.pool_numbers[pool, HORIZON] *= 0.5
    if best_id >= 0:
        if best == math.inf:
            pick_overdue(core, best_pool)
        else:
            leave_hot(core, best_id)
            core.links[best_id, STATE] = PICKED
    for _ in range(aside):
        _look_ahead(core, wide(core.pool_links[core.rest[POOLS_BY_BOUND], HEAP]), now)
    if best_id >= 0:
        host = host_of(core, best_id)
        core.pool_numbers[host, READY] = max(core.pool_numbers[host, READY], now + core.pool_numbers[host, GAP])
        if leased:
            core.pool_links[host, IN_FLIGHT] += 1
        place_pool(core, host, now)
    return best_id, at_home


@inner
def pick_over_pools(core: Core, now: float, n: int, leased: bool, out: Ids) -> int:
    """The n best pages whose hosts allow it, best first, taken out; how many there were."""
    done, last = 0, -1.0
    while done < n:
        i, at_home = _pick_one(core, now, leased, done > 0)
        if i < 0:
            break
        last = at_home if at_home >= 0.0 else last
        out[done] = i
        done += 1
    if last >= 0.0:  # not at each page: a level that went up and down with them would wake tiers each time
        follow(core, wide(0), last, wide(done), now)
    core.rest[DECISIONS] += done
    return done
