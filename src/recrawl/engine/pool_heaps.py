"""Two binary heaps of pools: by bound (highest first), and by the time something changes for them (earliest first)."""

import math

from recrawl._jit import inner
from recrawl.engine.layout import (
    BOUND,
    BY_BOUND,
    HEAP,
    POOLS_BY_BOUND,
    READY,
    UNTIL,
    Core,
)
from recrawl.engine.wide import wide


@inner
def key_of(core: Core, which: int, pool: int) -> float:
    """What heap `which` orders pools by, the least first."""
    if which == 0:
        return -core.pool_numbers[pool, BOUND]
    if core.pool_links[pool, BY_BOUND] < 0:  # not ready: it is the gap that ends
        return core.pool_numbers[pool, READY]
    return core.pool_numbers[pool, UNTIL]


@inner
def _place(core: Core, which: int, k: int, pool: int) -> None:
    core.pool_links[k, HEAP + which] = pool
    core.pool_links[pool, BY_BOUND + which] = k


@inner
def _up(core: Core, which: int, k: int) -> None:
    pool = wide(core.pool_links[k, HEAP + which])
    key = key_of(core, which, pool)
    while k > 0:
        parent = wide(core.pool_links[(k - 1) // 2, HEAP + which])
        if key_of(core, which, parent) <= key:
            break
        _place(core, which, k, parent)
        k = (k - 1) // 2
    _place(core, which, k, pool)


@inner
def _down(core: Core, which: int, k: int) -> None:
    size = core.rest[POOLS_BY_BOUND + which]
    pool = wide(core.pool_links[k, HEAP + which])
    key = key_of(core, which, pool)
    while 2 * k + 1 < size:
        child = 2 * k + 1
        if child + 1 < size and key_of(core, which, wide(core.pool_links[child + 1, HEAP + which])) < key_of(
            core, which, wide(core.pool_links[child, HEAP + which])
        ):
            child += 1
        other = wide(core.pool_links[child, HEAP + which])
        if key_of(core, which, other) >= key:
            break
        _place(core, which, k, other)
        k = child
    _place(core, which, k, pool)


@inner
def fix(core: Core, which: int, pool: int) -> None:
    """Move a pool whose key has changed.  O(log pools)."""
    k = wide(core.pool_links[pool, BY_BOUND + which])
    if k >= 0:
        _up(core, which, k)
        _down(core, which, wide(core.pool_links[pool, BY_BOUND + which]))


@inner
def insert(core: Core, which: int, pool: int) -> None:
    """Put a pool in, or move it if it is in.  O(log pools)."""
    if core.pool_links[pool, BY_BOUND + which] >= 0:
        fix(core, which, pool)
        return
    k = core.rest[POOLS_BY_BOUND + which]
    core.rest[POOLS_BY_BOUND + which] = k + 1
    _place(core, which, k, pool)
    _up(core, which, k)


@inner
def remove(core: Core, which: int, pool: int) -> None:
    """Take a pool out, if it is in.  O(log pools)."""
    k = wide(core.pool_links[pool, BY_BOUND + which])
    if k < 0:
        return
    last = core.rest[POOLS_BY_BOUND + which] - 1
    core.rest[POOLS_BY_BOUND + which] = last
    core.pool_links[pool, BY_BOUND + which] = -1
    if k != last:
        moved = wide(core.pool_links[last, HEAP + which])
        _place(core, which, k, moved)
        fix(core, which, moved)
    core.pool_links[last, HEAP + which] = pool  # callers put pools aside here


@inner
def raise_bound(core: Core, pool: int, bound: float) -> None:
    """Let a ready pool's bound be at least this."""
    if core.pool_links[pool, BY_BOUND] >= 0 and bound > core.pool_numbers[pool, BOUND]:
        core.pool_numbers[pool, BOUND] = bound
        if bound == math.inf:
            core.pool_numbers[pool, UNTIL] = math.inf
            fix(core, wide(1), pool)
        fix(core, wide(0), pool)
