"""Pairing heaps that live in the pages' own links: no memory but the links, O(1) to put in, O(log n) to take out.

Children that have gathered under a root are melded in pairs, then the pairs in pairs, until one is left.  That happens
when the root is taken out.  A million pages put in before that would make one decision wait for a pass over all of
them, so it also happens now and then when pages are put in (`gather_below`).
"""

from recrawl._jit import inlined, inner, wide
from recrawl.engine.core.layout import CHILD, CRAWLED, GOAL, NEXT, PREVIOUS, Core

HIGHEST, EARLIEST, OLDEST, BY_ID = range(4)
"""Orders: highest GOAL first, lowest GOAL first, earliest crawl first, each with the lowest id first among equals;
and by id alone."""


@inlined
def _first(core: Core, a: int, b: int, order: int) -> bool:
    """Whether page a comes before page b."""
    if order == BY_ID:
        return a < b
    column = CRAWLED if order == OLDEST else GOAL
    p, q = core.numbers[a, column], core.numbers[b, column]
    if p == q:
        return a < b
    return p > q if order == HIGHEST else p < q


@inlined
def meld(core: Core, a: int, b: int, order: int) -> int:
    """One heap of two, given by their roots.  O(1)."""
    if _first(core, b, a, order):
        a, b = b, a
    links = core.links
    child = wide(links[a, CHILD])
    links[b, NEXT] = child
    links[b, PREVIOUS] = a
    if child >= 0:
        links[child, PREVIOUS] = b
    links[a, CHILD] = b
    links[a, NEXT] = -1
    links[a, PREVIOUS] = -1
    return a


@inner
def hang_below(core: Core, a: int, i: int) -> None:
    """Put page i, linked nowhere, below page a, which comes before it and is in some heap.  O(1)."""
    links = core.links
    child = wide(links[a, CHILD])
    links[i, CHILD] = -1
    links[i, NEXT] = child
    links[i, PREVIOUS] = a
    if child >= 0:
        links[child, PREVIOUS] = i
    links[a, CHILD] = i


@inner
def _gather(core: Core, first: int, order: int) -> int:
    """One heap of the heaps whose roots are linked by NEXT from `first` on; -1 where there are none."""
    links = core.links
    if first < 0:
        return wide(-1)
    while links[first, NEXT] >= 0:
        last = wide(-1)
        a, first = first, wide(-1)
        while a >= 0:
            b = wide(links[a, NEXT])
            rest = wide(-1)
            if b >= 0:
                rest = wide(links[b, NEXT])
                a = meld(core, a, b, order)
            else:
                links[a, PREVIOUS] = -1
            if last < 0:
                first = a
            else:
                links[last, NEXT] = a
            links[a, NEXT] = -1
            last, a = a, rest
    links[first, PREVIOUS] = -1
    return first


@inner
def insert(core: Core, root: int, i: int, order: int) -> int:
    """The root after putting page i in.  O(1)."""
    core.links[i, CHILD] = -1
    core.links[i, NEXT] = -1
    core.links[i, PREVIOUS] = -1
    if root < 0:
        return i
    return meld(core, root, i, order)


@inner
def gather_below(core: Core, root: int, order: int) -> None:
    """Meld the children of a root into one."""
    below = _gather(core, wide(core.links[root, CHILD]), order)
    core.links[root, CHILD] = below
    if below >= 0:
        core.links[below, PREVIOUS] = root


@inner
def remove(core: Core, root: int, i: int, order: int) -> int:
    """The root after taking page i out; what was below it takes its place.  O(log n) amortised."""
    links = core.links
    below = _gather(core, wide(links[i, CHILD]), order)
    before, after = wide(links[i, PREVIOUS]), wide(links[i, NEXT])
    if before < 0:
        root = below
    else:
        filler = below if below >= 0 else after
        if links[before, CHILD] == i:
            links[before, CHILD] = filler
        else:
            links[before, NEXT] = filler
        if filler >= 0:
            links[filler, PREVIOUS] = before
        if below >= 0:
            links[below, NEXT] = after
            if after >= 0:
                links[after, PREVIOUS] = below
    links[i, CHILD] = -1
    links[i, NEXT] = -1
    links[i, PREVIOUS] = -1
    return root
