"""Doubly linked lists and pairing heaps that live in the pages' own links: no memory but the links, O(1) moves."""

from recrawl._jit import inner
from recrawl.engine.homes import pool_of
from recrawl.engine.layout import (
    CHILD,
    HEADS,
    HOT,
    HOT_COUNT,
    HOT_HEAD,
    NEXT,
    PREVIOUS,
    STATE,
    Core,
)
from recrawl.engine.wide import wide


@inner
def _head(state: int) -> int:
    return HOT_HEAD if state == HOT else HEADS + state


@inner
def push(core: Core, i: int, state: int) -> None:
    """Put page i in front of its pool's list of `state` (a tier, UNKNOWN or HOT).  O(1)."""
    links = core.links
    heads = core.pool_links[pool_of(core, i)]
    slot = _head(state)
    old = wide(heads[slot])
    links[i, NEXT] = old
    links[i, PREVIOUS] = -1
    if old >= 0:
        links[old, PREVIOUS] = i
    heads[slot] = i
    core.links[i, STATE] = state
    if state == HOT:
        heads[HOT_COUNT] += 1


@inner
def unlink(core: Core, i: int) -> None:
    """Take page i out of the list its state says it is in.  O(1)."""
    links = core.links
    if links[i, STATE] == HOT:
        core.pool_links[pool_of(core, i), HOT_COUNT] -= 1
    after, before = wide(links[i, NEXT]), wide(links[i, PREVIOUS])
    if after >= 0:
        links[after, PREVIOUS] = before
    if before >= 0:
        links[before, NEXT] = after
    else:
        core.pool_links[pool_of(core, i), _head(wide(core.links[i, STATE]))] = after


@inner
def _first(core: Core, a: int, b: int, column: int) -> bool:
    """Whether a comes before b: by the number in `column`, ties by id."""
    p, q = core.numbers[a, column], core.numbers[b, column]
    return p < q or (p == q and a < b)


@inner
def meld(core: Core, a: int, b: int, column: int) -> int:
    """One pairing heap of two (roots, or -1).  O(1)."""
    if a < 0:
        return b
    if b < 0:
        return a
    if _first(core, b, a, column):
        a, b = b, a
    links = core.links
    child = wide(links[a, CHILD])
    links[b, NEXT] = child
    links[b, PREVIOUS] = a
    if child >= 0:
        links[child, PREVIOUS] = b
    links[a, CHILD] = b
    return a


@inner
def heap_insert(core: Core, root: int, i: int, column: int) -> int:
    """The root after inserting page i.  O(1)."""
    core.links[i, CHILD] = -1
    core.links[i, NEXT] = -1
    core.links[i, PREVIOUS] = -1
    return meld(core, root, i, column)


@inner
def heap_pop(core: Core, root: int, column: int) -> int:
    """The root after taking the first page out: its children are melded in pairs.  O(log n) amortised."""
    links = core.links
    child = wide(links[root, CHILD])
    pairs = wide(-1)
    while child >= 0:
        partner = wide(links[child, NEXT])
        rest = wide(links[partner, NEXT]) if partner >= 0 else wide(-1)
        links[child, NEXT] = -1
        links[child, PREVIOUS] = -1
        if partner >= 0:
            links[partner, NEXT] = -1
            links[partner, PREVIOUS] = -1
        both = meld(core, child, partner, column)
        links[both, NEXT] = pairs
        pairs = both
        child = rest
    result = wide(-1)
    while pairs >= 0:
        after = wide(links[pairs, NEXT])
        links[pairs, NEXT] = -1
        links[pairs, PREVIOUS] = -1
        result = meld(core, result, pairs, column)
        pairs = after
    links[root, CHILD] = -1
    return result


@inner
def heap_remove(core: Core, root: int, i: int, column: int) -> int:
    """The root after taking any page out.  O(log n) amortised."""
    if i == root:
        return heap_pop(core, root, column)
    links = core.links
    before, after = wide(links[i, PREVIOUS]), wide(links[i, NEXT])
    if links[before, CHILD] == i:
        links[before, CHILD] = after
    else:
        links[before, NEXT] = after
    if after >= 0:
        links[after, PREVIOUS] = before
    return meld(core, root, heap_pop(core, i, column), column)
