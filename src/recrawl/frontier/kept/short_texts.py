"""A short text for each of many pages, replaced often: validators such as ETags.

Texts lie in slots of one block of bytes, whose sizes are multiples of eight.  A slot that is given up goes to the free
slots of its size, each of which holds the number of the next, so that nothing is ever moved.  Six bytes a page beside
the text, and four on average for rounding up.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl._jit import bare, inner, prefetch_row, wide
from recrawl.arguments import Ids

MOST_BYTES = 504
"""Longer texts are not kept."""
_SIZES = MOST_BYTES // 8 + 1

Bytes = NDArray[np.uint8]


@inner
def _next(blob: Bytes, slot: int) -> int:
    """The number that stands in a free slot."""
    number = 0
    for k in range(8):
        number |= wide(blob[8 * slot + k]) << (8 * k)
    return number


@bare
def _put(
    blob: Bytes,
    begin: NDArray[np.int32],
    length: NDArray[np.uint16],
    free: NDArray[np.int64],
    used: int,
    ids: Ids,
    texts: Bytes,
    ends: NDArray[np.int64],
) -> int:
    """Replace the texts of pages; how much of the block is used then, in eights of bytes."""
    at = 0
    for k in range(len(ids)):
        i = ids[k]
        new = ends[k] - at if ends[k] - at <= MOST_BYTES else 0
        old_size, size = (wide(length[i]) + 7) // 8, (new + 7) // 8
        slot = wide(begin[i])
        if old_size != size:
            if old_size > 0:
                for j in range(8):
                    blob[8 * slot + j] = (free[old_size] >> (8 * j)) & 0xFF
                free[old_size] = slot + 1  # 0 is the end of the list
            if size > 0:
                if free[size] > 0:
                    slot = free[size] - 1
                    free[size] = _next(blob, slot)
                else:
                    slot, used = used, used + size
        for j in range(new):
            blob[8 * slot + j] = texts[at + j]
        begin[i], length[i] = slot, new
        at = ends[k]
    return used


@bare
def _ends(blob: Bytes, begin: NDArray[np.int32], length: NDArray[np.uint16], ids: Ids, ends: NDArray[np.int64]) -> int:
    """Where the texts of pages would end, stood they one after the other; they are asked for ahead of need."""
    for i in ids:
        if i < len(begin):
            prefetch_row(begin, i)
            prefetch_row(length, i)
    total = 0
    for k in range(len(ids)):
        if ids[k] < len(begin):
            prefetch_row(blob, 8 * wide(begin[ids[k]]))
            total += wide(length[ids[k]])
        ends[k] = total
    return total


@bare
def _read(blob: Bytes, begin: NDArray[np.int32], ids: Ids, ends: NDArray[np.int64], out: Bytes) -> None:
    at = 0
    for k in range(len(ids)):
        if ends[k] > at:
            first = 8 * wide(begin[ids[k]])
            for j in range(ends[k] - at):
                out[at + j] = blob[first + j]
        at = ends[k]


class ShortTexts:
    """Texts of at most MOST_BYTES by page.

    >>> texts = ShortTexts()
    >>> texts.put(np.array([3, 5]), [b"one", b"two"])
    >>> texts.get(np.array([5, 4, 3]))
    [b'two', b'', b'one']
    """

    def __init__(self) -> None:
        self._blob = roomy.zeros((0,), np.uint8)
        self._begin = roomy.zeros((0,), np.int32)
        self._length = roomy.zeros((0,), np.uint16)
        self._free = np.zeros(_SIZES, dtype=np.int64)
        self._used = 0

    def put(self, ids: Ids, texts: Sequence[bytes]) -> None:
        """Replace the texts of pages, which are all different; b"" for none.  O(1) a page."""
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        self.put_joined(ids, np.frombuffer(bytearray(b"".join(texts)), dtype=np.uint8), ends)

    def put_joined(self, ids: Ids, texts: Bytes, ends: Ids) -> None:
        """The same, for texts that stand one after the other, by where each ends."""
        if not len(ids) or (not len(self._begin) and not len(texts)):
            return
        pages = int(ids.max()) + 1
        if pages > len(self._begin):
            pages = max(pages, len(self._begin) + len(self._begin) // 8)
            self._begin, self._length = roomy.longer(self._begin, pages), roomy.longer(self._length, pages)
        needed = 8 * self._used + len(texts) + 8 * len(ids)
        if needed > len(self._blob):
            self._blob = roomy.longer(self._blob, needed + needed // 8)
        self._used = int(_put(self._blob, self._begin, self._length, self._free, self._used, ids, texts, ends))

    def get(self, ids: Ids) -> list[bytes]:
        """The texts of pages."""
        if not len(self._begin):
            return [b""] * len(ids)
        ends = np.empty(len(ids), dtype=np.int64)
        joined = np.empty(int(_ends(self._blob, self._begin, self._length, ids, ends)), dtype=np.uint8)
        _read(self._blob, self._begin, ids, ends, joined)
        whole = joined.tobytes()
        return [whole[a:b] for a, b in pairwise([0, *ends.tolist()])]

    @property
    def empty(self) -> bool:
        """Whether there was never a text."""
        return not len(self._begin)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return 8 * self._used + self._begin.nbytes + self._length.nbytes

    def columns(self, ids: Ids) -> dict[str, NDArray[Any]]:
        """The texts of pages as two columns."""
        texts = self.get(ids)
        lengths = np.fromiter(map(len, texts), dtype=np.uint16, count=len(texts))
        return {"lengths": lengths, "bytes": np.frombuffer(b"".join(texts), dtype=np.uint8)}

    def set_columns(self, ids: Ids, columns: dict[str, NDArray[Any]]) -> None:
        """Put back what `columns` gave."""
        whole, at, texts = columns["bytes"].tobytes(), 0, []
        for n in columns["lengths"].tolist():
            texts.append(whole[at : at + n])
            at += n
        self.put(ids, texts)
