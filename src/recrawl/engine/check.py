"""Every invariant of the engine, asserted: for tests after each step, and for operators."""

import math

import numpy as np

from recrawl._jit import jit
from recrawl.engine import wheel
from recrawl.engine.homes import pool_of
from recrawl.engine.layout import (
    BOUND,
    BOUNDS,
    BY_BOUND,
    CHILD,
    CLONE,
    CRAWLED,
    DEAD,
    FREE,
    GOAL,
    HEADS,
    HEAP,
    HOT,
    HOT_COUNT,
    HOT_HEAD,
    IN_FLIGHT,
    LEASED,
    LOOK,
    LOOKED,
    MOMENT,
    NEXT,
    NOW,
    OCCUPIED,
    OVERDUE,
    OVERDUE_ROOT,
    PAGES,
    POOL,
    POOLS_BY_BOUND,
    PREVIOUS,
    READY,
    RINGS,
    SIZE,
    SLOTS,
    STATE,
    TERMS,
    TICK,
    TIERS,
    UNKNOWN,
    UNTIL,
    WAITING,
    WAITING_ROOT,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    WORDS,
    Core,
)
from recrawl.engine.page_value import staleness_at, value_of, values_at
from recrawl.engine.pool_heaps import key_of

_SLACK = 1.0 + 1e-11


@jit
def _walk(core: Core, first: int, seen: np.ndarray, mark: int) -> int:
    """Mark the pages of a list and check its links; how many, or -1 where a link is broken."""
    count = 0
    before = -1
    i = first
    while i >= 0:
        if core.links[i, PREVIOUS] != before or seen[i] != 0:
            return -1
        seen[i] = mark
        count += 1
        before = i
        i = core.links[i, NEXT]
    return count


@jit
def _walk_heap(core: Core, root: int, column: int, seen: np.ndarray, mark: int) -> bool:
    """Mark the pages of a pairing heap; false where a child comes before its parent or a link is broken."""
    stack = np.empty(len(seen) + 1, dtype=np.int64)
    depth = 0
    if root >= 0:
        stack[0] = root
        depth = 1
    while depth > 0:
        depth -= 1
        i = stack[depth]
        if seen[i] != 0:
            return False
        seen[i] = mark
        child = core.links[i, CHILD]
        before = i
        while child >= 0:
            if core.links[child, PREVIOUS] != before:
                return False
            if core.numbers[child, column] < core.numbers[i, column]:
                return False
            stack[depth] = child
            depth += 1
            before = child
            child = core.links[child, NEXT]
    return True


@jit
def _walk_wheel(core: Core, seen: np.ndarray) -> bool:
    """Mark the pages in the wheel; false where a link or an occupied bit is wrong, or a page is in too late a slot."""
    current = core.rest[TICK]
    for ring in range(2):
        for slot in range(SLOTS):
            i = core.rest[RINGS + (ring) * SLOTS + (slot)]
            bit = (core.rest[OCCUPIED + (ring) * WORDS + (slot >> 5)] >> (slot & 31)) & 1
            if (i >= 0) != (bit == 1):
                return False
            before = -2 - (ring * SLOTS + slot)
            while i >= 0:
                if core.links[i, WHEEL_PREVIOUS] != before or seen[i] != 0:
                    return False
                seen[i] = 1
                tick = wheel.tick_of(core, wheel.event_time(core, i))
                if ring == 0:
                    held = current + ((slot - current) & (SLOTS - 1))
                else:
                    turn = current >> 16
                    held = (turn + ((slot - turn) & (SLOTS - 1))) << 16
                if held > max(tick, current):
                    return False
                before = i
                i = core.links[i, WHEEL_NEXT]
    return True


@jit
def _bounds_hold(core: Core, i: int) -> bool:
    """Whether a sleeper is worth no more than its tier's bound, now and at its goal."""
    pool = pool_of(core, i)
    now = core.pool_numbers[0, NOW]
    bound = core.pool_numbers[pool, BOUNDS + core.links[i, STATE]] * _SLACK
    terms = core.rest[TERMS]
    if value_of(core.numbers, core.tables, i, core.numbers[i, GOAL], terms) > bound:
        return False
    due = wheel.event_time(core, i) <= now and core.links[i, WHEEL_PREVIOUS] != -1
    return (
        due or value_of(core.numbers, core.tables, i, staleness_at(core.numbers, core.tables, i, now), terms) <= bound
    )


