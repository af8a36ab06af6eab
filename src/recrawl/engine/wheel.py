"""A timing wheel of two rings: pages by the time they must be looked at again.

Ring 0 has a slot for each of the next SLOTS ticks, ring 1 for each of the next SLOTS turns of ring 0; later events go
into the last slot of ring 1 and are put back when they come up.  A slot is emptied as soon as its tick has *begun*, so
pages come out up to one tick early, never late: waking early costs a look, waking late would cost exactness.
"""

import math

import numpy as np

from recrawl._jit import inlined, inner, prefetch_row
from recrawl.engine.layout import (
    CRAWLED,
    GOAL,
    NOW,
    OCCUPIED,
    ORIGIN,
    QUANTUM,
    RINGS,
    SLOTS,
    STATE,
    TICK,
    TIERS,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    WORDS,
    Core,
)
from recrawl.engine.page_value import age_of_staleness
from recrawl.engine.wide import wide

_MASK = SLOTS - 1
_SHIFT = 16
_WORD = 5  # 32 slots a word: whole numbers of 64 bits never overflow into the sign


@inlined
def event_time(core: Core, i: int) -> float:
    """When page i, asleep, must be looked at again: it reaches its goal, or its greatest age; a little early.

    The slack covers the rounding of the time itself (times may be large, as seconds since 1970 are).
    """
    time = np.inf
    if core.numbers[i, GOAL] < np.inf and core.links[i, STATE] < TIERS:  # inf - inf would be NaN
        time = core.numbers[i, CRAWLED] + age_of_staleness(core.numbers, core.tables, i, core.numbers[i, GOAL])
    if len(core.max_age) > 0:
        time = min(time, core.numbers[i, CRAWLED] + core.max_age[i])
    return time - (abs(time) * 1e-15 + abs(time - core.numbers[i, CRAWLED]) * 1e-12) if time < np.inf else np.inf


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
def _place(core: Core, time: float) -> int:
    """The slot for `time`, ring 1 counted on after ring 0."""
    current = core.rest[TICK]
    tick = max(tick_of(core, time), current)
    if tick - current < SLOTS:
        return tick & _MASK
    turn = min(tick >> _SHIFT, (current >> _SHIFT) + SLOTS - 1)
    return SLOTS + (turn & _MASK)


@inner
def insert(core: Core, i: int) -> None:
    """Have page i come out at its event time or up to a tick earlier (at once if that is past).  O(1)."""
    insert_at(core, i, event_time(core, i))


@inlined
def insert_at(core: Core, i: int, time: float) -> None:
    """`insert` where the event time is known."""
    links = core.links
    if time == np.inf:
        links[i, WHEEL_NEXT] = -1
        links[i, WHEEL_PREVIOUS] = -1
        return
    place = _place(core, time)
    ring, slot = place >> _SHIFT, place & _MASK
    old = core.rest[RINGS + (ring) * SLOTS + (slot)]
    links[i, WHEEL_NEXT] = old
    links[i, WHEEL_PREVIOUS] = -2 - place  # the first page remembers its slot
    if old >= 0:
        links[old, WHEEL_PREVIOUS] = i
    else:
        core.rest[OCCUPIED + (ring) * WORDS + (slot >> _WORD)] |= 1 << (slot & 31)
    core.rest[RINGS + (ring) * SLOTS + (slot)] = i


@inlined
def remove(core: Core, i: int) -> None:
    """Take page i out, if it is in.  O(1)."""
    links = core.links
    before, after = wide(links[i, WHEEL_PREVIOUS]), wide(links[i, WHEEL_NEXT])
    if before == -1:
        return
    if after >= 0:
        links[after, WHEEL_PREVIOUS] = before
    if before >= 0:
        links[before, WHEEL_NEXT] = after
    else:
        place = -2 - before
        ring, slot = place >> _SHIFT, place & _MASK
        core.rest[RINGS + (ring) * SLOTS + (slot)] = after
        if after < 0:
            core.rest[OCCUPIED + (ring) * WORDS + (slot >> _WORD)] &= ~(1 << (slot & 31))
    links[i, WHEEL_NEXT] = -1
    links[i, WHEEL_PREVIOUS] = -1


