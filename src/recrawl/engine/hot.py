"""The hot pages of a pool, looked at by every decision, and the clones that hang behind them.

Hot pages in the same state as another one (same host, numbers, crawl and signals; or both past all change of V) are its
*clones*: they hang in a ring behind the one of lowest id, which alone is looked at.  A million new pages with default
numbers thus cost no more than one, or one a host.  A page whose place in the ring is far from both ends begins a ring
of its own, so that none is searched for long.

A page that became hot at this very moment, because its event had come, is not looked at again, nor is any when several
decisions fall on one moment: moments are numbered, and each hot page remembers that of its last look.
"""

import math

import numpy as np

from recrawl._jit import inlined, inner
from recrawl.engine import linked, pool_heaps
from recrawl.engine.homes import host_of, pool_of
from recrawl.engine.layout import (
    ALPHA,
    BOUND,
    BY_BOUND,
    CLONE,
    CLONE_TABLE,
    CLONES,
    CRAWLED,
    GAMMA,
    GOAL,
    HOT,
    JUMPS,
    KAPPA,
    KINDS,
    LOOK,
    LOOKED,
    MOMENT,
    MU,
    PAGES,
    POOL,
    STATE,
    TERMS,
    TWINS,
    UNTIL,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    Core,
)
from recrawl.engine.looks import overdue, value_now
from recrawl.engine.page_value import staleness_at
from recrawl.engine.wide import wide
from recrawl.model.scalar import FLAT

RING_STEPS = 32
"""How far from either end of a ring of clones a new one's place is looked for."""

LAST_MOMENT = (1 << 31) - 2
"""Moments are numbered up to here, which links hold, and then from 0 again."""

SAFE = 1.0 + 1e-12
"""Kernels are monotone to the last digits only."""


@inner
def _staleness(core: Core, i: int, now: float) -> float:
    return staleness_at(core.numbers, core.tables, i, now)


@inner
def _same(core: Core, a: int, b: int, now: float) -> bool:
    """Whether two pages have the same value now and for as long as nothing happens to them."""
    numbers = core.numbers
    if core.links[a, POOL] != core.links[b, POOL]:
        return False
    for column in (ALPHA, KAPPA, GAMMA, MU):
        if numbers[a, column] != numbers[b, column]:
            return False
    if len(core.max_age) > 0 and (core.max_age[a] < np.inf or core.max_age[b] < np.inf):
        return False
    if numbers[a, CRAWLED] == numbers[b, CRAWLED] and numbers[a, JUMPS] == numbers[b, JUMPS]:
        return True
    return core.rest[TERMS] == 0 and min(_staleness(core, a, now), _staleness(core, b, now)) >= FLAT


@inner
def _clone_slot(core: Core, i: int) -> int:
    mixed = (
        core.numbers[i, ALPHA] * 0.7548776662466927
        + core.numbers[i, MU] * 0.5698402909980532
        + core.numbers[i, KAPPA] * 0.3
        + core.numbers[i, GAMMA]
    )
    if mixed > 1e9:
        return 0
    mixed *= 1e6
    return int((mixed - math.floor(mixed)) * CLONES)


@inner
def _tell_pool(core: Core, i: int) -> None:
    """Keep the pool's bound true: page i may become its best, or overdue, before the bound runs out."""
    pool = pool_of(core, i)
    if core.pool_links[pool, BY_BOUND] >= 0 and core.pool_numbers[pool, BOUND] < math.inf:
        until = core.pool_numbers[pool, UNTIL]
        pool_heaps.raise_bound(core, pool, value_now(core, i, until) * SAFE)
        if overdue(core, i, until):
            pool_heaps.raise_bound(core, pool, math.inf)


@inner
def _twin(core: Core, i: int) -> int:
    """A page that may be in the same state as page i: the last one of its kind, and of its host, to become hot."""
    host = host_of(core, i)
    slot = _clone_slot(core, i)
    return wide(core.pool_links[host, TWINS + slot % KINDS]) if host > 0 else core.rest[CLONE_TABLE + slot]


