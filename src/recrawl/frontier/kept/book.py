"""What the frontier itself keeps of each page, a column each; 30 bytes a page."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from recrawl.frontier.kept.table import Table

NONE, NEW, COPY, GONE = range(4)
"""No page has this number; a page never fetched; one of which there is a copy; one that was not there last time."""
STATES = ("none", "new", "copy", "gone")


class Book(Table):
    """Columns by page number."""

    COLUMNS: ClassVar[dict[str, type[Any]]] = {
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
