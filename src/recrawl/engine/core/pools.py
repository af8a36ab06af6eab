"""Hosts with a gap between crawls and a limit on crawls in flight: whose turn it is.

1. Pages live in the common pool; one that is best there while its host is held back moves into its host's own pool,
   promise and all, until it is crawled (places.py).  There it competes at its host's own level: of a million pages that
   pile up behind a slow host, only the few near that level cost anything.
2. A host's pool is *blocked* (its gap has not passed), *full* (too many in flight), or *ready*.  Only ready ones
   compete, by the best that any of their pages can be: the first of their heap.
"""

from recrawl._jit import bare, inner, wide
from recrawl.engine.core.layout import HEAP, IN_FLIGHT, MOST_IN_FLIGHT, POOLS_BY_TIME, READY, SIZE, Core
from recrawl.engine.core.lists import pool_heaps
from recrawl.engine.core.lists.pool_heaps import RANK, TIME
from recrawl.engine.core.places import host_of, move, pool_of


@bare
def place_pool(core: Core, pool: int, now: float) -> None:
    """Put a pool where it belongs: full or empty nowhere, blocked by the end of its gap, ready by what it offers."""
    if pool == 0:
        return  # looked at by every decision
    links = core.pool_links[pool]
    if links[SIZE] <= 0 or links[IN_FLIGHT] >= links[MOST_IN_FLIGHT]:
        pool_heaps.remove(core, wide(RANK), pool)
        pool_heaps.remove(core, wide(TIME), pool)
    elif core.pool_numbers[pool, READY] > now:
        pool_heaps.remove(core, wide(RANK), pool)
        pool_heaps.insert(core, wide(TIME), pool)
    else:
        pool_heaps.remove(core, wide(TIME), pool)
        pool_heaps.insert(core, wide(RANK), pool)


@inner
def let_ready_compete(core: Core, now: float) -> None:
    """Let hosts whose gap has passed compete."""
    while core.rest[POOLS_BY_TIME] > 0:
        pool = wide(core.pool_links[0, HEAP + TIME])
        if core.pool_numbers[pool, READY] > now:
            return
        place_pool(core, pool, now)


@inner
def come_home(core: Core, i: int, now: float) -> None:
    """Have page i, crawled and linked nowhere, live in the common pool again."""
    host = pool_of(core, i)
    if host > 0:
        move(core, i, False)
        place_pool(core, host, now)


@inner
def go_away(core: Core, i: int, now: float) -> None:
    """Have page i, linked nowhere, live in the pool of its host from now on."""
    move(core, i, True)
    place_pool(core, host_of(core, i), now)
