"""Every invariant of the engine, asserted: for tests after each step, and for operators."""

import math

import numpy as np

from recrawl._jit import jit, wide
from recrawl.engine.core.layout import (
    ALPHA,
    ASLEEP,
    BUCKETS,
    BY_RANK,
    CHILD,
    CLONE,
    CLONES,
    CRAWLED,
    DEAD,
    FREE,
    FRESH,
    FRESH_ROOT,
    GAMMA,
    GOAL,
    HEAP,
    IN_FLIGHT,
    JUMPS,
    KAPPA,
    LEASED,
    MU,
    NEXT,
    NOW,
    OCCUPIED,
    ORIGIN,
    OVERDUE,
    OVERDUE_ROOT,
    PAGES,
    PLACE,
    POOLS_BY_RANK,
    PREVIOUS,
    QUANTUM,
    RANKED,
    RING,
    RINGS,
    ROOT,
    SEEN_COUNT,
    SINCE,
    SIZE,
    SLOTS,
    SPILL_ROOT,
    TERMS,
    TICK,
    TOP,
    WAITING,
    WAITING_ROOT,
    WHEEL_NEXT,
    Core,
)
from recrawl.engine.core.lists.pool_heaps import before
from recrawl.engine.core.places import host_of, pool_of, state_of, states
from recrawl.engine.core.promise import edge_of
from recrawl.engine.core.value import staleness_at, value_of

_SLACK = 1.0 + 1e-11
_END = 1e300
"""A time by which everything has happened that will."""


@jit
def _walk_slots(core: Core, first: int, last: int, column: int, seen: np.ndarray) -> bool:
    """Note the slot + 1 of every page in the slots [first, last); false where a link or an occupied bit is wrong."""
    for slot in range(first, last):
        i = core.heads[slot]
        if (i >= 0) != (core.rest[OCCUPIED + (slot >> 5)] >> (slot & 31) & 1 == 1):
            return False
        previous = -2 - slot
        while i >= 0:
            if core.links[i, column + 1] != previous or seen[i] != 0:
                return False
            seen[i] = slot + 1
            previous = i
            i = core.links[i, column]
    return True


@jit
def _in_order(core: Core, parent: int, i: int, column: int, sign: float) -> bool:
    """Whether a parent in a heap may come before page i; column -1: by id."""
    if column < 0:
        return parent < i
    p, q = sign * core.numbers[parent, column], sign * core.numbers[i, column]
    return p < q or (p == q and parent < i)


@jit
def _walk_heap(core: Core, root: int, column: int, sign: float, seen: np.ndarray, mark: int) -> bool:
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
        previous = i
        while child >= 0:
            if core.links[child, PREVIOUS] != previous or not _in_order(core, i, child, column, sign):
                return False
            stack[depth] = child
            depth += 1
            previous = child
            child = core.links[child, NEXT]
    return True


@jit
def _walk_clones(core: Core, seen: np.ndarray) -> int:
    """Mark the clones behind each page; the first page with a broken heap of them, or one in another state, or -1."""
    for i in range(core.rest[PAGES]):
        state = state_of(core, i)
        root = core.links[i, CLONES]
        if root < 0 or state == DEAD:
            continue
        standing = state in (ASLEEP, RANKED, FRESH, OVERDUE)
        if not standing or core.links[root, PREVIOUS] != -2 - i or not i < root:
            return i
        if not _walk_heap(core, root, -1, 1.0, seen, i + 1):
            return i
    return -1


@jit
def _begins(core: Core, slot: int) -> float:
    """When the slot of the wheel is emptied: no promise of a page in it may end before."""
    current = core.rest[TICK]
    ring, place = slot // RING, slot % RING
    turn = current >> (16 * ring)
    tick = (turn + ((place - turn) & (RING - 1))) << (16 * ring)
    return core.pool_numbers[0, ORIGIN] + core.pool_numbers[0, QUANTUM] * max(tick, current)


@jit
def _broken_promise(core: Core, bucket: np.ndarray, event: np.ndarray) -> int:
    """The first page that is worth more than it was promised to be, now or when it is looked at next; or -1."""
    now, terms = core.pool_numbers[0, NOW], core.rest[TERMS]
    age = max(now - core.pool_numbers[0, SINCE], 0.0)
    for i in range(core.rest[PAGES]):
        state = state_of(core, i)
        if state == ASLEEP:
            bound = edge_of(core, bucket[i] - 1 - BUCKETS)
        elif state == RANKED:
            bound = core.numbers[i, GOAL]
        elif state == FRESH:
            bound = core.numbers[i, GOAL] * age * age
        else:
            continue
        begins = _begins(core, event[i] - 1) if event[i] > 0 else math.inf
        if begins <= now and event[i] > 0:
            continue  # it will be looked at before the next decision
        x = staleness_at(core.numbers, core.tables, i, now)
        if value_of(core.numbers, core.tables, i, x, terms) > bound * _SLACK:
            return i
        if state == FRESH:
            continue
        if event[i] == 0 and len(core.max_age) > 0 and core.max_age[i] < math.inf and bound < math.inf:
            return i
        x = staleness_at(core.numbers, core.tables, i, min(begins, _END))
        if value_of(core.numbers, core.tables, i, x, terms) > bound * _SLACK:
            return i
        goal = core.numbers[i, GOAL]
        if state == ASLEEP and value_of(core.numbers, core.tables, i, goal, terms) > bound * _SLACK:
            return i
    return -1


