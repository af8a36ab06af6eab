"""Which pages priors are learned from when there are very many."""

import numpy as np
from numpy.typing import NDArray

SAMPLE = 10_000
A_GROUP = 16
"""Priors come from so many pages, or so many for each group where that is more."""


def sample_size(groups: int) -> int:
    """How many pages are enough."""
    return max(SAMPLE, A_GROUP * groups)


def spread_over_groups(group: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    """Ids of the first page of every group, then of the second, and so on, up to `most`; in rising order.

    >>> spread_over_groups(np.array([0, 0, 0, 1, 2, 2], dtype=np.int32), most=4).tolist()
    [0, 1, 3, 4]
    """
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - np.repeat(begins, np.diff(np.append(begins, len(group))))
    return np.sort(np.argsort(rank, kind="stable")[:most]).astype(np.int32)
