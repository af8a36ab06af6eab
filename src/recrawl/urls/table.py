"""URLs by number, and numbers by URL: a table of open addresses over one blob of text.

Theory of operation
-------------------
1. Texts stand one after the other in `blob`; text i begins at `begin[i]` and has `length[i]` bytes.
2. A slot holds 32 bits of the text's hash and the number of the text plus one, 0 for an empty slot.  A text is looked
   for from the slot its hash names on, until it is found or an empty slot comes.  Texts settle equal hashes.
3. A text that is removed leaves its slot marked, not empty, so that those behind it are still found.  At the next
   growth marks are gone, and so are the bytes of removed texts where they are many.
4. Slots are twice as many as texts at least: a look-up reads two slots on average.

Eight bytes a slot, twelve for begin and length, and the texts themselves: a Python dict takes twice that and more.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl._jit import bare, inner, wide
from recrawl.arguments import Ids, whole_ids

_FIRST_SLOTS = 1 << 10
_MARK = 0xFFFFFFFF
"""In place of a number: a text was here."""

Bytes = NDArray[np.uint8]


@inner
def _hash(blob: Bytes, begin: int, length: int) -> int:
    """62 bits of all bytes: words of eight, each multiplied in and folded."""
    h = length * 0x9E3779B97F4A7C1
    k = 0
    while k + 8 <= length:
        word = 0
        for j in range(8):
            word |= wide(blob[begin + k + j]) << (8 * j)
        h = (h ^ word) * 0x2545F4914F6CDD1D
        h ^= (h >> 29) & 0x7FFFFFFFF
        k += 8
    while k < length:
        h = (h ^ wide(blob[begin + k])) * 0x100000001B3
        k += 1
    h = (h ^ ((h >> 32) & 0xFFFFFFFF)) * 0x9E3779B97F4A7C1
    h ^= (h >> 29) & 0x7FFFFFFFF
    return h & 0x3FFFFFFFFFFFFFFF


@inner
def _same(a: Bytes, at: int, b: Bytes, bt: int, length: int) -> bool:
    k = 0
    while k < length and a[at + k] == b[bt + k]:
        k += 1
    return k == length


@bare
def _find(
    slots: NDArray[np.uint64],
    blob: Bytes,
    begin: NDArray[np.int64],
    length: NDArray[np.int32],
    texts: Bytes,
    ends: NDArray[np.int64],
    out: Ids,
) -> None:
    """The number of each text, -1 where it is unknown."""
    mask = len(slots) - 1
    at = 0
    for j in range(len(ends)):
        size = ends[j] - at
        h = _hash(texts, at, size)
        slot, tag = h & mask, (h >> 30) & 0xFFFFFFFF
        out[j] = -1
        while slots[slot] != 0:
            entry = slots[slot]
            number = np.int64(entry & np.uint64(0xFFFFFFFF))
            if np.int64(entry >> np.uint64(32)) == tag and number != _MARK:
                i = number - 1
                if length[i] == size and _same(blob, begin[i], texts, at, size):
                    out[j] = i
                    break
            slot = (slot + 1) & mask
        at = ends[j]


@bare
def _insert(
    slots: NDArray[np.uint64], blob: Bytes, begin: NDArray[np.int64], length: NDArray[np.int32], ids: Ids
) -> None:
    """Enter texts that are in the blob and not in the table."""
    mask = len(slots) - 1
    for i in ids:
        h = _hash(blob, begin[i], length[i])
        slot, tag = h & mask, (h >> 30) & 0xFFFFFFFF
        while slots[slot] != 0 and np.int64(slots[slot] & np.uint64(0xFFFFFFFF)) != _MARK:
            slot = (slot + 1) & mask
        slots[slot] = np.uint64(tag) << np.uint64(32) | np.uint64(i + 1)


@bare
def _forget(
    slots: NDArray[np.uint64], blob: Bytes, begin: NDArray[np.int64], length: NDArray[np.int32], ids: Ids
) -> None:
    """Mark the slots of texts that are in the table."""
    mask = len(slots) - 1
    for i in ids:
        slot = _hash(blob, begin[i], length[i]) & mask
        while np.int64(slots[slot] & np.uint64(0xFFFFFFFF)) != i + 1:
            slot = (slot + 1) & mask
        slots[slot] = np.uint64(_MARK)


class UrlTable:
    """Texts under numbers that the caller chooses, found by their text.

    >>> table = UrlTable()
    >>> table.add([0, 1], ["https://a.example/", "https://b.example/"])
    >>> table.find(["https://b.example/", "https://c.example/"]).tolist()
    [1, -1]
    >>> table.texts([0])
    ['https://a.example/']
    """

    def __init__(self) -> None:
        self._slots = np.zeros(_FIRST_SLOTS, dtype=np.uint64)
        self._blob = np.zeros(1 << 12, dtype=np.uint8)
        self._used = 0
        self._begin = np.zeros(0, dtype=np.int64)
        self._length = np.full(0, -1, dtype=np.int32)
        self._live = self._marks = self._wasted = 0

    def __len__(self) -> int:
        return self._live

    def find(self, texts: Sequence[str]) -> Ids:
        """The number of each text, -1 where it is unknown.  O(1) a text."""
        joined, ends = _joined(texts)
        out = np.empty(len(texts), dtype=np.int64)
        _find(self._slots, self._blob, self._begin, self._length, joined, ends, out)
        return out

    def add(self, ids: ArrayLike, texts: Sequence[str]) -> None:
        """Enter texts that are not in the table, under numbers that are not either.  O(1) a text, amortised."""
        numbers = whole_ids(ids)
        joined, ends = _joined(texts)
        if not len(numbers):
            return
        self._make_room(int(numbers.max()) + 1, len(numbers), len(joined))
        begins = np.concatenate(([0], ends[:-1]))
        self._blob[self._used : self._used + len(joined)] = joined
        self._begin[numbers] = self._used + begins
        self._length[numbers] = ends - begins
        self._used += len(joined)
        self._live += len(numbers)
        _insert(self._slots, self._blob, self._begin, self._length, numbers)

    def remove(self, ids: ArrayLike) -> None:
        """Forget texts.  O(1) a text."""
        numbers = whole_ids(ids)
        _forget(self._slots, self._blob, self._begin, self._length, numbers)
        self._wasted += int(self._length[numbers].sum())
        self._length[numbers] = -1
        self._live -= len(numbers)
        self._marks += len(numbers)

    def texts(self, ids: ArrayLike) -> list[str]:
        """The texts of numbers that are in the table."""
        numbers = whole_ids(ids)
        begins = self._begin[numbers].tolist()
        ends = (self._begin[numbers] + self._length[numbers]).tolist()
        blob = self._blob.data
        return [str(blob[a:b], "utf-8") for a, b in zip(begins, ends, strict=True)]

    @property
    def nbytes(self) -> int:
        """Bytes held, of which `text_bytes` are texts."""
        return self._slots.nbytes + self._blob.nbytes + self._begin.nbytes + self._length.nbytes

    @property
    def text_bytes(self) -> int:
        """Bytes of the texts that are in the table."""
        return self._used - self._wasted

    def _make_room(self, numbers: int, more: int, more_bytes: int) -> None:
        if numbers > len(self._begin):
            size = max(numbers, len(self._begin) + len(self._begin) // 4 + 16)
            self._begin = _grown(self._begin, size, 0)
            self._length = _grown(self._length, size, -1)
        if self._used + more_bytes > len(self._blob):
            if 2 * self._wasted > self._used:
                self._close_gaps()
            if self._used + more_bytes > len(self._blob):
                size = max(self._used + more_bytes, len(self._blob) + len(self._blob) // 4)
                self._blob = _grown(self._blob, size, 0)
        if 2 * (self._live + self._marks + more) > len(self._slots):
            size = _FIRST_SLOTS
            while size < 2 * (self._live + more):
                size *= 2
            self._slots = np.zeros(size, dtype=np.uint64)
            self._marks = 0
            live = np.flatnonzero(self._length >= 0)
            _insert(self._slots, self._blob, self._begin, self._length, live)

    def _close_gaps(self) -> None:
        """Move the texts together."""
        live = np.flatnonzero(self._length >= 0)
        live = live[np.argsort(self._begin[live], kind="stable")]
        lengths = self._length[live].astype(np.int64)
        ends = np.cumsum(lengths)
        source = np.repeat(self._begin[live] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
        self._blob[: len(source)] = self._blob[source]
        self._begin[live] = ends - lengths
        self._used, self._wasted = len(source), 0


def _joined(texts: Sequence[str]) -> tuple[Bytes, NDArray[np.int64]]:
    """All texts as bytes, and where each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))
    return np.frombuffer(bytearray(b"".join(encoded)), dtype=np.uint8), ends


def _grown(array: NDArray[Any], size: int, fill: int) -> NDArray[Any]:
    grown = np.full(size, fill, dtype=array.dtype) if fill else np.zeros(size, dtype=array.dtype)
    grown[: len(array)] = array
    return grown
