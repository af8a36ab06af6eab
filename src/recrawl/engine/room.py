"""Room for more pages, hosts and batches: arrays double, so that growing costs O(1) a page."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.engine.layout import DEAD, DELTA, PAGES, STATE, Core, reset_pools, with_room
from recrawl.engine.tiers import HOT_PAGES


def with_pages(core: Core, pages: int, aged: bool) -> Core:
    """The core with room for that many pages more, and for greatest ages where there are any."""
    needed = int(core.rest[PAGES]) + pages
    fields: dict[str, Any] = {}
    if needed > len(core.links):
        room = max(needed, 2 * len(core.links)) - len(core.links)
        fields["numbers"] = with_room(core.numbers, room, 0.0)
        fields["links"] = with_room(core.links, room, -1)
        fields["links"][-room:, STATE] = DEAD
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
    """The core with room to keep the best of n pages, and of the few more that are meant to be hot."""
    if n + HOT_PAGES + 1 <= len(core.kept_ids):
        return core
    size = int(2 * n + HOT_PAGES)
    return core._replace(kept_values=np.zeros(size), kept_ids=np.zeros(size, dtype=np.int64))


def tick_length(core: Core) -> float:
    """About a quarter of the mean time between wake-ups."""
    known = int(core.rest[PAGES])
    rate = core.numbers[:known, DELTA]
    busy = rate[rate > 0.0]
    pace = float(np.median(busy)) if len(busy) else 1.0
    return max(4.0 / (pace * known), 1e-300)


def lengthened(array: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """An array with zeros behind it, `rows` long at least."""
    more = max(rows - len(array), 0)
    return np.pad(array, ((0, more), *((0, 0) for _ in array.shape[1:]))) if more else array
