"""A timing wheel of three rings: pages by the time their promise ends.

Ring 0 has a slot for each of the next 65,536 ticks, ring 1 for each of the next 65,536 turns of ring 0, ring 2 for
those of ring 1; later events go into its last slot.  When a turn begins, its slot is dealt out over the ring below.  A
slot is emptied as soon as its tick has *begun*, so pages come out up to one tick early, never late: waking early costs
a look, waking late would cost exactness.
"""

import math

import numpy as np

from recrawl._jit import inlined, inner, prefetch_row, wide
from recrawl.engine.core.layout import (
    ASLEEP,
    CRAWLED,
    GOAL,
    NEXT,
    NOW,
    ORIGIN,
    PREVIOUS,
    QUANTUM,
    RANKED,
    RING,
    TICK,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    Core,
)
from recrawl.engine.core.lists import slots
from recrawl.engine.core.places import state_of
from recrawl.engine.core.value import age_of_staleness

_MASK = RING - 1
_SHIFT = 16
NEVER = 1 << 62


@inlined
def time_of_goal(core: Core, i: int, goal: float) -> float:
    """When page i reaches staleness `goal`, or its greatest age; a little early.

    The slack covers the rounding of the time itself (times may be large, as seconds since 1970 are).
    """
    time = np.inf
    if goal < np.inf:  # inf - inf would be NaN
        time = core.numbers[i, CRAWLED] + age_of_staleness(core.numbers, core.tables, i, goal)
    if len(core.max_age) > 0:
        time = min(time, core.numbers[i, CRAWLED] + core.max_age[i])
    return time - (abs(time) * 1e-15 + abs(time - core.numbers[i, CRAWLED]) * 1e-12) if time < np.inf else np.inf


@inlined
def tick_of_goal(core: Core, i: int, goal: float) -> int:
    """The tick in which that is, NEVER where it is not."""
    time = time_of_goal(core, i, goal)
    return tick_of(core, time) if time < np.inf else wide(NEVER)


@inner
def event_time(core: Core, i: int) -> float:
    """When page i must be looked at again, as far as its row tells: of a ranked page it does not, so at once."""
    state = state_of(core, i)
    if state == RANKED:
        return -np.inf
    return time_of_goal(core, i, core.numbers[i, GOAL] if state == ASLEEP else np.inf)


@inner
def tick_of(core: Core, time: float) -> int:
    """The tick in which `time` lies; far times are cut to what whole numbers hold."""
    ticks = (time - core.pool_numbers[0, ORIGIN]) / core.pool_numbers[0, QUANTUM]
    return math.floor(min(max(ticks, -1.0), 4e18))  # cut first: floor is a whole number and may overflow


@inner
def restart(core: Core, quantum: float) -> None:
    """Begin to count ticks of another length from now; the wheel must be empty."""
    core.pool_numbers[0, ORIGIN] = core.pool_numbers[0, NOW]
    core.pool_numbers[0, QUANTUM] = quantum
    core.rest[TICK] = 0


@inner
def slot_of(core: Core, tick: int) -> int:
    """The slot for a tick, the rings counted on."""
    current = core.rest[TICK]
    tick = max(tick, current)
    if tick - current < RING:
        return tick & _MASK
    tick, current = tick >> _SHIFT, current >> _SHIFT
    if tick - current < RING:
        return RING + (tick & _MASK)
    tick, current = tick >> _SHIFT, current >> _SHIFT
    return 2 * RING + (min(tick, current + RING - 1) & _MASK)


@inlined
def insert(core: Core, i: int, time: float) -> None:
    """Have page i come out at `time` or up to a tick earlier (at once if that is past).  O(1)."""
    insert_at(core, i, tick_of(core, time) if time < np.inf else wide(NEVER))


@inlined
def insert_at(core: Core, i: int, tick: int) -> None:
    """The same by tick; `NEVER`: not at all."""
    if tick == NEVER:
        core.links[i, WHEEL_NEXT] = -1
        core.links[i, WHEEL_PREVIOUS] = -1
    else:
        slots.insert(core, i, slot_of(core, tick), wide(WHEEL_NEXT))


@inlined
def remove(core: Core, i: int) -> None:
    """Take page i out, if it is in.  O(1)."""
    slots.remove(core, i, wide(WHEEL_NEXT))


