"""How the memory of neighbours is laid out: 12 bytes a page, 24 a folder, 24 to 48 a key, and 252 a host.

Pages of one folder (a directory of a site) are neighbours.  A folder of more than MOST pages counts as several, in the
order in which its pages came, so that a change that is found costs no more than MOST pages' attention.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy

MOST = 64
"""Pages of a folder that are told of a change."""
CLASSES = 7
"""Folders by size: one page, 2 to 3, 4 to 7, ..., 64.  A small folder's news says more or less than a large one's."""

SHARES = np.array([0.0, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9])
"""How far time is counted by what the folder does, and not by the clock.  Which of these foresees the outcomes of
crawls is learned (judging.py)."""
SHARE_COUNT = len(SHARES)
SPREAD, WATCHED = SHARE_COUNT, SHARE_COUNT + 1
"""Behind the evidence for each share: squares of how far the folder's time was from the clock's, and time by the
clock."""
COLUMNS = SHARE_COUNT + 2
STEPS = 255.0
"""The share that a page was last believed to have is kept as a whole number up to this."""
FINE = 1024.0
"""News of a page are kept in such parts: a page hears at most 64 times of a change of all its neighbours."""
MOST_NEWS = 65535

# Sums of a folder, and of all.
NEWS, TIME = range(2)
"""News that pages had when they were crawled, and the time since the crawl before."""
NUMBERS = 4
IN_COMPANY = 2
"""Pages that have a neighbour."""
UNUSED = 3
"""A folder without pages and without a key, -1 for none; it leads to the next one (folders.py)."""

FIRST_SLOTS = 16


class Memory(NamedTuple):
    """Everything the kernels read and write."""

    folder: NDArray[np.int32]  # (pages,): -1 for none
    after: NDArray[np.int32]  # (pages,): the next page of the same folder, round in a ring
    news: NDArray[np.uint16]  # (pages,): since the last crawl, in parts of 1/FINE
    share: NDArray[np.uint8]  # (pages,): as last believed, in steps of 1/STEPS
    found: NDArray[np.uint8]  # (pages,): 1 where the last crawl compared, and found a change
    first: NDArray[np.int32]  # (folders,): a page of it, below 0 where it has none
    size: NDArray[np.int32]  # (folders,)
    sums: NDArray[np.float64]  # (folders, 2): NEWS and TIME, those of long ago faded
    evidence: NDArray[np.float32]  # (1 + hosts, CLASSES, COLUMNS): of pages of no host, and of each
    of_all: NDArray[np.float64]  # (CLASSES, SHARE_COUNT): the evidence of all hosts
    numbers: NDArray[np.float64]  # (NUMBERS,): NEWS and TIME of all, IN_COMPANY, UNUSED
    keys: NDArray[np.uint64]  # (slots,): of folders, 0 for none
    named: NDArray[np.int32]  # (slots,): the folder that a new page of that key comes into


PER_PAGE = ("folder", "after", "news", "share", "found")
PER_FOLDER = ("first", "size", "sums")
FIXED = ("of_all", "numbers")


def empty_memory() -> Memory:
    """No page, no folder."""
    numbers = np.zeros(NUMBERS)
    numbers[UNUSED] = -1.0
    return Memory(
        folder=np.zeros(0, dtype=np.int32),
        after=np.zeros(0, dtype=np.int32),
        news=np.zeros(0, dtype=np.uint16),
        share=np.zeros(0, dtype=np.uint8),
        found=np.zeros(0, dtype=np.uint8),
        first=np.zeros(0, dtype=np.int32),
        size=np.zeros(0, dtype=np.int32),
        sums=np.zeros((0, 2)),
        evidence=np.zeros((1, CLASSES, COLUMNS), dtype=np.float32),
        of_all=np.zeros((CLASSES, SHARE_COUNT)),
        numbers=numbers,
        keys=np.zeros(FIRST_SLOTS, dtype=np.uint64),
        named=np.zeros(FIRST_SLOTS, dtype=np.int32),
    )


def with_rows(memory: Memory, names: tuple[str, ...], rows: int) -> Memory:
    """The memory with that many rows at least in these tables; pages that are new have no folder."""
    before = len(getattr(memory, names[0]))
    if rows <= before:
        return memory
    room = rows if before == 0 else rows + rows // 32
    memory = memory._replace(**{name: roomy.longer(getattr(memory, name), room) for name in names})
    if "folder" in names:
        memory.folder[before:] = -1
    return memory
