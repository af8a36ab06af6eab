"""What the frontier itself keeps of each page, a column each; 30 bytes a page."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl.arguments import Ids

NONE, NEW, COPY, GONE = range(4)
"""No page has this number; a page never fetched; one of which there is a copy; one that was not there last time."""
STATES = ("none", "new", "copy", "gone")

COLUMNS: dict[str, type[Any]] = {
    "state": np.uint8,
    "failures": np.uint8,  # in a row
    "moves": np.uint8,  # in a row, without a fetch between
    "host": np.int32,
    "rank": np.uint16,  # among first visits (firsts.py)
    "fetches": np.uint16,  # that compared or made a copy; no more than 65535
    "changes": np.uint16,  # found
    "changed": np.float64,  # when the last one was found, 0 for never
    "fetched": np.float64,  # when the copy was made or compared, 0 for never
    "digest": np.uint64,  # of the copy, 0 for none
}


class Book:
    """Columns by page number."""

    state: NDArray[np.uint8]
    failures: NDArray[np.uint8]
    moves: NDArray[np.uint8]
    host: NDArray[np.int32]
    rank: NDArray[np.uint16]
    fetches: NDArray[np.uint16]
    changes: NDArray[np.uint16]
    changed: NDArray[np.float64]
    fetched: NDArray[np.float64]
    digest: NDArray[np.uint64]

    def __init__(self) -> None:
        for name, kind in COLUMNS.items():
            setattr(self, name, roomy.zeros((0,), kind))

    def make_room(self, pages: int) -> None:
        """Have rows for that many pages at least; a few more each time, so that growing costs O(1) a page."""
        if pages > len(self.state):
            rows = max(pages, len(self.state) + len(self.state) // 32)
            for name in COLUMNS:
                setattr(self, name, roomy.longer(getattr(self, name), rows))

    def clear(self, ids: Ids) -> None:
        """No pages have these numbers."""
        for name in COLUMNS:
            getattr(self, name)[ids] = 0

    def copy(self, old: int, new: int) -> None:
        """What is known of one page is known of another."""
        for name in COLUMNS:
            getattr(self, name)[new] = getattr(self, name)[old]

    def columns(self, which: slice | Ids) -> dict[str, NDArray[Any]]:
        """Copies of all columns of these pages."""
        return {name: getattr(self, name)[which].copy() for name in COLUMNS}

    def set_columns(self, which: slice | Ids, columns: dict[str, NDArray[Any]]) -> None:
        """Put back what `columns` gave."""
        for name in COLUMNS:
            getattr(self, name)[which] = columns[name]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(getattr(self, name).nbytes for name in COLUMNS)