@inner
def _note_twin(core: Core, i: int) -> None:
    """Let others of page i's kind find it."""
    host = host_of(core, i)
    slot = _clone_slot(core, i)
    if host > 0:
        core.pool_links[host, TWINS + slot % KINDS] = i
    else:
        core.rest[CLONE_TABLE + slot] = i


@inner
def _place_in_ring(core: Core, twin: int, i: int) -> int:
    """The page of twin's ring behind which page i > twin belongs, ids rising; -1 where it is far from both ends."""
    last = wide(core.links[twin, WHEEL_PREVIOUS])
    first = wide(core.links[twin, WHEEL_NEXT])
    before = twin
    for _ in range(RING_STEPS):
        if last < i:  # at the latest when it is the twin
            return last
        if first > i:
            return before
        last = wide(core.links[last, WHEEL_PREVIOUS])
        before = first
        first = wide(core.links[first, WHEEL_NEXT])
    return -1


@inlined
def moment(core: Core, now: float) -> int:
    """The number of the moment `now`: another one whenever the time is not that of the last look."""
    if now != core.pool_numbers[0, LOOKED]:
        core.pool_numbers[0, LOOKED] = now
        core.rest[MOMENT] += 1
        if core.rest[MOMENT] > LAST_MOMENT:
            _forget_looks(core)
            core.rest[MOMENT] = 0
    return core.rest[MOMENT]


@inner
def _forget_looks(core: Core) -> None:
    """Numbers begin again: none given before may be met by chance.  O(m), every two thousand million moments."""
    for i in range(core.rest[PAGES]):
        if core.links[i, STATE] == HOT:
            core.links[i, LOOK] = -1


@inner
def make_hot(core: Core, i: int, value: float, now: float) -> None:
    """Put page i, linked nowhere and worth `value`, among its pool's hot pages; behind its twin where there is one."""
    core.numbers[i, GOAL] = value
    _tell_pool(core, i)
    links = core.links
    links[i, LOOK] = moment(core, now)
    twin = _twin(core, i)
    before = wide(-1)
    if twin >= 0 and twin != i and links[twin, STATE] == HOT and _same(core, i, twin, now):
        before = _place_in_ring(core, twin, i) if twin < i else wide(links[twin, WHEEL_PREVIOUS])
    if before < 0:
        _note_twin(core, i)
        linked.push(core, i, wide(HOT))
        links[i, WHEEL_NEXT] = i
        links[i, WHEEL_PREVIOUS] = i
        return
    if i < twin:  # the lowest id stands for all
        linked.unlink(core, twin)
        links[twin, STATE] = CLONE
        _note_twin(core, i)
        linked.push(core, i, wide(HOT))
    else:
        links[i, STATE] = CLONE
    after = wide(links[before, WHEEL_NEXT])
    links[i, WHEEL_PREVIOUS] = before
    links[i, WHEEL_NEXT] = after
    links[before, WHEEL_NEXT] = i
    links[after, WHEEL_PREVIOUS] = i


@inner
def leave_hot(core: Core, i: int) -> None:
    """Take a hot page or a clone out; where it stood for clones, the next one does now."""
    links = core.links
    before, after = wide(links[i, WHEEL_PREVIOUS]), wide(links[i, WHEEL_NEXT])
    if core.links[i, STATE] == HOT:
        linked.unlink(core, i)
        if after != i:
            core.numbers[after, GOAL] = core.numbers[i, GOAL]
            links[after, LOOK] = links[i, LOOK]
            linked.push(core, after, wide(HOT))
            _note_twin(core, after)
    links[before, WHEEL_NEXT] = after
    links[after, WHEEL_PREVIOUS] = before
    links[i, WHEEL_NEXT] = -1
    links[i, WHEEL_PREVIOUS] = -1
