"""Texts by hash: what `table.py` does, as kernels over many texts.

Bytes are read eight at a time, so arrays of bytes have PAD bytes behind the last one that counts.  Each look-up of a
text among a million costs four misses of the cache: slot, place, and two lines of the text.  So look-ups go in blocks:
all texts of a block are hashed, then all slots asked for, then all places, then all texts, before the first is needed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, inlined, inner, prefetch_row, wide
from recrawl.arguments import Ids

PAD = 8
SIZE_BITS = 24
_SIZES = (1 << SIZE_BITS) - 1
PREFIX = 4
"""Bytes in front of each text: its number, or, of a removed one, -1 - the bytes it had."""
BLOCK = 256
_NUMBERS = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY = np.uint64(0x2545F4914F6CDD1D)

Bytes = NDArray[np.uint8]
Slots = NDArray[np.uint64]


class Table(NamedTuple):
    """All that look-ups read."""

    slots: Slots
    old: Slots  # those before the last growth, as far as they are not moved yet; or none
    blob: Bytes
    places: Ids  # where text i begins, times 2^24, plus its bytes; 0: there is none


# -- bytes ------------------------------------------------------------------------------------------------------------


@inlined
def _word(data: Bytes, at: int) -> np.uint64:
    """Eight bytes as one number; the compiler makes one load of it."""
    first = np.uint64(at)
    word = np.uint64(0)
    for k in range(8):
        word |= np.uint64(data[first + np.uint64(k)]) << np.uint64(8 * k)
    return word


@inlined
def _last_word(data: Bytes, at: int, count: int) -> np.uint64:
    """The same of fewer than eight."""
    return _word(data, at) & ((np.uint64(1) << np.uint64(8 * count)) - np.uint64(1))


@inner
def _tag(data: Bytes, at: int, size: int) -> int:
    """32 bits of all bytes."""
    h = np.uint64(size) * _MIX
    end = at + size
    while at + 8 <= end:
        h = (h ^ _word(data, at)) * _MULTIPLY
        h ^= h >> np.uint64(29)
        at += 8
    if at < end:
        h = (h ^ _last_word(data, at, end - at)) * _MULTIPLY
    h = (h ^ (h >> _HALF)) * _MIX
    h = (h ^ (h >> np.uint64(29))) * _MULTIPLY
    return wide(h >> _HALF)


@inlined
def _same(a: Bytes, at: int, b: Bytes, bt: int, size: int) -> bool:
    """Whether two texts of one size are the same."""
    end = at + size
    while at + 8 <= end:
        if _word(a, at) != _word(b, bt):
            return False
        at += 8
        bt += 8
    return at == end or _last_word(a, at, end - at) == _last_word(b, bt, end - at)


@inlined
def _put(data: Bytes, at: int, source: Bytes, begin: int, size: int) -> None:
    """Copy bytes; within one array only towards its beginning."""
    to, of = np.uint64(at), np.uint64(begin)
    for k in range(np.uint64(size)):
        data[to + k] = source[of + k]


@inlined
def _put_prefix(blob: Bytes, at: int, number: int) -> None:
    for k in range(PREFIX):
        blob[at + k] = (number >> (8 * k)) & 0xFF


@inlined
def _prefix(blob: Bytes, at: int) -> int:
    number = 0
    for k in range(PREFIX):
        number |= wide(blob[at + k]) << (8 * k)
    return number if number < 1 << 31 else number - (1 << 32)


# -- slots ------------------------------------------------------------------------------------------------------------


@inlined
def _home(slots: Slots, tag: int) -> int:
    """The slot a text is looked for from: the first bits of its tag, so that growth keeps the order of slots."""
    return (tag * len(slots)) >> 32


@inner
def _slot(table: Table, slots: Slots, data: Bytes, at: int, size: int, tag: int) -> int:
    """The slot of a text, -1 where it is in none."""
    mask = len(slots) - 1
    s = _home(slots, tag)
    while slots[s] != 0:
        entry = slots[s]
        if wide(entry >> _HALF) == tag:
            place = table.places[wide(entry & _NUMBERS) - 1]
            if place & _SIZES == size and _same(table.blob, place >> SIZE_BITS, data, at, size):
                return s
        s = (s + 1) & mask
    return wide(-1)


@inlined
def _in_old(table: Table, moved: int, tag: int) -> bool:
    """Whether a text that is in the table may still be in the old slots."""
    return len(table.old) > 0 and _home(table.old, tag) >= moved


@inner
def _number(table: Table, moved: int, data: Bytes, at: int, size: int, tag: int) -> int:
    """The number of a text, -1 where it is unknown."""
    if _in_old(table, moved, tag):
        s = _slot(table, table.old, data, at, size, tag)
        if s >= 0:
            return wide(table.old[s] & _NUMBERS) - 1
    s = _slot(table, table.slots, data, at, size, tag)
    return wide(table.slots[s] & _NUMBERS) - 1 if s >= 0 else wide(-1)


@inner
def _first_match(slots: Slots, tag: int) -> int:
    """The number in the first slot that may be that of a text with this tag, -1 where there is none."""
    mask = len(slots) - 1
    s = _home(slots, tag)
    while slots[s] != 0:
        if wide(slots[s] >> _HALF) == tag:
            return wide(slots[s] & _NUMBERS) - 1
        s = (s + 1) & mask
    return wide(-1)


@inlined
def _settle(slots: Slots, entry: np.uint64) -> None:
    """Put an entry into the first free slot from its home on."""
    mask = len(slots) - 1
    s = _home(slots, wide(entry >> _HALF))
    while slots[s] != 0:
        s = (s + 1) & mask
    slots[s] = entry


@inner
def _empty(slots: Slots, s: int) -> None:
    """Empty a slot; those behind it that would no longer be found move up."""
    mask = len(slots) - 1
    k = (s + 1) & mask
    while slots[k] != 0:
        home = _home(slots, wide(slots[k] >> _HALF))
        if (k - home) & mask >= (k - s) & mask:
            slots[s] = slots[k]
            s = k
        k = (k + 1) & mask
    slots[s] = 0


# -- over many texts --------------------------------------------------------------------------------------------------


@bare
def find(table: Table, moved: int, data: Bytes, ends: Ids, tags: Ids, out: Ids) -> None:
    """The number of each text, -1 where it is unknown.  `tags`: room for one a text."""
    at = 0
    for first in range(0, len(ends), BLOCK):
        last = min(first + BLOCK, len(ends))
        begin = at
        for j in range(first, last):
            tags[j] = _tag(data, at, ends[j] - at)
            at = ends[j]
            prefetch_row(table.slots, _home(table.slots, tags[j]))
            if _in_old(table, moved, tags[j]):
                prefetch_row(table.old, _home(table.old, tags[j]))
        for j in range(first, last):
            out[j] = _first_match(table.old, tags[j]) if _in_old(table, moved, tags[j]) else wide(-1)
            if out[j] < 0:
                out[j] = _first_match(table.slots, tags[j])
            prefetch_row(table.places, max(out[j], 0))
        for j in range(first, last):
            if out[j] >= 0:
                place = table.places[out[j]]
                prefetch_row(table.blob, place >> SIZE_BITS)
                prefetch_row(table.blob, (place >> SIZE_BITS) + (place & _SIZES))
        at = begin
        for j in range(first, last):
            out[j] = _number(table, moved, data, at, ends[j] - at, tags[j]) if out[j] >= 0 else wide(-1)
            at = ends[j]


@bare
def first_known(table: Table, ids: Ids) -> int:
    """Which of the ids is the first that has a text, -1 where none has."""
    for k in range(len(ids)):
        if table.places[ids[k]] != 0:
            return k
    return -1


@bare
def first_unknown(table: Table, ids: Ids) -> int:
    """Which of the ids is the first that has no text, -1 where all have."""
    for k in range(len(ids)):
        if not 0 <= ids[k] < len(table.places) or table.places[ids[k]] == 0:
            return k
    return -1


@bare
def size_of_all(table: Table, ids: Ids, ends: Ids) -> int:
    """Where each text would end, stood they one after the other; -1 - k where ids[k] has none.

    The texts themselves are asked for: whoever wants to know their sizes will read them.
    """
    for i in ids:
        if 0 <= i < len(table.places):
            prefetch_row(table.places, i)
    total = 0
    for k in range(len(ids)):
        if not 0 <= ids[k] < len(table.places) or table.places[ids[k]] == 0:
            return -1 - k
        place = table.places[ids[k]]
        prefetch_row(table.blob, place >> SIZE_BITS)
        prefetch_row(table.blob, (place >> SIZE_BITS) + (place & _SIZES))
        total += place & _SIZES
        ends[k] = total
    return total


@bare
def read_all(table: Table, ids: Ids, out: Bytes) -> None:
    """Texts one after the other."""
    at = 0
    for i in ids:
        begin, size = table.places[i] >> SIZE_BITS, table.places[i] & _SIZES
        for j in range(size):
            out[at + j] = table.blob[begin + j]
        at += size


@bare
def enter(table: Table, used: int, ids: Ids, data: Bytes, ends: Ids, tags: Ids) -> int:
    """Append texts to the blob, of which `used` bytes are, and put them into the slots; the bytes used then."""
    at = 0
    for first in range(0, len(ids), BLOCK):
        last = min(first + BLOCK, len(ids))
        for j in range(first, last):
            size = ends[j] - at
            tags[j] = _tag(data, at, size)
            prefetch_row(table.slots, _home(table.slots, tags[j]))
            _put_prefix(table.blob, used, ids[j])
            used += PREFIX
            _put(table.blob, used, data, at, size)
            table.places[ids[j]] = used << SIZE_BITS | size
            used += size
            at = ends[j]
        for j in range(first, last):
            _settle(table.slots, np.uint64(tags[j]) << _HALF | np.uint64(ids[j] + 1))
    return used


@inner
def _drop(slots: Slots, number: int, tag: int) -> bool:
    """Empty the slot that holds a number; false where none does."""
    mask = len(slots) - 1
    s = _home(slots, tag)
    while slots[s] != 0:
        if wide(slots[s] & _NUMBERS) == number + 1:
            _empty(slots, s)
            return True
        s = (s + 1) & mask
    return False


@bare
def forget(table: Table, moved: int, ids: Ids) -> int:
    """Forget texts; how many bytes of the blob no text is in any more.  An id that comes twice is forgotten once."""
    wasted = 0
    for i in ids:
        place = table.places[i]
        if place == 0:
            continue
        begin, size = place >> SIZE_BITS, place & _SIZES
        tag = _tag(table.blob, begin, size)
        if not (_in_old(table, moved, tag) and _drop(table.old, i, tag)):
            _drop(table.slots, i, tag)
        table.places[i] = 0
        _put_prefix(table.blob, begin - PREFIX, -1 - size)
        wasted += size + PREFIX
    return wasted


@bare
def move_slots(table: Table, moved: int, count: int) -> int:
    """Move what is in `count` old slots and a few more; how many have been moved then.

    It stops at an empty slot or at the end, so that no text is behind it whose home is before it.
    """
    old = table.old
    last = moved + count
    while moved < len(old) and (moved < last or old[moved] != 0):
        if old[moved] != 0:
            _settle(table.slots, old[moved])
            old[moved] = 0
        moved += 1
    return moved


@bare
def close_gaps(table: Table, read: int, write: int, used: int, budget: int) -> tuple[int, int]:
    """Move texts from `read` on to `write` on, over the bytes of removed ones, for about `budget` bytes; both then."""
    while read < used and budget > 0:
        number = _prefix(table.blob, read)
        if number < 0:
            size = -1 - number
        else:
            size = table.places[number] & _SIZES
            if write < read:
                _put(table.blob, write, table.blob, read, PREFIX + size)
                table.places[number] = (write + PREFIX) << SIZE_BITS | size
            write += PREFIX + size
        read += PREFIX + size
        budget -= PREFIX + size
    return read, write


@bare
def sizes_of(table: Table, start: int, sizes: NDArray[np.int32]) -> int:
    """The bytes of the texts from `start` on, -1 where there is none; the sum."""
    total = 0
    for k in range(len(sizes)):
        place = table.places[start + k]
        sizes[k] = place & _SIZES if place != 0 else -1
        total += place & _SIZES
    return total


@bare
def read_texts(table: Table, start: int, count: int, out: Bytes) -> None:
    """The texts of the numbers from `start` on, one after the other."""
    at = 0
    for i in range(start, start + count):
        if i + 16 < start + count:
            prefetch_row(table.blob, table.places[i + 16] >> SIZE_BITS)
        size = table.places[i] & _SIZES
        _put(out, at, table.blob, table.places[i] >> SIZE_BITS, size)
        at += size
