"""How the engine's memory is laid out: one row of eight numbers and seven links a page, one row a pool.

A page's numbers fill one cache line, so that a signal for a random page costs one miss for all of them.  A *pool* is a
set of pages that compete on equal terms: the common one (pool 0), or those that wait for one host (places.py).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy

Ids = NDArray[np.int64]
Values = NDArray[np.float64]

# Numbers of a page.
ALPHA, KAPPA, GAMMA, MU, DELTA, CRAWLED, JUMPS, GOAL = range(8)
"""alpha, kappa, gamma, mu, Delta; time of the last crawl; staleness added by signals since; and GOAL, by state:
asleep: the staleness up to which the bucket's bound holds; ranked: the bound itself; fresh: bound / age^2; taken: the
value then; leased: staleness added by signals since the lease; waiting: the time before which it is not offered."""

# Links of a page: ids, -1 for none.
NEXT, PREVIOUS, WHEEL_NEXT, WHEEL_PREVIOUS, CHILD, CLONES, PLACE = range(7)
"""Neighbours in a bucket or a heap; neighbours in the wheel; first child in a heap; the first of the pages in the same
state that hang behind this one (clones.py); and PLACE: host and state in one number (places.py)."""

# States of a page.
ASLEEP, RANKED, FRESH, CLONE, OVERDUE, LEASED, WAITING, SEEN, DEAD = range(9)
"""In a bucket under its bound; in its pool's heap by bound; there since the start, in a heap by bound / age^2; behind
another page in the same state; past its greatest age; in flight; not to be offered before a time; looked at by the
present decision; removed."""

# Numbers of a pool.
LEVEL, LAST, LOWEST, TAKEN, GAP, READY, ORIGIN, QUANTUM, NOW, SINCE, SCALE, FORESEEN, UNDER = range(13)
"""The level: the least value taken of late; the value of the last page taken; the least value of the present window,
and how many pages were taken in it (pick.follow); the host's least gap and the time from which it may be crawled.
Row 0 only: the time of the wheel's tick 0, the length of a tick, the latest time seen, the time since which FRESH pages
age, the factor from values to buckets (promise.py), and where the level will soon be (foresee.py): as foreseen, and the
highest that promises were made for which still stand."""

# Whole numbers of a pool.
ROOT, OVERDUE_ROOT, SIZE, IN_FLIGHT, MOST_IN_FLIGHT, BY_RANK, BY_TIME, HEAP = range(8)
"""Roots of the heaps of ranked and of overdue pages; pages that live here; pages in flight, and the most allowed; where
the pool lies in the two heaps of pools.  Column HEAP of rows 0, 1, ... is the heap of ready pools by rank, HEAP + 1
the one by time (pool_heaps.py)."""

# Slots: lists of pages, each with a first page (slots.py).  The rings of the wheel, then the buckets by bound.
RING = 1 << 16
RINGS = 3
BUCKETS = RINGS * RING
UNBOUNDED = 0x7F800000 >> 15
"""The last bucket, of pages without a bound: the next decision looks at them."""
SLOTS = BUCKETS + UNBOUNDED + 1
WORDS = SLOTS // 32 + 1

# Counters and the like, then a bit for each slot that is not empty, then the table that clones are found by.
(
    EVALUATIONS,
    DECISIONS,
    WOKEN,
    PAGES,
    FREE,
    WAITING_ROOT,
    FRESH_ROOT,
    SEEN_COUNT,
    TERMS,
    TICK,
    TOP,
    POOLS_BY_RANK,
    POOLS_BY_TIME,
    CALLED,
    SPILL_ROOT,
    UNAGED,
    FORESEEN_AT,
    REVISED,
) = range(18)
"""Values computed; pages taken; sleepers looked at because the level fell; ids given so far; the first free id; roots
of the heaps of waiting and of fresh pages; how many pages are seen; terms of the value; the wheel's present tick; no
bucket above this one is occupied; how many pools are in each heap of pools; about how many pages have no bound;
the root of the heap of seen pages for which there was no room elsewhere; below which id no page is unaged
(pick.py); how many pages had been taken when the level was last foreseen; and the next bucket whose promises are to be
revised, -1 where none is (foresee.py)."""
OCCUPIED = 18
CLONE_TABLE = OCCUPIED + WORDS
CLONE_SLOTS = 1 << 13
CLONE_TAILS = CLONE_TABLE + CLONE_SLOTS


class Core(NamedTuple):
    """Everything the kernels read and write.  Few arrays, since each one makes every kernel slower to compile."""

    numbers: NDArray[np.float64]  # (pages, 8)
    links: NDArray[np.int32]  # (pages, 7)
    pool_numbers: NDArray[np.float64]  # (pools, UNDER + 1)
    pool_links: NDArray[np.int32]  # (pools, HEAP + 2)
    heads: NDArray[np.int32]  # (SLOTS,): the first page of each slot
    rest: NDArray[np.int64]
    max_age: NDArray[np.float64]  # (pages,) or empty
    seen: NDArray[np.float64]  # value and slope of the pages seen (seen.py), and their ids
    seen_ids: NDArray[np.int64]
    slope: NDArray[np.float64]  # (1,): the second result of page_value.value_with_slope_of
    tables: NDArray[np.float64]  # latency and classes of sources (tables.py), no rows where there are none


SEEN_ROOM = 1 << 10
"""Room for this many pages seen by a decision, to begin with."""
LINE = 64
"""Bytes of a cache line."""
RESERVED = 1 << 20
"""Large tables have address space for many times this many rows, so that they need not move (roomy.py)."""


def on_lines(rows: int, columns: int, dtype: type[Any]) -> NDArray[Any]:
    """An array of zeros that begins with a cache line, so that a row of 64 bytes is one line and not parts of two."""
    width = columns * np.dtype(dtype).itemsize
    if rows * width >= roomy.SMALL:
        large = roomy.zeros((max(rows, RESERVED), columns), dtype)[:rows]
        if large.ctypes.data % LINE == 0:
            return large
    raw = np.zeros(rows * width + LINE, dtype=np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + rows * width].view(dtype).reshape(rows, columns)


def with_room(array: NDArray[Any], room: int, fill: float) -> NDArray[Any]:
    """A copy of a table with that many rows more, on lines."""
    grown = on_lines(len(array) + room, array.shape[1], array.dtype.type)
    grown[: len(array)] = array
    if fill:
        grown[len(array) :] = fill
    return grown


def longer(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """A table with this number of rows, the new ones zero, on lines: in place where it can be, else a copy.

    The table given must not be used any more.
    """
    if array.nbytes >= roomy.SMALL:
        grown = roomy.longer(array, rows)
        if grown.ctypes.data % LINE == 0:
            return grown
    return with_room(array, rows - len(array), 0.0)


def ages(rows: int) -> NDArray[np.float64]:
    """Greatest ages of pages that have none."""
    column: NDArray[np.float64] = on_lines(rows, 1, np.float64)[:, 0]
    column[:] = np.inf
    return column


def empty_core(pages: int, pools: int, terms: int, now: float, with_max_age: bool, tables: NDArray[np.float64]) -> Core:
    """A core with room for that many pages and pools, and none in it."""
    core = Core(
        numbers=on_lines(pages, 8, np.float64),
        links=on_lines(pages, 7, np.int32),
        pool_numbers=on_lines(pools, UNDER + 1, np.float64),
        pool_links=on_lines(pools, HEAP + 2, np.int32),
        heads=np.full(SLOTS, -1, dtype=np.int32),
        rest=np.zeros(CLONE_TAILS + CLONE_SLOTS, dtype=np.int64),
        max_age=ages(pages) if with_max_age else np.empty(0),
        seen=np.zeros((SEEN_ROOM, 2)),
        seen_ids=np.zeros(SEEN_ROOM, dtype=np.int64),
        slope=np.zeros(1),
        tables=tables,
    )
    core.rest[[FREE, WAITING_ROOT, FRESH_ROOT, SPILL_ROOT, REVISED]] = -1
    core.rest[CLONE_TABLE:] = -1
    core.rest[TERMS] = terms
    reset_pools(core, 0)
    core.pool_numbers[0, [ORIGIN, QUANTUM, NOW]] = now, 1.0, now
    return core


def reset_pools(core: Core, first: int) -> None:
    """Make the pools from `first` on empty and free of limits."""
    numbers, links = core.pool_numbers[first:], core.pool_links[first:]
    numbers[:] = 0.0
    numbers[:, READY] = -np.inf
    links[:] = -1
    links[:, [SIZE, IN_FLIGHT]] = 0
    links[:, MOST_IN_FLIGHT] = np.iinfo(np.int32).max
