"""Where a page goes when it has been looked at: hot, or asleep until it could matter.

Theory of operation
-------------------
1. V only grows while nothing happens to a page.  So a page asleep with goal x_g is worth at most V(x_g) until its
   staleness reaches x_g: by time (the wheel wakes it) or by a signal (which wakes it at once).
2. It sleeps in the lowest tier (tiers.py) whose bound V(x_g) fits under; where none does, it is hot (hot.py).
3. The goal is found without inverting V: a tangent step from the present value aims at the next tier, and one more
   value says what was reached.  Any goal is right as long as its value, evaluated, is under the bound of the tier.
4. A page whose V(inf) is below the level sleeps without an event: time cannot bring it up.
"""

import math
from typing import Any

from recrawl._jit import inlined, inner, opaque, pointer_to
from recrawl.engine import linked, pool_heaps, wheel
from recrawl.engine.homes import pool_of
from recrawl.engine.hot import SAFE, leave_hot, make_hot
from recrawl.engine.layout import (
    BOUNDS,
    CLONE,
    CLOSING,
    CRAWLED,
    EVALUATIONS,
    GOAL,
    HOT,
    LEVEL,
    OVERDUE,
    OVERDUE_ROOT,
    STATE,
    TERMS,
    TICK,
    TIERS,
    UNKNOWN,
    WIDTH,
    Core,
    empty_core,
)
from recrawl.engine.looks import overdue, value_and_slope, value_at, value_now
from recrawl.engine.page_value import staleness_at, staleness_of_value, value_of
from recrawl.engine.tables import no_tables
from recrawl.engine.tiers import left_by_climb
from recrawl.engine.wide import wide
from recrawl.model.scalar import FLAT


@inlined
def _fall_asleep(core: Core, i: int, goal: float, bound: float) -> bool:
    """Put page i in the lowest tier that its bound fits under; false where there is none."""
    pool = pool_of(core, i)
    for j in range(TIERS - 1, -1, -1):
        closed = core.pool_links[pool, CLOSING] >> j & 1
        if bound <= core.pool_numbers[pool, BOUNDS + j] and not closed:
            core.numbers[i, GOAL] = goal
            return _lie_down(core, i, j)
    return False


@inlined
def _lie_down(core: Core, i: int, tier: int) -> bool:
    """Put page i in a tier and into the wheel; false where its event falls into the tick that has begun."""
    core.links[i, STATE] = tier
    time = wheel.event_time(core, i)
    if time < math.inf and wheel.tick_of(core, time) <= core.rest[TICK]:
        return False
    linked.push(core, i, tier)
    wheel.insert_at(core, i, time)
    pool = pool_of(core, i)
    pool_heaps.raise_bound(core, pool, core.pool_numbers[pool, BOUNDS + tier] if tier < TIERS else math.inf)
    return True


@inlined
def _goal_by_tangent(
    core: Core, i: int, x: float, value: float, slope: float, level: float, width: float, left: float
) -> tuple[float, float]:
    """A goal above x and its value below the hot stretch, by a tangent step; (inf, inf) where none is worth it."""
    ceiling = level * (1.0 - width)
    gap = 1.0 - value / level
    if value >= ceiling or slope <= 0.0:
        return math.inf, math.inf
    aim = level * (1.0 - max(gap * left, width))
    goal = x + (aim - value) / slope
    for _ in range(6):
        if goal <= x * (1.0 + 1e-9):
            break
        reached = value_at(core, i, goal) * SAFE
        if reached <= ceiling:
            return goal, reached
        goal = x + (goal - x) * min(max(0.9 * (aim - value) / (reached - value), 0.1), 0.7)
    return math.inf, math.inf


