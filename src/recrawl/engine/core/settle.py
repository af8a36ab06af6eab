"""Where a page goes: asleep in a bucket, ranked by its bound, or somewhere apart; and out of there again.

Theory of operation
-------------------
1. A page stands under a promise (promise.py): worth at most a bound until its event, which lies in the wheel.
2. Bounds well below the level need no order.  Pages under them lie in buckets, lists of bounds that are equal to one
   part in 256, and are promised the upper edge of their bucket.  A signal costs such a page nothing but a comparison
   with its goal.  The others are *ranked*: in their pool's heap, the highest bound first, ties by id.
3. Before the first decision there is no level.  New pages are *fresh*, in a heap by mu alpha/2: since psi <= x/alpha, a
   page of staleness x = alpha age is worth at most mu alpha age^2/2.  So they need no event, however fast values grow
   at the start; one is looked at when this could make it the best, and without signals it goes back with what it is
   worth in place of mu alpha/2, for V/x^2 falls.
4. Pages in the same state share one place (clones.py).
"""

import math
from typing import Any

from recrawl._jit import inlined, inner, opaque, pointer_to, wide
from recrawl.engine.core.layout import (
    ALPHA,
    ASLEEP,
    BUCKETS,
    CALLED,
    CLONE,
    CRAWLED,
    FRESH,
    FRESH_ROOT,
    GAMMA,
    GOAL,
    JUMPS,
    KAPPA,
    LEVEL,
    MU,
    NEXT,
    NOW,
    OVERDUE,
    OVERDUE_ROOT,
    RANKED,
    ROOT,
    SINCE,
    TERMS,
    TICK,
    TOP,
    UNBOUNDED,
    WAITING,
    WAITING_ROOT,
    WHEEL_NEXT,
    Core,
    empty_core,
)
from recrawl.engine.core.lists import clones, heaps, pool_heaps, seen, slots, wheel
from recrawl.engine.core.places import pool_of, set_state, state_of
from recrawl.engine.core.promise import (
    SAFE,
    bound_below,
    bound_over,
    bucket_of,
    edge_of,
    goal_under,
    is_low,
    level_ahead,
    limit_of,
    promised,
)
from recrawl.engine.core.tables import no_tables
from recrawl.engine.core.value import look, overdue, staleness_at, steady, value_at
from recrawl.model.scalar import FLAT

KNOWN_WAY = 0.9
"""How much of the way to the staleness at which it was last worth a crawl a page just crawled sleeps at once."""
CANDIDATE = -1.0
GATHERED = 1024
"""One page in this many tidies the heap it is put into, so that no decision finds a million that were never ordered."""
SAFE_SHARE = 0.97
"""A page just crawled may be promised to stay below this share of the level."""


# -- heaps of pages ---------------------------------------------------------------------------------------------------


@inlined
def _with(core: Core, root: int, i: int, order: int, comes: bool) -> int:
    """The root of a heap after page i has come or gone."""
    return heaps.insert(core, root, i, order) if comes else heaps.remove(core, root, i, order)


@inner
def _move(core: Core, i: int, state: int, comes: bool) -> None:
    """Put page i into the heap of a state, or take it out of there."""
    links, rest, pool = core.pool_links, core.rest, pool_of(core, i)
    if state == RANKED:
        links[pool, ROOT] = _with(core, wide(links[pool, ROOT]), i, wide(heaps.HIGHEST), comes)
    elif state == OVERDUE:
        links[pool, OVERDUE_ROOT] = _with(core, wide(links[pool, OVERDUE_ROOT]), i, wide(heaps.OLDEST), comes)
    elif state == FRESH:
        rest[FRESH_ROOT] = _with(core, rest[FRESH_ROOT], i, wide(heaps.HIGHEST), comes)
    elif state == WAITING:
        rest[WAITING_ROOT] = _with(core, rest[WAITING_ROOT], i, wide(heaps.EARLIEST), comes)
    if pool > 0:
        pool_heaps.fix(core, wide(pool_heaps.RANK), pool)


@inner
def enter(core: Core, i: int, state: int) -> None:
    """Put page i, linked nowhere, into the heap of a state.  O(1), O(log pools) in the pool of a host."""
    set_state(core, i, state)
    _move(core, i, state, True)


@inner
def exit_heap(core: Core, i: int) -> None:
    """Take page i out of the heap its state says it is in.  O(log n) amortised."""
    _move(core, i, state_of(core, i), False)


# -- out --------------------------------------------------------------------------------------------------------------


@inner
def lift(core: Core, i: int) -> None:
    """Take page i, with its clones, out of its place and out of the wheel."""
    if state_of(core, i) == ASLEEP:
        slots.remove(core, i, wide(NEXT))
    else:
        exit_heap(core, i)
    wheel.remove(core, i)


