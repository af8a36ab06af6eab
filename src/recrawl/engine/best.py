"""The n best of a stream of (value, id): a bounded heap with the worst of the kept on top."""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import inner
from recrawl.engine.wide import wide

Values = NDArray[np.float64]
Ids = NDArray[np.int64]


@inner
def _worse(values: Values, ids: Ids, a: int, b: int) -> bool:
    """Whether entry a ranks behind entry b: lower value, ties by higher id."""
    return values[a] < values[b] or (values[a] == values[b] and ids[a] > ids[b])


@inner
def _swap(values: Values, ids: Ids, a: int, b: int) -> None:
    values[a], values[b] = values[b], values[a]
    ids[a], ids[b] = ids[b], ids[a]


@inner
def _sink(values: Values, ids: Ids, size: int) -> None:
    """Let the top entry sink to its place."""
    k = wide(0)
    while 2 * k + 1 < size:
        child = 2 * k + 1
        if child + 1 < size and _worse(values, ids, child + 1, child):
            child += 1
        if not _worse(values, ids, child, k):
            return
        _swap(values, ids, k, child)
        k = child


@inner
def keep(values: Values, ids: Ids, size: int, value: float, i: int) -> int:
    """Offer an entry; how many are kept now.  O(log n)."""
    if size < len(values):
        values[size], ids[size] = value, i
        k = size
        while k > 0 and _worse(values, ids, k, (k - 1) // 2):
            _swap(values, ids, k, (k - 1) // 2)
            k = (k - 1) // 2
        return size + 1
    if value > values[0] or (value == values[0] and i < ids[0]):
        values[0], ids[0] = value, i
        _sink(values, ids, size)
    return size


@inner
def sort_best_first(values: Values, ids: Ids, size: int) -> None:
    """Turn the heap into a list, best first.  O(n log n)."""
    for last in range(size - 1, 0, -1):
        _swap(values, ids, wide(0), last)
        _sink(values, ids, last)