@inlined
def _goal_from_hint(core: Core, i: int, hint: float, level: float, width: float, left: float) -> tuple[float, float]:
    """A goal for a page just crawled: three quarters of the staleness at which it was worth a crawl, or more.

    It leaves twice the share that a climb does: the way is long, and the level may move meanwhile.
    """
    goal = (1.0 - max(2.0 * left, width)) * hint
    for _ in range(3):
        reached = value_at(core, i, goal) * SAFE
        if reached <= level * (1.0 - width):
            return goal, reached
        goal *= 0.7  # a signal had lifted it beyond, or the level has fallen
    return math.inf, math.inf


@inner
def _settle(core: Core, i: int, now: float, hint: float) -> None:
    pool = pool_of(core, i)
    if overdue(core, i, now):
        core.links[i, STATE] = OVERDUE
        core.numbers[i, GOAL] = 0.0  # no value: it outranks them all
        links = core.pool_links[pool]
        links[OVERDUE_ROOT] = linked.heap_insert(core, wide(links[OVERDUE_ROOT]), i, wide(CRAWLED))
        pool_heaps.raise_bound(core, pool, math.inf)
        return
    level = core.pool_numbers[pool, LEVEL]
    if level <= 0.0:
        core.numbers[i, GOAL] = math.inf
        if not _lie_down(core, i, wide(UNKNOWN)):
            make_hot(core, i, value_now(core, i, now), now)
        return
    width = core.pool_numbers[pool, WIDTH]
    x = staleness_at(core.numbers, core.tables, i, now)
    most = value_of(core.numbers, core.tables, i, math.inf, core.rest[TERMS])
    if most * SAFE <= level * (1.0 - width) and _fall_asleep(core, i, math.inf, most * SAFE):
        return
    if x < math.inf and most > 0.0:
        left = left_by_climb(core, pool)
        goal, reached = math.inf, math.inf
        if x == 0.0 and 0.0 < hint < FLAT:
            goal, reached = _goal_from_hint(core, i, hint, level, width, left)
        elif x > 0.0:
            value, slope = value_and_slope(core, i, x)
            if value > 0.2 * level:
                goal, reached = _goal_by_tangent(core, i, x, value, slope, level, width, left)
            if value >= level * (1.0 - width):
                make_hot(core, i, value, now)
                return
        if goal == math.inf:
            # From further away yet, without a hint: as cautious again, and where a tier can be.
            aim = min((1.0 - max(4.0 * left, 2.0 * width)) * level, 0.9 * most)
            goal = staleness_of_value(core.numbers, core.tables, i, aim, core.rest[TERMS])
            core.rest[EVALUATIONS] += 5
            if goal <= x * (1.0 + 1e-9):
                goal = math.inf
            reached = value_at(core, i, goal) * SAFE
        if goal < math.inf and _fall_asleep(core, i, goal, reached):
            return
    make_hot(core, i, value_now(core, i, now), now)


def _settle_at(core: Any, i: int, now: float, hint: float) -> float:
    _settle(core[0], i, now, hint)
    return 0.0


_by_address = opaque(_settle_at, "tiff", like=empty_core(1, 1, 0, 0.0, False, no_tables()))


@inner
def settle(core: Core, i: int, now: float, hint: float) -> None:
    """Find page i, linked nowhere, its place.  `hint` is the staleness at which it was last worth a crawl, or NaN.

    O(1): a handful of values.  A dozen kernels end with this one, so it is compiled once and called by its address.
    """
    _by_address(pointer_to(core), i, now, hint)


@inlined
def detach(core: Core, i: int) -> None:
    """Take page i out of whatever holds it; asleep, hot or overdue.  O(1), O(log n) where overdue."""
    state = wide(core.links[i, STATE])
    if state in (HOT, CLONE):
        leave_hot(core, i)
    elif state <= UNKNOWN:
        linked.unlink(core, i)
        wheel.remove(core, i)
    elif state == OVERDUE:
        links = core.pool_links[pool_of(core, i)]
        links[OVERDUE_ROOT] = linked.heap_remove(core, wide(links[OVERDUE_ROOT]), i, wide(CRAWLED))
