"""Lists of pages that live in the pages' own links: the slots of the wheel, and the buckets of sleepers by bound.

The first page of a slot has -2 - slot in place of the page before it, so that any page can be taken out knowing nothing
but its own links; -1 there means that the page is in no slot.  A bit for each slot tells which ones are occupied.
"""

from recrawl._jit import inlined, inner, wide
from recrawl.engine.core.layout import OCCUPIED, Core

_WORD = 5  # 32 slots a word: whole numbers of 64 bits never overflow into the sign


@inlined
def insert(core: Core, i: int, slot: int, column: int) -> None:
    """Put page i in front of a slot, by the links `column` and `column` + 1.  O(1)."""
    old = wide(core.heads[slot])
    core.links[i, column] = old
    core.links[i, column + 1] = -2 - slot
    if old >= 0:
        core.links[old, column + 1] = i
    else:
        core.rest[OCCUPIED + (slot >> _WORD)] |= 1 << (slot & 31)
    core.heads[slot] = i


@inlined
def remove(core: Core, i: int, column: int) -> None:
    """Take page i out of its slot, if it is in one.  O(1)."""
    before, after = wide(core.links[i, column + 1]), wide(core.links[i, column])
    if before == -1:
        return
    if after >= 0:
        core.links[after, column + 1] = before
    if before >= 0:
        core.links[before, column] = after
    else:
        slot = -2 - before
        core.heads[slot] = after
        if after < 0:
            core.rest[OCCUPIED + (slot >> _WORD)] &= ~(1 << (slot & 31))
    core.links[i, column] = -1
    core.links[i, column + 1] = -1


@inner
def hand_over(core: Core, old: int, new: int, column: int) -> None:
    """Have page `new`, in no slot, take the very place of page `old`, if that is in one.  O(1)."""
    before, after = wide(core.links[old, column + 1]), wide(core.links[old, column])
    if before == -1:
        return
    core.links[new, column] = after
    core.links[new, column + 1] = before
    if after >= 0:
        core.links[after, column + 1] = new
    if before >= 0:
        core.links[before, column] = new
    else:
        core.heads[-2 - before] = new
    core.links[old, column] = -1
    core.links[old, column + 1] = -1


@inner
def _lowest_bit(bits: int) -> int:
    """The number of the lowest set bit of 32."""
    n = 0
    for width in (16, 8, 4, 2, 1):
        if bits & ((1 << width) - 1) == 0:
            n += width
            bits >>= width
    return n


@inner
def first_occupied(core: Core, first: int, last: int) -> int:
    """The first occupied slot in [first, last], or -1."""
    if first > last:
        return -1
    word = first >> _WORD
    bits = core.rest[OCCUPIED + word] >> (first & 31) << (first & 31)
    while bits == 0:
        word += 1
        if word << _WORD > last:
            return -1
        bits = core.rest[OCCUPIED + word]
    slot = (word << _WORD) + _lowest_bit(bits)
    return slot if slot <= last else -1


@inner
def last_occupied(core: Core, first: int, last: int) -> int:
    """The last occupied slot in [first, last], or -1."""
    word = last >> _WORD
    bits = core.rest[OCCUPIED + word] & ((1 << (last & 31) + 1) - 1)
    while bits == 0:
        word -= 1
        if word < first >> _WORD:
            return -1
        bits = core.rest[OCCUPIED + word]
    n = wide(0)
    for width in (16, 8, 4, 2, 1):
        if bits >> width:
            n += width
            bits >>= width
    slot = (word << _WORD) + n
    return slot if slot >= first else -1