@inlined
def move(core: Core, i: int) -> None:
    """Put page i where its event now belongs; nothing happens while that is the first place of the same slot."""
    time = event_time(core, i)
    if core.links[i, WHEEL_PREVIOUS] == -2 - _place(core, time):
        return
    remove(core, i)
    insert_at(core, i, time)


@inner
def _lowest(bits: int) -> int:
    """The number of the lowest set bit of 32."""
    n = 0
    if bits & 0xFFFF == 0:
        n += 16
        bits >>= 16
    if bits & 0xFF == 0:
        n += 8
        bits >>= 8
    if bits & 0xF == 0:
        n += 4
        bits >>= 4
    if bits & 0x3 == 0:
        n += 2
        bits >>= 2
    return n if bits & 0x1 else n + 1


@inner
def _next_occupied(core: Core, ring: int, first: int, last: int) -> int:
    """The first occupied slot in [first, last] of a ring, or -1."""
    if first > last:
        return -1
    word = first >> _WORD
    bits = core.rest[OCCUPIED + (ring) * WORDS + (word)] >> (first & 31) << (first & 31)
    while bits == 0:
        word += 1
        if word << _WORD > last:
            return -1
        bits = core.rest[OCCUPIED + (ring) * WORDS + (word)]
    slot = (word << _WORD) + _lowest(bits)
    return slot if slot <= last else -1


@inner
def _next_turn(core: Core) -> int:
    """The next turn that has anything in it: the very next one unless ring 0 is empty."""
    turn = core.rest[TICK] >> _SHIFT
    if _next_occupied(core, wide(0), wide(0), wide(_MASK)) >= 0:
        return turn + 1
    slot = _next_occupied(core, wide(1), (turn & _MASK) + 1, wide(_MASK))
    if slot < 0:
        slot = _next_occupied(core, wide(1), wide(0), turn & _MASK)
    return turn + ((slot - turn) & _MASK) if slot >= 0 else 1 << 62


@inner
def _begin_turn(core: Core, turn: int) -> None:
    """Go to the first tick of a turn and deal its slot of ring 1 out over ring 0."""
    core.rest[TICK] = turn << _SHIFT
    slot = turn & _MASK
    i = core.rest[RINGS + (1) * SLOTS + (slot)]
    core.rest[RINGS + (1) * SLOTS + (slot)] = -1
    core.rest[OCCUPIED + (1) * WORDS + (slot >> _WORD)] &= ~(1 << (slot & 31))
    while i >= 0:
        after = wide(core.links[i, WHEEL_NEXT])
        insert(core, i)
        i = after


@inner
def _prefetch(core: Core, i: int) -> None:
    """Ask for the rows of page i, if there is one."""
    if i >= 0:
        prefetch_row(core.numbers, i)
        prefetch_row(core.links, i)


@inlined
def pop_due(core: Core, target: int) -> int:
    """A page whose slot has begun by tick `target`, taken out of the wheel; -1 when there is none left.

    O(1) amortised over pages and ticks; empty ticks are skipped 32 at a time, empty turns all at once.
    """
    while True:
        current = core.rest[TICK]
        i = core.rest[RINGS + (0) * SLOTS + (current & _MASK)]
        if i >= 0:
            _prefetch(core, wide(core.links[i, WHEEL_NEXT]))
            remove(core, i)
            return i
        if current >= target:
            return -1
        end = current | _MASK
        last = min(target, end)
        slot = _next_occupied(core, wide(0), (current & _MASK) + 1, last & _MASK)
        if slot >= 0:
            core.rest[TICK] = (current & ~_MASK) + slot
            for ahead in range(1, 4):
                _prefetch(core, core.rest[RINGS + ((slot + ahead) & _MASK)])
        elif last == target:
            core.rest[TICK] = target
        else:
            turn = _next_turn(core)
            if turn > target >> _SHIFT:
                core.rest[TICK] = target
            else:
                _begin_turn(core, turn)
