"""Where a page goes when it has been looked at: hot, or asleep until it could matter.

Theory of operation
-------------------
1. V only grows while nothing happens to a page.  So a page asleep with goal x_g is worth at most V(x_g) until its
   staleness reaches x_g: by time (the wheel wakes it) or by a signal (which wakes it at once).
2. A pool has TIERS lists of sleeping pages; no page asleep in tier j is worth more than the tier's bound B_j.  There
   are STEPS steps of bounds: the first ends just below the level (about the value of the pages taken), each further
   one leaves a wider gap, up to three quarters of the level.  Pages climb from step to step, so that few are near the
   level, and only those cost looks.
3. A bound may be raised at any time (it stays true), but lowered only when its tier is empty, so that of a
   long tier is raised only when it has fallen far behind.  When the level falls below a bound, the decision wakes that
   tier at once (select.py).  Next to the level tiers are short, so this stays cheap.  A long tier is not left until
   then: when the level has fallen half the way to its bound, it is *closed*; a second tier takes its step, and each
   decision moves a few pages over.  The level falls no faster than pages are taken, so in a slow fall the closed
   tier is empty in time; in a sudden one what is left of it is woken.
4. The goal is found without inverting V: a tangent step from the present value aims at the next tier, and one more
   value says what was reached.  Any goal is right as long as its value, evaluated, is under the bound of the tier.
5. A page whose V(inf) is below the level sleeps without an event: time cannot bring it up.
6. Hot pages in the same state as another one (same host, numbers, crawl and signals; or both past all change of V)
   are its *clones*: they hang in a ring behind the one of lowest id, which alone is looked at.  A million new pages
   with default numbers thus cost no more than one, or one a host.  A page whose place in the ring is far from both
   ends begins a ring of its own, so that none is searched for long.
"""

import math

import numpy as np

from recrawl._jit import inner
from recrawl.engine import linked, pool_heaps, wheel
from recrawl.engine.homes import host_of, pool_of
from recrawl.engine.layout import (
    ALPHA,
    BATCH,
    BOUND,
    BOUNDS,
    BY_BOUND,
    CLONE,
    CLONE_TABLE,
    CLONES,
    CLOSING,
    CRAWLED,
    EVALUATIONS,
    GAMMA,
    GAPS,
    GOAL,
    HEADS,
    HOT,
    JUMPS,
    KAPPA,
    KINDS,
    LEVEL,
    MU,
    OVERDUE,
    OVERDUE_ROOT,
    POOL,
    SHORT_STEPS,
    SIZE,
    STATE,
    STEPS,
    TERMS,
    TICK,
    TIERS,
    TWINS,
    UNKNOWN,
    UNTIL,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    WIDTH,
    Core,
)
from recrawl.engine.page_value import staleness_at, staleness_of_value, value_of, value_with_slope_of
from recrawl.engine.wide import wide
from recrawl.model.scalar import FLAT

HOT_PAGES = 8.0
"""About how many pages are meant to be hot, beside as many as are taken at once."""

RING_STEPS = 32
"""How far from either end of a ring of clones a new one's place is looked for."""

_SAFE = 1.0 + 1e-12  # kernels are monotone to the last digits only


@inner
def value_now(core: Core, i: int, now: float) -> float:
    """The value of page i, counted."""
    core.rest[EVALUATIONS] += 1
    return value_of(core.numbers, core.tables, i, staleness_at(core.numbers, core.tables, i, now), core.rest[TERMS])


@inner
def value_beside(core: Core, i: int, now: float, other: int, value: float) -> float:
    """The value of page i, where that of page `other` (-1: none) at the same time is known: often it is the same."""
    numbers = core.numbers
    if other < 0:
        return value_now(core, i, now)
    for column in (ALPHA, CRAWLED, JUMPS, KAPPA, GAMMA, MU):
        if numbers[i, column] != numbers[other, column]:
            return value_now(core, i, now)
    return value


@inner
def wanted_hot(core: Core, pool: int) -> float:
    """How many pages are meant to be hot; fewer in small pools, of which there may be many."""
    return min(HOT_PAGES, 1.0 + core.pool_links[pool, SIZE] / 32.0) + 0.25 * (core.pool_numbers[pool, BATCH] - 1.0)