@jit
def _in_order(core: Core, which: int) -> bool:
    """Whether heap `which` of pools has no child before its parent, and every pool knows its place."""
    for k in range(core.rest[POOLS_BY_BOUND + which]):
        pool = core.pool_links[k, HEAP + which]
        parent = core.pool_links[(k - 1) // 2 if k else 0, HEAP + which]
        if core.pool_links[pool, BY_BOUND + which] != k or key_of(core, which, parent) > key_of(core, which, pool):
            return False
    return True


@jit
def _event_times(core: Core, ids: np.ndarray) -> np.ndarray:
    times = np.empty(len(ids))
    for k in range(len(ids)):
        times[k] = wheel.event_time(core, ids[k])
    return times


def check_core(core: Core) -> None:
    """Assert every invariant."""
    known = int(core.rest[PAGES])
    state, links = core.links[:known, STATE], core.links[:known]
    seen = np.zeros(known, dtype=np.int64)
    for pool in range(len(core.pool_links)):
        heads = core.pool_links[pool]
        for kind in range(TIERS + 1):
            assert _walk(core, heads[HEADS + kind], seen, kind + 1) >= 0, f"broken list {kind} in pool {pool}"
        assert _walk(core, heads[HOT_HEAD], seen, HOT + 1) == heads[HOT_COUNT], f"broken hot list in pool {pool}"
        assert _walk_heap(core, heads[OVERDUE_ROOT], CRAWLED, seen, OVERDUE + 1), f"broken overdue heap in pool {pool}"
        mine = (np.maximum(links[:, POOL], 0) == pool) & (state != DEAD)
        assert heads[SIZE] == mine.sum(), f"pool {pool} has {mine.sum()} pages, not {heads[SIZE]}"
        hosted = (np.abs(links[:, POOL]) == pool) & (state == LEASED)
        assert heads[IN_FLIGHT] == hosted.sum(), f"host {pool - 1}: wrong count in flight"
    assert _walk_heap(core, core.rest[WAITING_ROOT], GOAL, seen, WAITING + 1), "broken waiting heap"
    for i in map(int, np.flatnonzero(state == CLONE)):
        assert links[links[i, WHEEL_NEXT], WHEEL_PREVIOUS] == i, f"broken ring of clones at {i}"
        assert state[links[i, WHEEL_NEXT]] in (HOT, CLONE)
        seen[i] = CLONE + 1
    free = core.rest[FREE]
    while free >= 0:
        assert state[free] == DEAD
        seen[free] = DEAD + 1
        free = core.links[free, NEXT]
    listed = state != LEASED
    assert np.array_equal(seen[listed], state[listed].astype(np.int64) + 1), "a page is not where its state says"
    in_wheel = np.zeros(known, dtype=np.int64)
    assert _walk_wheel(core, in_wheel), "broken wheel"
    asleep = np.flatnonzero(state <= UNKNOWN)
    for i, due in zip(map(int, asleep), _event_times(core, asleep) < math.inf, strict=True):
        assert bool(in_wheel[i]) == due, f"page {i} {'must' if due else 'must not'} be in the wheel"
        if state[i] < TIERS:
            assert _bounds_hold(core, i), f"page {i} in tier {state[i]} is worth more than its bound"
    hot = np.flatnonzero((state == HOT) & (links[:, LOOK] == core.rest[MOMENT]))
    values = np.empty(len(hot))
    values_at(core.numbers, core.tables, hot, core.pool_numbers[0, LOOKED], int(core.rest[TERMS]), values)
    assert np.array_equal(values, core.numbers[hot, GOAL]), "a hot page is not worth what it was at its last look"
    _check_pools(core, state, links)


def _check_pools(core: Core, state: np.ndarray, links: np.ndarray) -> None:
    now = float(core.pool_numbers[0, NOW])
    for which in range(2):
        assert _in_order(core, which), f"heap {which} of pools is broken or out of order"
    if len(core.pool_links) == 1:
        return
    ids = np.flatnonzero((state == HOT) | (state < TIERS))
    pools = np.maximum(links[ids, POOL], 0)
    ready = (core.pool_numbers[pools, READY] <= now) & (now <= core.pool_numbers[pools, UNTIL])
    ids = ids[ready & (core.pool_links[pools, BY_BOUND] >= 0)]
    values = np.empty(len(ids))
    values_at(core.numbers, core.tables, ids, now, int(core.rest[TERMS]), values)
    held = values <= core.pool_numbers[np.maximum(links[ids, POOL], 0), BOUND] * _SLACK
    held |= (state[ids] < TIERS) & (_event_times(core, ids) <= now)
    assert held.all(), f"page {ids[np.argmin(held)]} is above its pool's bound"
