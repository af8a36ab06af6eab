"""Pages in exactly the same state share one place: the one of lowest id stands for them all.

Same numbers, same crawl, same signals, same pool: two such pages have the same value for as long as nothing happens to
them.  The one of lowest id stands in a bucket or a heap and in the wheel; the others, its *clones*, hang behind it in a
heap by id and are nowhere else.  A million new pages with default numbers thus cost no more than one.  When something
happens to one of them it leaves; when that is the first, the next takes its place.

Pages find each other by a small table of the last ones placed, by a mix of all that must be equal.  Where it has
forgotten one, there are two groups: that costs a look more, no more.  A second table knows the clone that joined last:
one of higher id is put right below it, so that clones that come in the order of their ids leave in it at once.
"""

import numpy as np

from recrawl._jit import inlined, inner, wide, wrapped
from recrawl.engine.core.layout import (
    ALPHA,
    ASLEEP,
    CLONE,
    CLONE_SLOTS,
    CLONE_TABLE,
    CLONE_TAILS,
    CLONES,
    CRAWLED,
    FRESH,
    GAMMA,
    JUMPS,
    KAPPA,
    MU,
    OVERDUE,
    PREVIOUS,
    RANKED,
    Core,
)
from recrawl.engine.core.lists import heaps
from recrawl.engine.core.places import pool_of, set_state, state_of

_IDS = (1 << 32) - 1


@inlined
def _mixed(core: Core, i: int) -> int:
    """31 bits that depend on all that must be equal."""
    row = core.numbers[i]
    mix = pool_of(core, i)
    for column in (ALPHA, KAPPA, GAMMA, MU, CRAWLED, JUMPS):
        mix = wrapped((mix ^ wide(np.float64(row[column]).view(np.int64))) * 0x9E3779B97F4A7C1)
        mix ^= mix >> 29
    return (mix >> 13) & 0x7FFFFFFF


@inner
def _same(core: Core, a: int, b: int) -> bool:
    """Whether two pages have the same value for as long as nothing happens to them."""
    if pool_of(core, a) != pool_of(core, b):
        return False
    for column in (ALPHA, KAPPA, GAMMA, MU, CRAWLED, JUMPS):
        if core.numbers[a, column] != core.numbers[b, column]:
            return False
    return len(core.max_age) == 0 or core.max_age[a] == core.max_age[b]


@inner
def find(core: Core, i: int) -> int:
    """A page in the same state as page i that stands somewhere, -1 where none is known; page i is noted."""
    mix = _mixed(core, i)
    slot = CLONE_TABLE + mix % CLONE_SLOTS
    known = core.rest[slot]
    core.rest[slot] = mix << 32 | i
    if known >> 32 != mix:
        return wide(-1)
    known &= _IDS
    state = state_of(core, known)
    standing = state in (ASLEEP, RANKED, FRESH, OVERDUE)
    if known == i or not standing or not _same(core, known, i):
        return wide(-1)
    if known < i:
        core.rest[slot] = mix << 32 | known
    return known


@inner
def hang(core: Core, first: int, root: int) -> None:
    """Note the root of the heap of clones behind page `first`, and there whose it is."""
    core.links[first, CLONES] = root
    if root >= 0:
        core.links[root, PREVIOUS] = -2 - first


@inner
def join(core: Core, first: int, i: int) -> None:
    """Hang page i, linked nowhere, and its clones behind `first`, which has the lower id.  O(1)."""
    own = wide(core.links[i, CLONES])
    core.links[i, CLONES] = -1
    set_state(core, i, wide(CLONE))
    tail_slot = CLONE_TAILS + _mixed(core, i) % CLONE_SLOTS
    tail = core.rest[tail_slot]
    core.rest[tail_slot] = i
    if own < 0 and 0 <= tail < i and state_of(core, tail) == CLONE and _same(core, tail, i):
        heaps.hang_below(core, tail, i)
        return
    root = heaps.insert(core, wide(core.links[first, CLONES]), i, wide(heaps.BY_ID))
    if own >= 0:
        root = heaps.meld(core, root, own, wide(heaps.BY_ID))
    hang(core, first, root)


@inner
def leave(core: Core, i: int) -> None:
    """Take clone i out.  O(log n)."""
    before = wide(core.links[i, PREVIOUS])
    root = heaps.remove(core, wide(-1), i, wide(heaps.BY_ID))
    if before <= -2:
        hang(core, -2 - before, root)


@inner
def next_clone(core: Core, i: int) -> int:
    """The clone of lowest id behind page i, taken out, with the others behind it now; -1 where page i has none."""
    first = wide(core.links[i, CLONES])
    if first < 0:
        return first
    core.links[i, CLONES] = -1
    hang(core, first, heaps.remove(core, first, first, wide(heaps.BY_ID)))
    mix = _mixed(core, first)
    core.rest[CLONE_TABLE + mix % CLONE_SLOTS] = mix << 32 | first  # others of its kind find it from now on
    return first
