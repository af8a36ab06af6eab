"""Two binary heaps of pools: ready ones by rank (what they offer), blocked ones by the time they become ready."""

import math

from recrawl._jit import inner, wide
from recrawl.engine.core.layout import BY_RANK, CRAWLED, GOAL, HEAP, OVERDUE_ROOT, POOLS_BY_RANK, READY, ROOT, Core

RANK, TIME = range(2)


@inner
def offer_of(core: Core, pool: int) -> tuple[float, float, int]:
    """What a pool has to offer at most: (bound, crawl time, id), or one that nothing is behind where it is empty.

    The bound is infinite where the page is overdue, or must be looked at first; the one without a bound comes first.
    """
    root, overdue = wide(core.pool_links[pool, ROOT]), wide(core.pool_links[pool, OVERDUE_ROOT])
    if root >= 0 and core.numbers[root, GOAL] == math.inf:
        return math.inf, -math.inf, root
    if overdue >= 0:
        return math.inf, core.numbers[overdue, CRAWLED], overdue
    if root >= 0:
        return core.numbers[root, GOAL], 0.0, root
    return -1.0, 0.0, wide(-1)


@inner
def before(core: Core, which: int, a: int, b: int) -> bool:
    """Whether pool a comes before pool b in heap `which`."""
    if which == TIME:
        return core.pool_numbers[a, READY] < core.pool_numbers[b, READY]
    bound, time, i = offer_of(core, a)
    other_bound, other_time, j = offer_of(core, b)
    if bound != other_bound:
        return bound > other_bound
    if time != other_time:
        return time < other_time
    return i < j


@inner
def _place(core: Core, which: int, k: int, pool: int) -> None:
    core.pool_links[k, HEAP + which] = pool
    core.pool_links[pool, BY_RANK + which] = k


@inner
def _up(core: Core, which: int, k: int) -> None:
    pool = wide(core.pool_links[k, HEAP + which])
    while k > 0:
        parent = wide(core.pool_links[(k - 1) // 2, HEAP + which])
        if not before(core, which, pool, parent):
            break
        _place(core, which, k, parent)
        k = (k - 1) // 2
    _place(core, which, k, pool)


@inner
def _down(core: Core, which: int, k: int) -> None:
    size = core.rest[POOLS_BY_RANK + which]
    pool = wide(core.pool_links[k, HEAP + which])
    while 2 * k + 1 < size:
        child = 2 * k + 1
        other = wide(core.pool_links[child, HEAP + which])
        if child + 1 < size:
            right = wide(core.pool_links[child + 1, HEAP + which])
            if before(core, which, right, other):
                child, other = child + 1, right
        if not before(core, which, other, pool):
            break
        _place(core, which, k, other)
        k = child
    _place(core, which, k, pool)


@inner
def fix(core: Core, which: int, pool: int) -> None:
    """Move a pool whose key has changed, if it is in.  O(log pools)."""
    k = wide(core.pool_links[pool, BY_RANK + which])
    if k >= 0:
        _up(core, which, k)
        _down(core, which, wide(core.pool_links[pool, BY_RANK + which]))


@inner
def insert(core: Core, which: int, pool: int) -> None:
    """Put a pool in, or move it if it is in.  O(log pools)."""
    if core.pool_links[pool, BY_RANK + which] >= 0:
        fix(core, which, pool)
        return
    k = core.rest[POOLS_BY_RANK + which]
    core.rest[POOLS_BY_RANK + which] = k + 1
    _place(core, which, k, pool)
    _up(core, which, k)


@inner
def remove(core: Core, which: int, pool: int) -> None:
    """Take a pool out, if it is in.  O(log pools)."""
    k = wide(core.pool_links[pool, BY_RANK + which])
    if k < 0:
        return
    last = core.rest[POOLS_BY_RANK + which] - 1
    core.rest[POOLS_BY_RANK + which] = last
    core.pool_links[pool, BY_RANK + which] = -1
    if k != last:
        moved = wide(core.pool_links[last, HEAP + which])
        _place(core, which, k, moved)
        fix(core, which, moved)