@inner
def _ratio(width: float) -> float:
    """How much wider the gap of each step is than that of the one above."""
    return max(math.pow(0.75 / width, 1.0 / (STEPS - 1)), 8.0)


@inner
def set_level(core: Core, pool: int, level: float) -> None:
    """Set the level, and move the tiers' bounds along where they may."""
    numbers = core.pool_numbers[pool]
    numbers[LEVEL] = level
    width = min(max(wanted_hot(core, pool) / max(core.pool_links[pool, SIZE], 1), 1e-12), 0.25)
    numbers[WIDTH] = width
    ratio = _ratio(width)
    for step in range(STEPS):
        if step < SHORT_STEPS:
            _set_bound(core, pool, step, level, width, step < SHORT_STEPS)
        else:
            first = SHORT_STEPS + 2 * (step - SHORT_STEPS)
            _set_bound(core, pool, first, level, width, step < SHORT_STEPS)
            _set_bound(core, pool, first + 1, level, width, step < SHORT_STEPS)
            _take_turns(core, pool, first, first + 1, level * (1.0 - width))
            _take_turns(core, pool, first + 1, first, level * (1.0 - width))
        width = min(width * ratio, 0.75)


@inner
def _set_bound(core: Core, pool: int, tier: int, level: float, gap: float, short: bool) -> None:
    """Have a tier's bound follow the level; close the tier where the level comes close."""
    numbers = core.pool_numbers[pool]
    if core.pool_links[pool, HEADS + tier] < 0 or (short and numbers[BOUNDS + tier] < level * (1.0 - gap)):
        numbers[BOUNDS + tier] = level * (1.0 - gap)
        numbers[GAPS + tier] = gap
    elif numbers[BOUNDS + tier] < level * (1.0 - 4.0 * gap):
        # Not higher than that, and not sooner: a bound raised in a high hour wakes its whole tier in a low one.
        numbers[BOUNDS + tier] = level * (1.0 - 2.0 * gap)
        numbers[GAPS + tier] = 2.0 * gap
    if not short and numbers[BOUNDS + tier] > level * (1.0 - 0.5 * numbers[GAPS + tier]):
        core.pool_links[pool, CLOSING] |= 1 << tier
    else:
        core.pool_links[pool, CLOSING] &= ~(1 << tier)


@inner
def _take_turns(core: Core, pool: int, closed: int, other: int, bound: float) -> None:
    """Have the other tier take the pages of a closed one: they would flood the step above if its bound stayed low."""
    closing = core.pool_links[pool, CLOSING]
    if closing >> closed & 1 and not closing >> other & 1 and core.pool_numbers[pool, BOUNDS + other] < bound:
        core.pool_numbers[pool, BOUNDS + other] = bound
        core.pool_numbers[pool, GAPS + other] = 1.0 - bound / core.pool_numbers[pool, LEVEL]


@inner
def _staleness(core: Core, i: int, now: float) -> float:
    return staleness_at(core.numbers, core.tables, i, now)


@inner
def _same(core: Core, a: int, b: int, now: float) -> bool:
    """Whether two pages have the same value now and for as long as nothing happens to them."""
    numbers = core.numbers
    if core.links[a, POOL] != core.links[b, POOL]:
        return False
    for column in (ALPHA, KAPPA, GAMMA, MU):
        if numbers[a, column] != numbers[b, column]:
            return False
    if len(core.max_age) > 0 and (core.max_age[a] < np.inf or core.max_age[b] < np.inf):
        return False
    if numbers[a, CRAWLED] == numbers[b, CRAWLED] and numbers[a, JUMPS] == numbers[b, JUMPS]:
        return True
    return core.rest[TERMS] == 0 and min(_staleness(core, a, now), _staleness(core, b, now)) >= FLAT


@inner
def _clone_slot(core: Core, i: int) -> int:
    mixed = (
        core.numbers[i, ALPHA] * 0.7548776662466927
        + core.numbers[i, MU] * 0.5698402909980532
        + core.numbers[i, KAPPA] * 0.3
        + core.numbers[i, GAMMA]
    )
    if mixed > 1e9:
        return 0
    mixed *= 1e6
    return int((mixed - math.floor(mixed)) * CLONES)