@jit
def _pools_in_order(core: Core, which: int) -> bool:
    """Whether heap `which` of pools has no child before its parent, and every pool knows its place."""
    for k in range(core.rest[POOLS_BY_RANK + which]):
        pool = core.pool_links[k, HEAP + which]
        parent = core.pool_links[(k - 1) // 2 if k else 0, HEAP + which]
        if core.pool_links[pool, BY_RANK + which] != k or (k and before(core, which, wide(pool), wide(parent))):
            return False
    return True


@jit
def _pools_of(core: Core) -> tuple[np.ndarray, np.ndarray]:
    known = core.rest[PAGES]
    pools, hosts = np.empty(known, dtype=np.int64), np.empty(known, dtype=np.int64)
    for i in range(known):
        pools[i], hosts[i] = pool_of(core, i), host_of(core, i)
    return pools, hosts


def check_core(core: Core) -> None:
    """Assert every invariant."""
    known = int(core.rest[PAGES])
    state = states(core.links[:known, PLACE]).astype(np.int64)
    pools, hosts = _pools_of(core)
    seen, bucket, event = (np.zeros(known, dtype=np.int64) for _ in range(3))
    assert core.rest[SEEN_COUNT] == 0, "a decision has not put away what it saw"
    assert core.rest[SPILL_ROOT] == -1, "a decision has not put away what it saw and had no room for"
    assert _walk_slots(core, BUCKETS, SLOTS, NEXT, bucket), "broken buckets"
    assert not bucket.size or bucket.max() - 1 - BUCKETS <= core.rest[TOP], "a bucket above the highest is occupied"
    assert _walk_slots(core, 0, RINGS * RING, WHEEL_NEXT, event), "broken wheel"
    assert np.array_equal(bucket > 0, state == ASLEEP), "a sleeper is in no bucket, or a page in a bucket not asleep"
    for pool in range(len(core.pool_links)):
        links = core.pool_links[pool]
        assert _walk_heap(core, links[ROOT], GOAL, -1.0, seen, RANKED + 1), f"broken heap of pool {pool}"
        assert _walk_heap(core, links[OVERDUE_ROOT], CRAWLED, 1.0, seen, OVERDUE + 1), f"broken overdue heap of {pool}"
        mine = (pools == pool) & (state != DEAD)
        assert links[SIZE] == mine.sum(), f"pool {pool} has {mine.sum()} pages, not {links[SIZE]}"
        flying = ((hosts == pool) & (state == LEASED)).sum()
        assert pool == 0 or links[IN_FLIGHT] == flying, f"host {pool - 1}: wrong count in flight"
    assert _walk_heap(core, core.rest[WAITING_ROOT], GOAL, 1.0, seen, WAITING + 1), "broken waiting heap"
    assert _walk_heap(core, core.rest[FRESH_ROOT], GOAL, -1.0, seen, FRESH + 1), "broken fresh heap"
    in_heaps = np.isin(state, (RANKED, OVERDUE, WAITING, FRESH))
    assert np.array_equal(seen[in_heaps], state[in_heaps] + 1), "a page is not in the heap its state says"
    assert not seen[~in_heaps].any(), "a page is in a heap its state does not say"
    _check_clones(core, state, pools)
    free = int(core.rest[FREE])
    for _ in range(int((state == DEAD).sum())):
        assert state[free] == DEAD, f"page {free} is among the free ids"
        free = int(core.links[free, NEXT])
    assert free == -1, "there are more free ids than removed pages"
    held = ~np.isin(state, (ASLEEP, RANKED, FRESH))
    assert not event[held].any(), "a page that stands nowhere is in the wheel"
    broken = _broken_promise(core, bucket, event)
    assert broken < 0, f"page {broken} (state {state[broken]}) is worth more than it was promised to be"
    for which in range(2):
        assert _pools_in_order(core, which), f"heap {which} of pools is broken or out of order"


def _check_clones(core: Core, state: np.ndarray, pools: np.ndarray) -> None:
    seen = np.zeros(len(state), dtype=np.int64)
    broken = _walk_clones(core, seen)
    assert broken < 0, f"broken clones behind page {broken}"
    assert np.array_equal(seen > 0, state == CLONE), "a clone is behind no page"
    ids = np.flatnonzero(seen)
    first = seen[ids] - 1
    for column in (ALPHA, KAPPA, GAMMA, MU, CRAWLED, JUMPS):
        same = core.numbers[ids, column] == core.numbers[first, column]
        assert same.all(), f"page {ids[np.argmin(same)]} is not in the state of the page it is behind"
    assert np.array_equal(pools[ids], pools[first]), "a clone is in another pool"
    assert not len(core.max_age) or np.array_equal(core.max_age[ids], core.max_age[first])