@inner
def replace(core: Core, old: int, new: int) -> None:
    """Have page `new`, linked nowhere, take the place of page `old`, under the same promise."""
    state = state_of(core, old)
    core.numbers[new, GOAL] = core.numbers[old, GOAL]
    if state == ASLEEP:
        set_state(core, new, state)
        slots.hand_over(core, old, new, wide(NEXT))
    else:
        exit_heap(core, old)
        enter(core, new, state)
    slots.hand_over(core, old, new, wide(WHEEL_NEXT))


@inner
def detach(core: Core, i: int) -> None:
    """Take page i alone out of whatever holds it; the next of its clones takes its place.  O(log n) amortised."""
    if state_of(core, i) == CLONE:
        clones.leave(core, i)
        return
    following = clones.next_clone(core, i)
    if following >= 0:
        replace(core, i, following)
    else:
        lift(core, i)


# -- in ---------------------------------------------------------------------------------------------------------------


@inlined
def _lie_down(core: Core, i: int, bucket: int, goal: float) -> bool:
    """Put page i to sleep in a bucket until it reaches its goal; false where that is in the tick that has begun."""
    tick = wheel.tick_of_goal(core, i, goal)
    if tick <= core.rest[TICK]:
        return False
    core.numbers[i, GOAL] = goal
    set_state(core, i, wide(ASLEEP))
    slots.insert(core, i, BUCKETS + bucket, wide(NEXT))
    core.rest[TOP] = max(core.rest[TOP], bucket)
    wheel.insert_at(core, i, tick)
    return True


@inlined
def _rank(core: Core, i: int, bound: float, goal: float) -> None:
    """Put page i among the ranked ones; without a bound where its event falls into the tick that has begun."""
    tick = wheel.tick_of_goal(core, i, goal)
    if tick <= core.rest[TICK]:
        bound, tick = math.inf, wide(wheel.NEVER)
    core.numbers[i, GOAL] = bound
    enter(core, i, wide(RANKED))
    if i % GATHERED == 0:
        heaps.gather_below(core, wide(core.pool_links[pool_of(core, i), ROOT]), wide(heaps.HIGHEST))
    wheel.insert_at(core, i, tick)


@inner
def promise(core: Core, i: int, x: float, value: float, slope: float, bound: float) -> None:
    """Put page i, linked nowhere and worth `value` at x, under the promise of that bound."""
    pool = pool_of(core, i)
    level = core.pool_numbers[pool, LEVEL]
    bound = promised(core, i, x, value, bound)
    if pool == 0 and level > 0.0:
        bucket = bucket_of(core, bound)
        if is_low(core, bucket):
            goal = goal_under(core, i, x, value, slope, edge_of(core, bucket))
            if _lie_down(core, i, bucket, goal):
                return
    still = bound == value and steady(core.numbers, core.tables, i, x, core.rest[TERMS])
    _rank(core, i, bound, math.inf if still else goal_under(core, i, x, value, slope, bound))


@inlined
def _sleep_on(core: Core, i: int, hint: float) -> bool:
    """Have a page just crawled sleep most of the way to the staleness at which it was worth a crawl; false if not."""
    level = core.pool_numbers[0, LEVEL]
    if pool_of(core, i) > 0 or not 0.0 < hint < FLAT or level <= 0.0:
        return False
    goal = KNOWN_WAY * hint
    reached = value_at(core, i, goal) * (1.0 + SAFE)
    bucket = bucket_of(core, reached)
    if reached > SAFE_SHARE * level_ahead(core) or not is_low(core, bucket):
        return False
    return _lie_down(core, i, bucket, goal)


@inner
def call(core: Core, i: int) -> bool:
    """Have the next decision look at page i, linked nowhere; false where its greatest age may come before that.

    So a page that hears several signals before a decision costs one look, and one that hears one none before it.
    """
    core.rest[CALLED] += 1
    return _lie_down(core, i, wide(UNBOUNDED), math.inf)


@inlined
def _begin(core: Core, i: int) -> None:
    """Put a page where pages are before the first decision: fresh, or where nothing at all is known of it."""
    numbers = core.numbers[i]
    weight = 0.5 * numbers[MU] * numbers[ALPHA]
    by_table = core.tables.shape[0] > 0
    if core.rest[FRESH_ROOT] < 0:
        core.pool_numbers[0, SINCE] = numbers[CRAWLED]
    x = staleness_at(core.numbers, core.tables, i, core.pool_numbers[0, NOW])
    if steady(core.numbers, core.tables, i, x, core.rest[TERMS]):
        value = look(core, i, core.pool_numbers[0, NOW])[1]
        promise(core, i, x, value, 0.0, value)
        return
    if (
        by_table
        or numbers[JUMPS] > 0.0
        or not 0.0 < weight < math.inf
        or numbers[CRAWLED] < core.pool_numbers[0, SINCE]
    ):
        if not call(core, i):
            _rank(core, i, math.inf, math.inf)
        return
    _be_fresh(core, i, weight)