@inner
def overdue(core: Core, i: int, now: float) -> bool:
    """Whether page i is past its greatest age."""
    return len(core.max_age) > 0 and now - core.numbers[i, CRAWLED] >= core.max_age[i]


@inner
def _tell_pool(core: Core, i: int) -> None:
    """Keep the pool's bound true: page i may become its best, or overdue, before the bound runs out."""
    pool = pool_of(core, i)
    if core.pool_links[pool, BY_BOUND] >= 0 and core.pool_numbers[pool, BOUND] < math.inf:
        until = core.pool_numbers[pool, UNTIL]
        pool_heaps.raise_bound(core, pool, value_now(core, i, until) * _SAFE)
        if overdue(core, i, until):
            pool_heaps.raise_bound(core, pool, math.inf)


@inner
def _twin(core: Core, i: int) -> int:
    """A page that may be in the same state as page i: the last one of its kind, and of its host, to become hot."""
    host = host_of(core, i)
    slot = _clone_slot(core, i)
    return wide(core.pool_links[host, TWINS + slot % KINDS]) if host > 0 else core.rest[CLONE_TABLE + slot]


@inner
def _note_twin(core: Core, i: int) -> None:
    """Let others of page i's kind find it."""
    host = host_of(core, i)
    slot = _clone_slot(core, i)
    if host > 0:
        core.pool_links[host, TWINS + slot % KINDS] = i
    else:
        core.rest[CLONE_TABLE + slot] = i


@inner
def _place_in_ring(core: Core, twin: int, i: int) -> int:
    """The page of twin's ring behind which page i > twin belongs, ids rising; -1 where it is far from both ends."""
    last = wide(core.links[twin, WHEEL_PREVIOUS])
    first = wide(core.links[twin, WHEEL_NEXT])
    before = twin
    for _ in range(RING_STEPS):
        if last < i:  # at the latest when it is the twin
            return last
        if first > i:
            return before
        last = wide(core.links[last, WHEEL_PREVIOUS])
        before = first
        first = wide(core.links[first, WHEEL_NEXT])
    return -1


@inner
def make_hot(core: Core, i: int, value: float, now: float) -> None:
    """Put page i, linked nowhere, among the hot pages of its pool; behind its twin where there is one."""
    core.numbers[i, GOAL] = value
    _tell_pool(core, i)
    links = core.links
    twin = _twin(core, i)
    before = wide(-1)
    if twin >= 0 and twin != i and links[twin, STATE] == HOT and _same(core, i, twin, now):
        before = _place_in_ring(core, twin, i) if twin < i else wide(links[twin, WHEEL_PREVIOUS])
    if before < 0:
        _note_twin(core, i)
        linked.push(core, i, wide(HOT))
        links[i, WHEEL_NEXT] = i
        links[i, WHEEL_PREVIOUS] = i
        return
    if i < twin:  # the lowest id stands for all
        linked.unlink(core, twin)
        links[twin, STATE] = CLONE
        _note_twin(core, i)
        linked.push(core, i, wide(HOT))
    else:
        links[i, STATE] = CLONE
    after = wide(links[before, WHEEL_NEXT])
    links[i, WHEEL_PREVIOUS] = before
    links[i, WHEEL_NEXT] = after
    links[before, WHEEL_NEXT] = i
    links[after, WHEEL_PREVIOUS] = i


@inner
def leave_hot(core: Core, i: int) -> None:
    """Take a hot page or a clone out; where it stood for clones, the next one does now."""
    links = core.links
    before, after = wide(links[i, WHEEL_PREVIOUS]), wide(links[i, WHEEL_NEXT])
    if core.links[i, STATE] == HOT:
        linked.unlink(core, i)
        if after != i:
            core.numbers[after, GOAL] = core.numbers[i, GOAL]
            linked.push(core, after, wide(HOT))
            _note_twin(core, after)
    links[before, WHEEL_NEXT] = after
    links[after, WHEEL_PREVIOUS] = before
    links[i, WHEEL_NEXT] = -1
    links[i, WHEEL_PREVIOUS] = -1


