"""How the engine's memory is laid out: one row of eight numbers and seven links a page, one row a pool.

A page's numbers fill one cache line, so that a signal for a random page costs one miss for all of them.  A *pool* is a
set of pages that compete on equal terms: the common one (pool 0), or those that wait for one host (homes.py).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Numbers of a page.
ALPHA, KAPPA, GAMMA, MU, DELTA, CRAWLED, JUMPS, GOAL = range(8)
"""alpha, kappa, gamma, mu, Delta; time of the last crawl; staleness added by signals since; and GOAL, by state:
asleep: the staleness up to which the tier's bound holds; hot: the value when last looked at; leased: staleness added by
signals since the lease; waiting: the time before which the page is not offered."""

# Links of a page (ids, -1: none), its host's pool (negative while it lives in the common one, homes.py), its state.
NEXT, PREVIOUS, WHEEL_NEXT, WHEEL_PREVIOUS, CHILD, POOL, STATE = range(7)
LOOK = CHILD
"""Hot pages are in no heap: the number of the moment they were last looked at (hot.py)."""

# States of a page.  0 .. TIERS-1: asleep in that tier.
STEPS = 7
"""How many steps there are from the level down to a quarter of it."""
SHORT_STEPS = 2
"""The steps next to the level have one tier each, the longer ones two, which take turns."""
TIERS = SHORT_STEPS + 2 * (STEPS - SHORT_STEPS)
UNKNOWN = TIERS
"""Asleep without a bound: looked at by the next decision."""
HOT, CLONE, OVERDUE, LEASED, WAITING, PICKED, DEAD = range(TIERS + 1, TIERS + 8)

# Numbers of a pool.
LEVEL, WIDTH, BATCH, FALL, BOUND, UNTIL, GAP, READY, HORIZON = range(9)
"""value of the last page taken; relative width of the hot stretch; running means of pages taken at once and of how fast
the level falls (tiers.py); no page of the pool is worth more than BOUND before UNTIL (pools of hosts only); the host's
least gap, the time from which it may be crawled, and how far ahead bounds are set."""
BOUNDS = 9
"""BOUNDS + j: no page asleep in tier j is worth more than this before its wheel event."""
GAPS = BOUNDS + TIERS
"""GAPS + j: how far below the level, as a share of it, the bound of tier j was set."""
ORIGIN, QUANTUM, NOW, LOOKED = range(GAPS + TIERS, GAPS + TIERS + 4)
"""Row 0 only: the time of the wheel's tick 0, the length of a tick, the latest time seen, and that of moment MOMENT."""

# Whole numbers of a pool.
HOT_HEAD, OVERDUE_ROOT, SIZE, IN_FLIGHT, MOST_IN_FLIGHT, BY_BOUND, BY_TIME, HOT_COUNT, CLOSING = range(9)
"""CLOSING has a bit for each tier that is being emptied and takes no more pages."""
HEADS = 9
"""HEADS + j: first page of tier j (UNKNOWN included)."""
TWINS = HEADS + TIERS + 1
"""TWINS + k: a hot page of this host that others of its kind may hang behind (hot.py); not for pool 0."""
KINDS = 4
"""How many kinds of pages of one host are told apart when looking for clones."""
HEAP = TWINS + KINDS
"""Column HEAP of rows 0, 1, ... is the heap of ready pools by bound, HEAP + 1 the one by time (pool_heaps.py)."""

SLOTS = 1 << 16
"""Slots of each of the wheel's two rings."""

KEPT = 1 << 10
"""Room for this many pages taken at once, to begin with."""

WORDS = SLOTS // 32
CLONES = 1 << 10