@inlined
def move(core: Core, i: int) -> None:
    """Put page i where its event now belongs; nothing happens while that is the first place of the same slot."""
    time = event_time(core, i)
    if time < np.inf and core.links[i, WHEEL_PREVIOUS] == -2 - slot_of(core, tick_of(core, time)):
        return
    remove(core, i)
    insert(core, i, time)


@inner
def _next_in_ring(core: Core, ring: int, current: int) -> int:
    """The first turn after `current` whose slot in the ring is occupied, or NEVER."""
    first = ring * RING
    slot = slots.first_occupied(core, first + (current & _MASK) + 1, first + _MASK)
    if slot < 0:
        slot = slots.first_occupied(core, first, first + (current & _MASK))
    return current + ((slot - current - 1) & _MASK) + 1 if slot >= 0 else NEVER


@inner
def _next_turn(core: Core) -> int:
    """The next turn of ring 0 that has anything in it: the very next one unless ring 0 is empty."""
    turn = core.rest[TICK] >> _SHIFT
    if slots.first_occupied(core, wide(0), wide(_MASK)) >= 0:
        return turn + 1
    era = _next_in_ring(core, wide(2), turn >> _SHIFT)
    return min(_next_in_ring(core, wide(1), turn), era << _SHIFT if era < NEVER >> _SHIFT else NEVER)


@inner
def _deal(core: Core, slot: int) -> None:
    """Put the pages of a slot, whose turn has begun, where they belong now."""
    i = wide(core.heads[slot])
    while i >= 0:
        after = wide(core.links[i, WHEEL_NEXT])
        if after >= 0:
            _prefetch(core, after)
        remove(core, i)
        insert(core, i, event_time(core, i))
        i = after


@inner
def _begin_turn(core: Core, turn: int) -> None:
    """Go to the first tick of a turn and deal out what lies in its slot of ring 1, and of ring 2 where that turns."""
    core.rest[TICK] = turn << _SHIFT
    if turn & _MASK == 0:
        _deal(core, 2 * RING + (turn >> _SHIFT & _MASK))
    _deal(core, RING + (turn & _MASK))


@inner
def _prefetch(core: Core, i: int) -> None:
    """Ask for the rows of page i, if there is one."""
    if i >= 0:
        prefetch_row(core.numbers, i)
        prefetch_row(core.links, i)


@inner
def _after(core: Core, i: int, slot: int) -> tuple[int, int]:
    """The page behind page i in its slot of ring 0, or the first one of the next slot; and that slot."""
    following = wide(core.links[i, WHEEL_NEXT]) if i >= 0 else wide(-1)
    if following < 0:
        slot = slots.first_occupied(core, slot + 1, min(slot + 512, _MASK))
        following = wide(core.heads[slot]) if slot >= 0 else wide(-1)
    return following, slot


@inner
def _ask_for_next(core: Core, i: int, slot: int) -> None:
    """Ask for the rows of the page that comes out after the next one, and for the neighbours of the next."""
    soon, slot = _after(core, i, slot)
    if soon < 0:
        return
    prefetch_row(core.links, max(wide(core.links[soon, NEXT]), 0))
    prefetch_row(core.links, max(wide(core.links[soon, PREVIOUS]), 0))
    later, _ = _after(core, soon, slot)
    _prefetch(core, later)


@inner
def many_due(core: Core, most: int) -> bool:
    """Whether more than `most` pages are in the slot of the present tick."""
    i = wide(core.heads[core.rest[TICK] & _MASK])
    for _ in range(most):
        if i < 0:
            return False
        i = wide(core.links[i, WHEEL_NEXT])
    return i >= 0


@inlined
def pop_due(core: Core, target: int) -> int:
    """A page whose slot has begun by tick `target`, taken out of the wheel; -1 when there is none left.

    O(1) amortised over pages and ticks; empty ticks are skipped 32 at a time, empty turns all at once.
    """
    while True:
        current = core.rest[TICK]
        i = wide(core.heads[current & _MASK])
        if i >= 0:
            _ask_for_next(core, i, current & _MASK)
            remove(core, i)
            return i
        if current >= target:
            return -1
        last = min(target, current | _MASK)
        slot = slots.first_occupied(core, (current & _MASK) + 1, last & _MASK)
        if slot >= 0:
            core.rest[TICK] = (current & ~_MASK) + slot
        elif last == target:
            core.rest[TICK] = target
        else:
            turn = _next_turn(core)
            if turn > target >> _SHIFT:
                core.rest[TICK] = target
            else:
                _begin_turn(core, turn)