@inner
def _be_fresh(core: Core, i: int, weight: float) -> None:
    """Put page i among the fresh ones, worth at most `weight` times the square of their age."""
    tick = wheel.tick_of_goal(core, i, math.inf)
    if tick <= core.rest[TICK]:
        _rank(core, i, math.inf, math.inf)
        return
    core.numbers[i, GOAL] = weight
    enter(core, i, wide(FRESH))
    if i % GATHERED == 0:
        heaps.gather_below(core, core.rest[FRESH_ROOT], wide(heaps.HIGHEST))
    wheel.insert_at(core, i, tick)


@inner
def _stays_fresh(core: Core, i: int, x: float) -> bool:
    """Whether page i, there since the start, is worth no more of the square of its age later than it is now.

    So it is without signals, for then V/x^2 falls.  Where V no longer is near x^2, bounds that do not grow are better.
    """
    numbers = core.numbers[i]
    silent = numbers[GAMMA] == 0.0 or numbers[KAPPA] == 0.0
    return silent and numbers[MU] > 0.0 and 0.0 < x < 0.5 and numbers[JUMPS] == 0.0 and core.tables.shape[0] == 0


@inner
def found_clone(core: Core, i: int) -> bool:
    """Hang page i behind a page in the same state, or that one behind page i; false where none is known."""
    other = clones.find(core, i)
    if other < 0:
        return False
    if other < i:
        clones.join(core, other, i)
    else:
        replace(core, other, i)
        clones.join(core, i, other)
    return True


@inner
def forget(core: Core, i: int, now: float, best: float) -> None:
    """Give page i, just taken out of those seen, a new promise: below `best` where it is worth less than that."""
    value, slope = core.numbers[i, GOAL], core.slope[0]
    if found_clone(core, i):
        return
    if math.isnan(slope):
        _, value, slope = look(core, i, now)
    x = staleness_at(core.numbers, core.tables, i, now)
    pool = pool_of(core, i)
    if x == 0.0 and pool == 0 and core.pool_numbers[0, LEVEL] <= 0.0:
        _begin(core, i)
        return
    age = now - core.pool_numbers[0, SINCE]
    if pool == 0 and core.numbers[i, CRAWLED] == core.pool_numbers[0, SINCE] and age > 0.0 and _stays_fresh(core, i, x):
        _be_fresh(core, i, value * (1.0 + SAFE) / (age * age))
        return
    bound = bound_below(core, i, value, best) if value <= best else bound_over(core, i, value)
    promise(core, i, x, value, slope, bound)


@inlined
def _sleep_below(core: Core, i: int) -> bool:
    """Have page i sleep, unseen and without an event, where it can never be worth the level; false if it can."""
    bucket = bucket_of(core, limit_of(core, i) * (1.0 + SAFE))
    low = is_low(core, bucket) and edge_of(core, bucket) <= level_ahead(core)
    return low and _lie_down(core, i, bucket, math.inf)


@inner
def _stand(core: Core, i: int, now: float, hint: float) -> None:
    pool = pool_of(core, i)
    level = core.pool_numbers[pool, LEVEL]
    if overdue(core, i, now):
        core.numbers[i, GOAL] = 0.0  # no value: it outranks them all
        enter(core, i, wide(OVERDUE))
    elif pool == 0 and level <= 0.0:
        _begin(core, i)
    elif pool > 0 or not _sleep_below(core, i):
        x, value, slope = look(core, i, now)
        if hint == CANDIDATE and pool == 0 and value >= level:
            seen.put(core, i, value, slope)
        elif x > 0.0 or not _sleep_on(core, i, hint):
            promise(core, i, x, value, slope, bound_over(core, i, value))


def _stand_by_pointer(core: Any, i: int, now: float, hint: float) -> float:
    _stand(core[0], i, now, hint)
    return 0.0


stand_at = opaque(_stand_by_pointer, "tiff", like=empty_core(1, 1, 0, 0.0, False, no_tables()))


@inner
def stand(core: Core, i: int, now: float, hint: float) -> None:
    """`settle` where nobody asks for pages in the same state.

    A dozen kernels end with this one, so it is compiled once and called by its address.  Loops over many pages make the
    pointer once, and call `stand_at`.
    """
    stand_at(pointer_to(core), i, now, hint)


@inner
def settle(core: Core, i: int, now: float, hint: float) -> None:
    """Find page i, linked nowhere, its place.  `hint` is the staleness at which it was last worth a crawl, or NaN.

    CANDIDATE in its place is for a decision that is under way: a page worth the level is then seen at once.
    O(1): one value, or none.
    """
    if not found_clone(core, i):
        stand(core, i, now, hint)
