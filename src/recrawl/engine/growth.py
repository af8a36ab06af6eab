"""Room for more pages, hosts and batches: tables grow in place, and the wheel's ticks get shorter with more pages.

Tables grow by small parts: large ones have address space behind them and do not move (roomy.py), small ones are copied
in no time.  No call takes longer because it is the one that does not fit.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl.engine.core.actions import rewind
from recrawl.engine.core.layout import DELTA, PAGES, QUANTUM, RING, RINGS, Core, ages, longer, reset_pools
from recrawl.engine.core.lists.finer import halve

FINER = 8.0
"""How many ticks there are for each change or so of any page."""
PART = 16
"""Tables grow by one row in this many at least."""
SAMPLE = 1 << 16
"""Pages that are enough to tell the pace of all, and few enough to be put into the wheel anew."""


def with_pages(core: Core, pages: int, aged: bool) -> Core:
    """The core with room for that many pages more, and for greatest ages where there are any."""
    rows = _rows(len(core.links), int(core.rest[PAGES]) + pages)
    fields: dict[str, Any] = {}
    if rows > len(core.links):
        fields["numbers"], fields["links"] = longer(core.numbers, rows), longer(core.links, rows)
        if len(core.max_age):
            fields["max_age"] = roomy.longer(core.max_age, rows)
            fields["max_age"][len(core.max_age) :] = np.inf
    core = core._replace(**fields)
    if aged and not len(core.max_age):
        core = core._replace(max_age=ages(len(core.links)))
    return core


def with_pools(core: Core, pools: int) -> Core:
    """The core with room for that many pools in all."""
    old = len(core.pool_links)
    rows = _rows(old, pools)
    if rows == old:
        return core
    core = core._replace(pool_numbers=longer(core.pool_numbers, rows), pool_links=longer(core.pool_links, rows))
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
    rate = core.numbers[: known : max(known // SAMPLE, 1), DELTA]
    busy = rate[rate > 0.0]
    pace = float(np.median(busy)) if len(busy) else 1.0
    return max(4.0 / FINER / (pace * known), 1e-300)


def tune(core: Core, new: int) -> bool:
    """Set the wheel's ticks for the pages there are, of which `new` have just come; whether they are short enough.

    Pages are put into the wheel anew where that costs no more than adding them did.  Otherwise ticks are halved: once,
    for the next call is soon enough for the rest.  Ticks too short cost little.
    """
    wanted = tick_length(core)
    if core.rest[PAGES] <= max(SAMPLE, 4 * new):
        rewind(core, wanted)
    elif core.pool_numbers[0, QUANTUM] >= 2.0 * wanted:
        halve_ticks(core)
    return bool(core.pool_numbers[0, QUANTUM] < 2.0 * wanted)


def halve_ticks(core: Core) -> None:
    """Go on with ticks of half the length."""
    halve(core, np.empty(RINGS * RING, dtype=np.int64))


def lengthened(array: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """An array with zeros behind it, `rows` long at least."""
    return roomy.longer(array, rows) if rows > len(array) else array


def _rows(there: int, needed: int) -> int:
    """How many rows a table should have that has some and needs more."""
    return there if needed <= there else max(needed, there + there // PART + PART)
