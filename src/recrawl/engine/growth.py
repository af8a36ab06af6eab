"""Room for more pages, hosts and batches: arrays double, so that growing costs O(1) a page."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.engine.core.layout import DELTA, PAGES, Core, reset_pools, with_room

FINER = 8.0
"""How many ticks there are for each change or so of any page."""


def with_pages(core: Core, pages: int, aged: bool) -> Core:
    """The core with room for that many pages more, and for greatest ages where there are any."""
    needed = int(core.rest[PAGES]) + pages
    fields: dict[str, Any] = {}
    if needed > len(core.links):
        room = max(needed, 2 * len(core.links)) - len(core.links)
        fields["numbers"] = with_room(core.numbers, room, 0.0)
        fields["links"] = with_room(core.links, room, 0)
        if len(core.max_age):
            fields["max_age"] = np.pad(core.max_age, (0, room), constant_values=np.inf)
    core = core._replace(**fields)
    if aged and not len(core.max_age):
        core = core._replace(max_age=np.full(len(core.links), np.inf))
    return core


def with_pools(core: Core, pools: int) -> Core:
    """The core with room for that many pools in all."""
    old = len(core.pool_links)
    if pools <= old:
        return core
    room = max(pools, 2 * old) - old
    core = core._replace(
        pool_numbers=np.pad(core.pool_numbers, ((0, room), (0, 0))),
        pool_links=np.pad(core.pool_links, ((0, room), (0, 0))),
    )
    reset_pools(core, old)
    return core


def with_batch(core: Core, n: int) -> Core:
    """The core with room to see n pages at once, and as many in vain."""
    if 2 * n <= len(core.seen_ids):
        return core
    return core._replace(seen=np.zeros((4 * n, 2)), seen_ids=np.zeros(4 * n, dtype=np.int64))


def tick_length(core: Core) -> float:
    """A small part of the mean time between crawls, whatever their rate may be: pages come out up to a tick early."""
    known = int(core.rest[PAGES])
    rate = core.numbers[:known, DELTA]
    busy = rate[rate > 0.0]
    pace = float(np.median(busy)) if len(busy) else 1.0
    return max(4.0 / FINER / (pace * known), 1e-300)


def lengthened(array: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """An array with zeros behind it, `rows` long at least."""
    more = max(rows - len(array), 0)
    return np.pad(array, ((0, more), *((0, 0) for _ in array.shape[1:]))) if more else array
