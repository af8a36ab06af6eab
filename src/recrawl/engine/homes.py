"""Which pool a page lives in: the common one, or its host's own.

A page lives in the common pool 0 until it is the best page there at a moment when its host may not be crawled; then it
moves into its host's own pool, and comes back when it is crawled.  So a host that politeness does not hold back has an
empty pool and costs nothing, however many such hosts there are, and the pages that pile up behind a slow host are out
of the others' way.
"""

from recrawl._jit import inner
from recrawl.engine.layout import IN_FLIGHT, MOST_IN_FLIGHT, POOL, READY, SIZE, Core
from recrawl.engine.wide import wide


@inner
def pool_of(core: Core, i: int) -> int:
    """The pool page i lives in."""
    return max(wide(core.links[i, POOL]), 0)


@inner
def host_of(core: Core, i: int) -> int:
    """The pool of page i's host, whether it lives there or not; 0 where it has none."""
    return abs(wide(core.links[i, POOL]))


@inner
def held_back(core: Core, host: int, now: float) -> bool:
    """Whether politeness forbids a crawl of this host now."""
    return (
        core.pool_numbers[host, READY] > now
        or core.pool_links[host, IN_FLIGHT] >= core.pool_links[host, MOST_IN_FLIGHT]
    )


@inner
def move(core: Core, i: int, own: bool) -> None:
    """Have page i, linked nowhere, live in its host's own pool or in the common one."""
    host = host_of(core, i)
    core.pool_links[pool_of(core, i), SIZE] -= 1
    core.links[i, POOL] = host if own else -host
    core.pool_links[pool_of(core, i), SIZE] += 1
