"""The rows of pages as columns that mean something outside the engine, and pages put in place from such columns.

What is in them is all that decisions depend on.  Heaps, buckets and the wheel only say where to look first, so they
are left out and made anew: a promise made from the same numbers is another promise, never another decision.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, wide
from recrawl.engine.core.layout import (
    ALPHA,
    CLONES,
    CRAWLED,
    DEAD,
    FREE,
    GAMMA,
    GOAL,
    IN_FLIGHT,
    JUMPS,
    KAPPA,
    LEASED,
    MU,
    NEXT,
    NOW,
    PAGES,
    SIZE,
    WAITING,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    Core,
    Ids,
    Values,
)
from recrawl.engine.core.places import host_of, move, pool_of, set_state, settle_in, state_of
from recrawl.engine.core.pools import place_pool
from recrawl.engine.core.settle import enter, settle
from recrawl.engine.core.value import set_parameters

OFFERED, HELD, PUT_OFF, REMOVED = range(4)
"""States as callers know them: may be taken; leased; not before a time; an id that no page has."""

Marks = NDArray[np.uint8]


@bare
def read_pages(core: Core, ids: Ids, out: Values, hosts: Ids, state: Marks, aside: Marks) -> None:
    """Columns of pages; `out`: alpha, kappa, gamma, mu, time of the crawl, jumps, and `held`.

    `held` is what signals have added since the lease, or the time before which a page is not offered.
    """
    for k in range(len(hosts)):
        i = ids[k]
        own = state_of(core, i)
        row = core.numbers[i]
        hosts[k], aside[k], state[k] = host_of(core, i) - 1, pool_of(core, i) > 0, OFFERED
        out[0, k], out[1, k], out[2, k], out[3, k] = row[ALPHA], row[KAPPA], row[GAMMA], row[MU]
        out[4, k], out[5, k], out[6, k] = row[CRAWLED], row[JUMPS], 0.0
        if own == LEASED:
            state[k], out[6, k] = HELD, row[GOAL]
        elif own == WAITING:
            state[k], out[6, k] = PUT_OFF, row[GOAL]
        elif own == DEAD:
            hosts[k], aside[k], state[k] = -1, 0, REMOVED
            for column in range(6):
                out[column, k] = 0.0


@bare
def read_free(core: Core, out: Ids) -> int:
    """The ids of removed pages, the one that is used again first in front; how many there are."""
    i, count = core.rest[FREE], 0
    while i >= 0 and count < len(out):
        out[count] = i
        count += 1
        i = wide(core.links[i, NEXT])
    return count


@bare
def write_pages(core: Core, rows: Values, hosts: Ids, state: Marks, aside: Marks) -> None:
    """Write what `read_pages` gave into a core without pages; they stand nowhere yet."""
    core.rest[PAGES] = len(hosts)
    for i in range(len(hosts)):
        set_parameters(core.numbers, i, rows[0, i], rows[1, i], rows[2, i], rows[3, i])
        core.numbers[i, CRAWLED], core.numbers[i, JUMPS], core.numbers[i, GOAL] = rows[4, i], rows[5, i], rows[6, i]
        core.links[i, WHEEL_NEXT] = core.links[i, WHEEL_PREVIOUS] = core.links[i, CLONES] = -1
        settle_in(core, i, hosts[i] + 1, wide(DEAD))
        if state[i] == REMOVED:
            continue
        core.pool_links[0, SIZE] += 1
        if aside[i] != 0 and hosts[i] >= 0:
            move(core, i, True)


@bare
def place_pages(core: Core, state: Marks, free: Ids) -> None:
    """Find all pages that were written their places, and put free ids in their order.  One value a page."""
    now = core.pool_numbers[0, NOW]
    for i in range(len(state)):
        if state[i] == HELD:
            set_state(core, i, wide(LEASED))
            core.pool_links[host_of(core, i), IN_FLIGHT] += 1
        elif state[i] == PUT_OFF:
            enter(core, i, wide(WAITING))
        elif state[i] == OFFERED:
            settle(core, i, now, math.nan)
    following = wide(-1)
    for k in range(len(free) - 1, -1, -1):
        core.links[free[k], NEXT] = following
        following = free[k]
    core.rest[FREE] = following
    for pool in range(1, core.pool_links.shape[0]):
        place_pool(core, pool, now)
