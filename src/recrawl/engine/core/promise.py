"""Promises: a page is worth at most a bound, until time or signals bring it to a staleness, its goal.

Theory of operation
-------------------
1. V only grows while nothing happens to a page, so V(goal) <= bound makes the promise hold until the goal is reached.
2. Its slope at x is V' = mu e^-x psi(x), and psi never grows faster than 1/alpha (a cycle passes at least as fast as
   time alone would have it).  So for d >= 0, with s = V'(x) and q = mu e^-x/alpha,

       V(x + d) <= V(x) + s (1 - e^-d) + q (1 - e^-d (1 + d)) <= V(x) + s d + q d^2/2

   One look, which gives V and V', is thus enough for any promise: no second value has to be computed.  The goal comes
   from the right-hand side, a quadratic, and once more from there, since what is left has the same form.
3. How high the bound should be depends on what will happen next.  One close to the page's value ends soon; one close to
   the value that pages are taken at fails when that falls.  So a page that time is bringing up to the level is bounded
   an eighth of its way below it, and one that the level came down to, half the way above its own value.  Each look
   leaves a fixed share of the gap, whichever of the two moves, so looks grow with the logarithm of the gap only.
4. Values are monotone to the last digits only.  Bounds leave room for that: a share of what the page still lacks to its
   limit mu/Delta, where rounding comes from, and the last digit.  A value that no longer changes at all (at its limit,
   or where only signals age the page) needs no room: such pages are in order by bound and id, and not looked at again.
"""

import math

import numpy as np

from recrawl._jit import inlined, inner, wide
from recrawl.engine.core.layout import (
    ALPHA,
    DELTA,
    FORESEEN,
    GOAL,
    LAST,
    LEVEL,
    MU,
    ROOT,
    SCALE,
    SIZE,
    TERMS,
    UNBOUNDED,
    Core,
)
from recrawl.engine.core.places import pool_of
from recrawl.engine.core.value import steady, value_at

RISING = 0.125
"""The share of its gap to the level that a page brought up by time still has when it is looked at again."""
FALLING = 0.5
"""How far above its own value, as a share of the gap, a page is promised to stay that the level came down to."""
CLOSEST = 4.0
"""Bounds are no closer to a page's value than it grows while about this many pages are taken."""
AHEAD = 1.0 / 64.0
"""How far a page above all others is promised not to grow: it will be taken soon, unless many are."""
APART = 1.0 / 1024.0
"""How far below the level, as a share of it, buckets are used."""
MUCH = 0.75
"""A level foreseen counts where it is below this part of the present one."""
SAFE = 1e-12
"""Kernels are monotone to the last digits only."""
DIGITS = 2.3e-16
SHORTEST = 1e-5
"""A staleness so short that pages do not come to more of it between two looks."""
NEARLY = 1e-13
"""From this close to the limit, as a share of it, values are monotone to the very last digit."""


@inlined
def bucket_of(core: Core, bound: float) -> int:
    """The bucket of a bound: equal exponents and first eight digits (base 2) of it, as a 32-bit float."""
    return wide(np.float32(bound * core.pool_numbers[0, SCALE]).view(np.int32)) >> 15


@inlined
def edge_of(core: Core, bucket: int) -> float:
    """A value above all bounds of a bucket."""
    if bucket >= UNBOUNDED - 1:
        return math.inf
    return float(np.int32((bucket + 1) << 15).view(np.float32)) / core.pool_numbers[0, SCALE]


@inlined
def is_low(core: Core, bucket: int) -> bool:
    """Whether a bucket is well below the level: its pages are in no order, and all wake when the level falls to it."""
    return edge_of(core, bucket) < core.pool_numbers[0, LEVEL] * (1.0 - APART)


@inlined
def level_ahead(core: Core) -> float:
    """The level below which the bounds of pages worth less should stay: one foreseen, if much lower, or the present."""
    level, foreseen = core.pool_numbers[0, LEVEL], core.pool_numbers[0, FORESEEN]
    return foreseen if 0.0 < foreseen < MUCH * level else level


@inlined
def limit_of(core: Core, i: int) -> float:
    """What page i can be worth at most."""
    delta = core.numbers[i, DELTA]
    return core.numbers[i, MU] / delta if delta > 0.0 else 0.0


@inlined
def _rounding(core: Core, limit: float, value: float) -> float:
    """How far values computed at a higher staleness may be below this one, generously."""
    if core.rest[TERMS] > 0 or core.tables.shape[0] > 0:
        return SAFE * limit
    return SAFE * (limit - value) + DIGITS * value


@inlined
def _step(room: float, slope: float, bend: float) -> float:
    """The d >= 0 with slope d + bend d^2/2 = room."""
    return 2.0 * room / (slope + math.sqrt(slope * slope + 2.0 * bend * room))


