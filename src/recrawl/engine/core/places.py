"""Where a page is: its state, its host, and the pool it lives in, packed into one number.

A page lives in the common pool 0 until it is the best page there at a moment when its host may not be crawled; then it
moves into its host's own pool, and comes back when it is crawled.  So a host that politeness does not hold back has an
empty pool and costs nothing, however many such hosts there are, and the pages that pile up behind a slow host are out
of the others' way.
"""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import inlined, wide
from recrawl.engine.core.layout import IN_FLIGHT, MOST_IN_FLIGHT, PLACE, READY, SIZE, Core

_STATE = 15
_AWAY = 16
_HOST = 5
MOST_HOSTS = (1 << 31 - _HOST) - 2
"""Host numbers must be below this: a place has 26 bits for them."""


def states(places: NDArray[np.int32]) -> NDArray[np.int32]:
    """The states in many places."""
    return places & _STATE


@inlined
def state_in(links: NDArray[np.int32], i: int) -> int:
    """The state of page i, from the table of links."""
    return wide(links[i, PLACE]) & _STATE


@inlined
def state_of(core: Core, i: int) -> int:
    """The state of page i."""
    return state_in(core.links, i)


@inlined
def set_state(core: Core, i: int, state: int) -> None:
    """Note the state of page i."""
    core.links[i, PLACE] = (wide(core.links[i, PLACE]) & ~_STATE) | state


@inlined
def settle_in(core: Core, i: int, host: int, state: int) -> None:
    """Begin with page i of the host with this pool (0: none), in the common pool."""
    core.links[i, PLACE] = host << _HOST | state


@inlined
def host_of(core: Core, i: int) -> int:
    """The pool of page i's host, whether it lives there or not; 0 where it has none."""
    return wide(core.links[i, PLACE]) >> _HOST


@inlined
def pool_of(core: Core, i: int) -> int:
    """The pool page i lives in."""
    place = wide(core.links[i, PLACE])
    return place >> _HOST if place & _AWAY else wide(0)


@inlined
def held_back(core: Core, host: int, now: float) -> bool:
    """Whether politeness forbids a crawl of this host now."""
    return (
        core.pool_numbers[host, READY] > now
        or core.pool_links[host, IN_FLIGHT] >= core.pool_links[host, MOST_IN_FLIGHT]
    )


@inlined
def move(core: Core, i: int, away: bool) -> None:
    """Have page i, linked nowhere, live in its host's own pool or in the common one."""
    core.pool_links[pool_of(core, i), SIZE] -= 1
    place = wide(core.links[i, PLACE])
    core.links[i, PLACE] = place | _AWAY if away else place & ~_AWAY
    core.pool_links[pool_of(core, i), SIZE] += 1
