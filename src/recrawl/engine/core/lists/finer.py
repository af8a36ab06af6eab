"""The wheel with ticks half as long, by its slots alone: pages keep their neighbours and are not touched.

More pages want shorter ticks.  Putting a million pages into the wheel anew takes a tenth of a second, in the middle of
a call.  But with ticks of half the length, what was tick t is ticks 2t and 2t + 1, so a whole slot moves at once to 2t,
which begins at the same time; so it is with the turns of the rings above.  Slots in the far half of a ring would now
lie beyond it.  They go to the odd numbers, which are free, RING - 1 before their own: such pages come out early, once.
That costs a look; late would cost exactness.
"""

from recrawl._jit import bare, inlined
from recrawl.engine.core.layout import OCCUPIED, QUANTUM, RING, RINGS, TICK, WHEEL_PREVIOUS, Core, Ids

_MASK = RING - 1
_SHIFT = 16


@inlined
def _move(core: Core, first: int, slot: int) -> None:
    """Have the list that begins with page `first` be that of an empty slot."""
    core.heads[slot] = first
    core.links[first, WHEEL_PREVIOUS] = -2 - slot
    core.rest[OCCUPIED + (slot >> 5)] |= 1 << (slot & 31)


@bare
def halve(core: Core, old: Ids) -> None:
    """Go on with ticks half as long.  `old` has room for the first pages of all slots.  O(slots)."""
    for slot in range(RINGS * RING):
        old[slot] = core.heads[slot]
        core.heads[slot] = -1
    for word in range(RINGS * RING // 32):
        core.rest[OCCUPIED + word] = 0
    before = core.rest[TICK]
    now = 2 * before
    core.rest[TICK] = now
    core.pool_numbers[0, QUANTUM] *= 0.5
    for ring in range(RINGS):
        for ahead in range(RING):
            first = old[ring * RING + ((before + ahead) & _MASK)]
            if first >= 0:
                place = 2 * (before + ahead)
                if place - now >= RING:
                    place -= RING - 1
                _move(core, first, ring * RING + (place & _MASK))
        before, now = before >> _SHIFT, now >> _SHIFT