@inner
def _fall_asleep(core: Core, i: int, goal: float, bound: float) -> bool:
    """Put page i in the lowest tier that its bound fits under; false where there is none."""
    pool = pool_of(core, i)
    for j in range(TIERS - 1, -1, -1):
        closed = core.pool_links[pool, CLOSING] >> j & 1
        if bound <= core.pool_numbers[pool, BOUNDS + j] and not closed:
            core.numbers[i, GOAL] = goal
            return _lie_down(core, i, j)
    return False


@inner
def _lie_down(core: Core, i: int, tier: int) -> bool:
    """Put page i in a tier and into the wheel; false where its event falls into the tick that has begun."""
    core.links[i, STATE] = tier
    time = wheel.event_time(core, i)
    if time < math.inf and wheel.tick_of(core, time) <= core.rest[TICK]:
        return False
    linked.push(core, i, tier)
    wheel.insert(core, i)
    pool = pool_of(core, i)
    pool_heaps.raise_bound(core, pool, core.pool_numbers[pool, BOUNDS + tier] if tier < TIERS else math.inf)
    return True


@inner
def _value_at(core: Core, i: int, x: float) -> float:
    core.rest[EVALUATIONS] += 1
    return value_of(core.numbers, core.tables, i, x, core.rest[TERMS])


@inner
def _value_and_slope(core: Core, i: int, x: float) -> tuple[float, float]:
    """V and dV/dx at 0 < x < inf."""
    core.rest[EVALUATIONS] += 1
    value = value_with_slope_of(core.numbers, core.tables, i, x, core.rest[TERMS], core.slope)
    return value, core.slope[0]


@inner
def _goal_by_tangent(
    core: Core, i: int, x: float, value: float, slope: float, level: float, width: float
) -> tuple[float, float]:
    """A goal above x and its value below the hot stretch, by a tangent step; (inf, inf) where none is worth it."""
    ceiling = level * (1.0 - width)
    ratio = _ratio(width)
    gap = 1.0 - value / level
    if value >= ceiling or slope <= 0.0:
        return math.inf, math.inf
    aim = level * (1.0 - max(gap / ratio, width))
    goal = x + (aim - value) / slope
    for _ in range(6):
        if goal <= x * (1.0 + 1e-9):
            break
        reached = _value_at(core, i, goal) * _SAFE
        if reached <= ceiling:
            return goal, reached
        goal = x + (goal - x) * min(max(0.9 * (aim - value) / (reached - value), 0.1), 0.7)
    return math.inf, math.inf


@inner
def _goal_from_hint(core: Core, i: int, hint: float, level: float, width: float) -> tuple[float, float]:
    """A goal for a page just crawled: three quarters of the staleness at which it was worth a crawl."""
    goal = 0.75 * hint
    for _ in range(2):
        reached = _value_at(core, i, goal) * _SAFE
        if reached <= level * (1.0 - width):
            return goal, reached
        goal *= 0.5
    return math.inf, math.inf


@inner
def settle(core: Core, i: int, now: float, hint: float) -> None:
    """Find page i, linked nowhere, its place.  `hint` is the staleness at which it was last taken, or NaN.

    O(1): a handful of values.
    """
    pool = pool_of(core, i)
    if overdue(core, i, now):
        core.links[i, STATE] = OVERDUE
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
    if most * _SAFE <= level * (1.0 - width) and _fall_asleep(core, i, math.inf, most * _SAFE):
        return
    if x < math.inf and most > 0.0:
        goal, reached = math.inf, math.inf
        if x == 0.0 and 0.0 < hint < FLAT:
            goal, reached = _goal_from_hint(core, i, hint, level, width)
        elif x > 0.0:
            value, slope = _value_and_slope(core, i, x)
            if value > 0.2 * level:
                goal, reached = _goal_by_tangent(core, i, x, value, slope, level, width)
            if value >= level * (1.0 - width):
                make_hot(core, i, value, now)
                return
        if goal == math.inf:
            aim = min(0.5 * level, 0.9 * most)
            goal = staleness_of_value(core.numbers, core.tables, i, aim, core.rest[TERMS])
            core.rest[EVALUATIONS] += 5
            if goal <= x * (1.0 + 1e-9):
                goal = math.inf
            reached = _value_at(core, i, goal) * _SAFE
        if goal < math.inf and _fall_asleep(core, i, goal, reached):
            return
    make_hot(core, i, value_now(core, i, now), now)


@inner
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