@inlined
def _exact(core: Core) -> bool:
    """Whether values are those of the model itself, which never exceed mu/Delta by a single digit."""
    return core.rest[TERMS] == 0 and core.tables.shape[0] == 0


@inner
def goal_under(core: Core, i: int, x: float, value: float, slope: float, bound: float) -> float:
    """A staleness up to which page i, worth `value` at x, is worth no more than `bound`; x where none is known."""
    limit = limit_of(core, i)
    if bound >= (limit if _exact(core) else limit * (1.0 + SAFE)):
        return math.inf
    room = bound - value - _rounding(core, limit, value)
    if core.tables.shape[0] > 0:
        return _goal_by_trial(core, i, x, value, slope, bound) if room > 0.0 else x
    alpha = core.numbers[i, ALPHA]
    if alpha <= 0.0:
        return x
    if not room > 0.0:
        return _end_of_digit(core, i, x, bound) if limit - value < NEARLY * limit and _exact(core) else x
    bend = core.numbers[i, MU] * math.exp(-x) / alpha
    if slope + bend <= room:
        return math.inf
    d = _step(room, slope, bend)
    if not d > 0.0:
        return x
    if d < 1e-3:  # a second step gains nothing, and what the first has used up would be lost in rounding
        return x + d * (1.0 - 1e-9)
    shrink = math.exp(-d)
    room -= slope * (1.0 - shrink) + bend * (1.0 - shrink * (1.0 + d))
    if room > 0.0:
        d += _step(room, (slope + bend * d) * shrink, bend * shrink)
    return x + d * (1.0 - 1e-9)


@inner
def _end_of_digit(core: Core, i: int, x: float, bound: float) -> float:
    """The same so close to the limit that the value keeps its last digit for long: as at both ends, so between them.

    Pages of one limit that are crawled near it would otherwise all be looked at by every decision.
    """
    d = 1.0
    while d > SHORTEST:
        if value_at(core, i, x + d) <= bound:
            return x + 0.999 * d
        d *= 0.25
    return x


@inner
def _goal_by_trial(core: Core, i: int, x: float, value: float, slope: float, bound: float) -> float:
    """The same where only values tell: a tangent step, shortened until its value is under the bound."""
    d = (bound - value) / slope if slope > 0.0 else 1.0
    for _ in range(6):
        if x + d <= x * (1.0 + 1e-9):
            break
        reached = value_at(core, i, x + d) * (1.0 + SAFE)
        if reached <= bound:
            return x + d
        d *= min(max(0.9 * (bound - value) / (reached - value), 0.1), 0.7)
    return x


@inner
def bound_over(core: Core, i: int, value: float) -> float:
    """How high to bound page i, of this value, that time or a signal brought to where it is."""
    pool = pool_of(core, i)
    level, last = core.pool_numbers[pool, LEVEL], core.pool_numbers[pool, LAST]
    if value < level:
        ahead = level_ahead(core) if pool == 0 else level
        return _between(i, value, ahead if value < ahead else level, 1.0 - RISING, -0.25)
    top = wide(core.pool_links[pool, ROOT])
    if top >= 0 and core.numbers[top, GOAL] < math.inf:
        last = max(last, core.numbers[top, GOAL])
    if value < last:
        return _between(i, value, last, FALLING, 0.0)
    return value + max((value - level) * 0.25, value * AHEAD)


@inner
def bound_below(core: Core, i: int, value: float, best: float) -> float:
    """How high to bound page i that the value of pages taken came down to, or nearly: `best` was worth more."""
    if value < best:
        ahead = level_ahead(core) if pool_of(core, i) == 0 else best
        return _between(i, value, min(ahead, best) if value < ahead else best, FALLING, -0.25)
    return value + value * min(CLOSEST / max(core.pool_links[pool_of(core, i), SIZE], 1), 0.25)


@inlined
def _between(i: int, value: float, other: float, share: float, spread: float) -> float:
    """The number that part of the way from `value` up to a higher one, and below that.

    Where the way is long, parts differ from page to page by up to `spread`.  A million pages crawled long ago, or just
    now, would otherwise all have the same bound, and wake all at once when the level falls to it.
    """
    gap = other - value
    if gap > 0.5 * other:
        share += spread * ((i * 0.6180339887498949) % 1.0)
    bound = value + gap * share
    return bound if bound < other else np.nextafter(other, value)


@inlined
def promised(core: Core, i: int, x: float, value: float, bound: float) -> float:
    """The bound itself; or the value where that will never change by itself, the limit where that is lower."""
    if steady(core.numbers, core.tables, i, x, core.rest[TERMS]):
        return value
    return min(bound, limit_of(core, i)) if _exact(core) else bound
