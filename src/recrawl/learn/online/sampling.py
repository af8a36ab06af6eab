"""Which pages priors are learned from when there are very many."""

import numpy as np
from numpy.typing import NDArray

SAMPLE = 10_000
A_HOST = 16
"""Priors come from SAMPLE pages, or from A_HOST pages of each host where that is more."""


def sample_size(hosts: int) -> int:
    """How many pages are enough."""
    return max(SAMPLE, A_HOST * hosts)


def spread_over_hosts(host: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    """Ids of the first page of every host, then of the second, and so on, up to `most`; in rising order.

    >>> spread_over_hosts(np.array([0, 0, 0, 1, 2, 2], dtype=np.int32), most=4).tolist()
    [0, 1, 3, 4]
    """
    order = np.argsort(host, kind="stable")
    ordered = host[order]
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    rank = np.empty(len(host), dtype=np.int64)
    rank[order] = np.arange(len(host)) - np.repeat(begins, np.diff(np.append(begins, len(host))))
    return np.sort(np.argsort(rank, kind="stable")[:most]).astype(np.int32)
