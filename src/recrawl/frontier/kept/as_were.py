"""Pages as they were when a snapshot began, of those that have changed since and are not written yet.

All columns of a page stand in one row of bytes.  A slice of the snapshot needs pages that changed in many different
calls: to put them together column by column for each of these calls took 11 ms a slice; now it is 3.
"""

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl.arguments import Ids

Columns = dict[str, NDArray[Any]]
Rows = NDArray[np.uint8]


class Changed(NamedTuple):
    """Pages with what they were."""

    ids: Ids
    rows: Rows
    urls: list[bytes | None]
    """None for numbers that no page had."""
    validators: list[bytes]


class AsWere:
    """Of up to `pages` pages, with columns `like` those.

    >>> kept = AsWere(10, {"a": np.zeros(0), "b": np.zeros((0, 2), dtype=np.uint8)})
    >>> kept.keep(np.array([3]), {"a": np.array([1.5]), "b": np.array([[7, 8]], dtype=np.uint8)}, [b"url"], [b""])
    >>> columns = {"a": np.zeros(4), "b": np.zeros((4, 2), dtype=np.uint8)}
    >>> changed = kept.between(2, 6)
    >>> kept.put_back(changed, columns, changed.ids - 2)
    >>> columns["a"].tolist(), columns["b"][1].tolist(), changed.urls, kept.new(np.array([3, 4, 4])).tolist()
    ([0.0, 1.5, 0.0, 0.0], [7, 8], [b'url'], [4])
    """

    def __init__(self, pages: int, like: Mapping[str, NDArray[Any]]) -> None:
        self._call = np.zeros(pages, dtype=np.int32)  # with which call a page was kept, from 1 on; 0 where it was not
        self._row = np.zeros(pages, dtype=np.int32)
        self._calls: list[tuple[Rows, list[bytes | None], list[bytes]]] = []
        self._like = {name: (column.dtype, column.shape[1:]) for name, column in like.items()}

    def new(self, ids: Ids) -> Ids:
        """Those of some pages that are not kept yet, each once and in order."""
        return np.unique(ids[self._call[ids] == 0])

    def keep(self, ids: Ids, columns: Columns, urls: list[bytes | None], validators: list[bytes]) -> None:
        """Keep pages, which are new.  O(ids)."""
        each = [np.ascontiguousarray(columns[name]).view(np.uint8).reshape(len(ids), -1) for name in self._wide()]
        self._calls.append((np.concatenate(each, axis=1), urls, validators))
        self._call[ids], self._row[ids] = len(self._calls), np.arange(len(ids))

    def between(self, start: int, stop: int) -> Changed:
        """Those from number `start` up to `stop`.  O(stop - start)."""
        ids = start + np.flatnonzero(self._call[start:stop])
        found = [
            (*self._calls[c - 1], r) for c, r in zip(self._call[ids].tolist(), self._row[ids].tolist(), strict=True)
        ]
        rows = np.stack([rows[r] for rows, _, _, r in found]) if found else np.zeros((0, 0), dtype=np.uint8)
        return Changed(ids, rows, [urls[r] for _, urls, _, r in found], [marks[r] for _, _, marks, r in found])

    def put_back(self, changed: Changed, columns: Columns, places: Ids) -> None:
        """Write over columns, at these places, what pages were."""
        at = 0
        for name in self._wide():
            dtype, shape = self._like[name]
            width = dtype.itemsize * prod(shape)
            part = np.ascontiguousarray(changed.rows[:, at : at + width]).view(dtype)
            columns[name][places] = part.reshape(len(places), *shape)
            at += width

    def _wide(self) -> list[str]:
        """Columns that there is something in."""
        return [name for name, (_, shape) in self._like.items() if prod(shape)]