# The rest: counters, then the wheel, then where to look for clones.
EVALUATIONS, DECISIONS, WOKEN, WAITING_ROOT, FREE, TERMS, TICK, POOLS_BY_BOUND, POOLS_BY_TIME, PAGES, MOMENT = range(11)
RINGS = 16
"""RINGS + ring * SLOTS + slot: first page of a slot."""
OCCUPIED = RINGS + 2 * SLOTS
"""OCCUPIED + ring * WORDS + word: which of 32 slots are not empty."""
CLONE_TABLE = OCCUPIED + 2 * WORDS


class Core(NamedTuple):
    """Everything the kernels read and write.  Few arrays, since each one makes every kernel slower to compile."""

    numbers: NDArray[np.float64]  # (pages, 8)
    links: NDArray[np.int32]  # (pages, 7)
    pool_numbers: NDArray[np.float64]  # (pools, LOOKED + 1)
    pool_links: NDArray[np.int32]  # (pools, HEAP + 2)
    rest: NDArray[np.int64]
    max_age: NDArray[np.float64]  # (pages,) or empty
    kept_values: NDArray[np.float64]  # room for the best of a batch, and their ids: kernels allocate nothing
    kept_ids: NDArray[np.int64]
    slope: NDArray[np.float64]  # (1,): the second result of page_value.value_with_slope_of
    tables: NDArray[np.float64]  # latency and classes of sources (tables.py), no rows where there are none


LINE = 64
"""Bytes of a cache line."""


def on_lines(rows: int, columns: int, dtype: type[Any]) -> NDArray[Any]:
    """An array of zeros that begins with a cache line, so that a row of 64 bytes is one line and not parts of two."""
    width = columns * np.dtype(dtype).itemsize
    raw = np.zeros(rows * width + LINE, dtype=np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + rows * width].view(dtype).reshape(rows, columns)


def with_room(array: NDArray[Any], room: int, fill: float) -> NDArray[Any]:
    """A copy of a table with that many rows more, on lines."""
    grown = on_lines(len(array) + room, array.shape[1], array.dtype.type)
    grown[: len(array)] = array
    grown[len(array) :] = fill
    return grown


def empty_core(pages: int, pools: int, terms: int, now: float, with_max_age: bool, tables: NDArray[np.float64]) -> Core:
    """A core with room for so many pages and pools, and none in it."""
    core = Core(
        numbers=on_lines(pages, 8, np.float64),
        links=on_lines(pages, 7, np.int32),
        pool_numbers=np.zeros((pools, LOOKED + 1)),
        pool_links=np.full((pools, HEAP + 2), -1, dtype=np.int32),
        rest=np.full(CLONE_TABLE + CLONES, -1, dtype=np.int64),
        max_age=np.full(pages, np.inf) if with_max_age else np.empty(0),
        kept_values=np.zeros(KEPT),
        kept_ids=np.zeros(KEPT, dtype=np.int64),
        slope=np.zeros(1),
        tables=tables,
    )
    core.links[:] = -1
    core.links[:, STATE] = DEAD
    core.rest[:RINGS] = 0
    core.rest[OCCUPIED:CLONE_TABLE] = 0
    core.rest[[WAITING_ROOT, FREE]] = -1
    core.rest[TERMS] = terms
    reset_pools(core, 0)
    core.pool_numbers[0, [ORIGIN, QUANTUM, NOW]] = now, 1.0, now
    return core


def reset_pools(core: Core, first: int) -> None:
    """Make the pools from `first` on empty and free of limits."""
    numbers, links = core.pool_numbers[first:], core.pool_links[first:]
    numbers[:] = 0.0
    numbers[:, BATCH] = 1.0
    numbers[:, FALL] = 1.0
    numbers[:, WIDTH] = 0.25
    numbers[:, BOUND] = np.inf
    numbers[:, READY] = -np.inf
    links[:] = -1
    links[:, SIZE] = 0
    links[:, IN_FLIGHT] = 0
    links[:, HOT_COUNT] = 0
    links[:, CLOSING] = 0
    links[:, MOST_IN_FLIGHT] = np.iinfo(np.int32).max
