"""The best page over many pools: hosts with a gap between crawls and a limit on crawls in flight.

Theory of operation
-------------------
1. Each host's pages are a pool of their own, with its own level: where politeness holds a host back, its pages pile up
   above the level of the others, but near *its* level only a few are hot, so a million waiting pages cost nothing.
2. A pool is *blocked* (its gap has not passed), *full* (too many in flight), or *ready*.  Only ready pools compete.
3. Of a ready pool it is known that no page is worth more than BOUND before UNTIL: the hot pages were evaluated at that
   later time, and V only grows; pages that become hot in between raise the bound (sleep.py).
4. A decision looks at pools in order of their bounds until the best page found is worth more than the next bound.
   Pools looked at in vain set their bounds less far ahead next time; bounds that run out unused, further.
"""

import math

from recrawl._jit import bare
from recrawl.engine import pool_heaps
from recrawl.engine.best import Ids
from recrawl.engine.layout import (
    BOUND,
    BY_BOUND,
    CRAWLED,
    DECISIONS,
    GAP,
    HEAP,
    HORIZON,
    HOT_HEAD,
    IN_FLIGHT,
    MOST_IN_FLIGHT,
    NEXT,
    OVERDUE_ROOT,
    PICKED,
    POOLS_BY_BOUND,
    POOLS_BY_TIME,
    QUANTUM,
    READY,
    SIZE,
    STATE,
    UNTIL,
    Core,
)
from recrawl.engine.select import best_hot, follow, highest_bound, pick_overdue
from recrawl.engine.sleep import leave_hot, overdue, value_now
from recrawl.engine.wide import wide

_SAFE = 1.0 + 1e-12


@bare
def place_pool(core: Core, pool: int, now: float) -> None:
    """Put a pool where it belongs: full or empty nowhere, blocked by the end of its gap, ready to be looked at."""
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


@bare
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
            if numbers[UNTIL] >= now:
                return
            numbers[HORIZON] *= 2.0
            pool_heaps.raise_bound(core, pool, math.inf)


@bare
def _look_ahead(core: Core, pool: int, now: float) -> None:
    """Bound the pool's values for a while ahead, and put it back among the ready ones."""
    numbers = core.pool_numbers[pool]
    if numbers[HORIZON] <= 0.0:
        numbers[HORIZON] = 64.0 * core.pool_numbers[0, QUANTUM]
    until = now + numbers[HORIZON]
    bound = highest_bound(core, pool)[0]
    i = wide(core.pool_links[pool, HOT_HEAD])
    while i >= 0:
        bound = max(bound, value_now(core, i, until) * _SAFE)
        if overdue(core, i, until):
            bound = math.inf
        i = wide(core.links[i, NEXT])
    if core.pool_links[pool, OVERDUE_ROOT] >= 0:
        bound = math.inf
    numbers[BOUND] = bound
    numbers[UNTIL] = until if bound < math.inf else math.inf
    pool_heaps.insert(core, wide(0), pool)
    pool_heaps.insert(core, wide(1), pool)


@bare
def _best_of_pool(core: Core, pool: int, now: float) -> tuple[float, float, int]:
    """(value, crawl time, id) of a pool's best page; the value is inf where it is overdue."""
    best, i = best_hot(core, pool, now)
    if i >= 0:
        follow(core, pool, best, 1, now)
    root = wide(core.pool_links[pool, OVERDUE_ROOT])
    if root >= 0:
        return math.inf, core.numbers[root, CRAWLED], root
    return best, 0.0, i


@bare
def _pick_one(core: Core, now: float, leased: bool) -> int:
    """The best page whose host may be crawled now, taken out; -1 when there is none."""
    _ready_now(core, now)
    best, best_time, best_id, best_pool = -1.0, 0.0, -1, -1
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
        pool = wide(core.pool_links[core.rest[POOLS_BY_BOUND], HEAP])
        if pool != best_pool:
            _look_ahead(core, pool, now)
        else:
            core.pool_numbers[pool, READY] = max(core.pool_numbers[pool, READY], now + core.pool_numbers[pool, GAP])
            if leased:
                core.pool_links[pool, IN_FLIGHT] += 1
            _look_ahead(core, pool, now)
    if best_pool >= 0:
        place_pool(core, best_pool, now)
    return best_id


@bare
def pick_over_pools(core: Core, now: float, n: int, leased: bool, out: Ids) -> int:
    """The n best pages whose hosts allow it, best first, taken out; how many there were."""
    done = 0
    while done < n:
        i = _pick_one(core, now, leased)
        if i < 0:
            break
        out[done] = i
        done += 1
    core.rest[DECISIONS] += done
    return done
