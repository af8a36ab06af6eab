"""The pages that the present decision has looked at, the best first.

They are in a binary heap in an array of its own, which has room for what a decision usually looks at.  After a burst of
signals that may not be enough: the others are in a heap of pages (heaps.py), slower but without end.
"""

import math

from recrawl._jit import inlined, inner, wide
from recrawl.engine.core.layout import GOAL, SEEN, SEEN_COUNT, SPILL_ROOT, Core
from recrawl.engine.core.lists import heaps
from recrawl.engine.core.places import set_state

VALUE, SLOPE = range(2)


@inlined
def _spilled_is_first(core: Core) -> bool:
    """Whether the best page seen is not in the array."""
    i = core.rest[SPILL_ROOT]
    if i < 0 or core.rest[SEEN_COUNT] == 0:
        return i >= 0
    value, best = core.numbers[i, GOAL], core.seen[0, VALUE]
    return value > best or (value == best and i < core.seen_ids[0])


@inner
def top(core: Core) -> int:
    """The best page seen, -1 where none has been."""
    if _spilled_is_first(core):
        return core.rest[SPILL_ROOT]
    return core.seen_ids[0] if core.rest[SEEN_COUNT] > 0 else wide(-1)


@inner
def top_value(core: Core) -> float:
    """Its value."""
    return core.numbers[core.rest[SPILL_ROOT], GOAL] if _spilled_is_first(core) else core.seen[0, VALUE]


@inlined
def is_full(core: Core) -> bool:
    """Whether the next page would have to go elsewhere."""
    return core.rest[SEEN_COUNT] == len(core.seen_ids)


@inlined
def _before(core: Core, a: int, b: int) -> bool:
    """Whether entry a ranks before entry b: higher value, ties by lower id."""
    p, q = core.seen[a, VALUE], core.seen[b, VALUE]
    return p > q or (p == q and core.seen_ids[a] < core.seen_ids[b])


@inlined
def _swap(core: Core, a: int, b: int) -> None:
    core.seen_ids[a], core.seen_ids[b] = core.seen_ids[b], core.seen_ids[a]
    for k in (VALUE, SLOPE):
        core.seen[a, k], core.seen[b, k] = core.seen[b, k], core.seen[a, k]


@inner
def put(core: Core, i: int, value: float, slope: float) -> None:
    """Put page i, linked nowhere, in.  O(log n)."""
    set_state(core, i, wide(SEEN))
    k = core.rest[SEEN_COUNT]
    if is_full(core):
        core.numbers[i, GOAL] = value
        core.rest[SPILL_ROOT] = heaps.insert(core, core.rest[SPILL_ROOT], i, wide(heaps.HIGHEST))
        return
    core.rest[SEEN_COUNT] += 1
    core.seen_ids[k] = i
    core.seen[k, VALUE], core.seen[k, SLOPE] = value, slope
    while k > 0 and _before(core, k, (k - 1) // 2):
        _swap(core, k, (k - 1) // 2)
        k = (k - 1) // 2


@inlined
def _drop_last(core: Core) -> int:
    core.rest[SEEN_COUNT] -= 1
    last = core.rest[SEEN_COUNT]
    i = core.seen_ids[last]
    core.numbers[i, GOAL] = core.seen[last, VALUE]
    core.slope[0] = core.seen[last, SLOPE]
    return i


@inlined
def _drop_spilled(core: Core) -> int:
    i = core.rest[SPILL_ROOT]
    core.rest[SPILL_ROOT] = heaps.remove(core, i, i, wide(heaps.HIGHEST))
    core.slope[0] = math.nan
    return i


@inner
def pop(core: Core) -> int:
    """Take the best page out; its value is then in GOAL, its slope in core.slope, NaN where not known.  O(log n)."""
    if _spilled_is_first(core):
        return _drop_spilled(core)
    last = core.rest[SEEN_COUNT] - 1
    _swap(core, wide(0), last)
    k = wide(0)
    while 2 * k + 1 < last:
        child = 2 * k + 1
        if child + 1 < last and _before(core, child + 1, child):
            child += 1
        if not _before(core, child, k):
            break
        _swap(core, k, child)
        k = child
    return _drop_last(core)


@inner
def pop_any(core: Core) -> int:
    """Take out the page that is easiest to, as `pop` does; -1 where there is none."""
    if core.rest[SEEN_COUNT] > 0:
        return _drop_last(core)
    return _drop_spilled(core) if core.rest[SPILL_ROOT] >= 0 else wide(-1)
