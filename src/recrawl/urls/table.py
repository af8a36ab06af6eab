"""URLs by number, and numbers by URL: a table of open addresses over one blob of text.

Theory of operation
-------------------
1. Texts stand one after the other in a blob, each behind its number; `places` says where, and how many bytes.
2. A slot holds 32 bits of the text's hash and the number of the text plus one, 0 for an empty slot.  A text is looked
   for from the slot that the first bits of its hash name on, until it is found or an empty slot comes.  Texts settle
   equal hashes.  When a text is removed, those behind it move up: no slot is marked.
3. Slots are at least 8/5 as many as texts.  When they are too few there are twice as many, and each call that adds
   moves some from the old ones to the new.  Until that is done, a text is asked for in both.  A slot holds all of the
   hash that is needed, so no text is read for it.  Even the memory of the new slots comes bit by bit, shortly before:
   the first texts would fall all over it, and the system would have to clear all of it within one call.
4. Bytes of removed texts are used again when they are many: texts move together, some with each call that adds.
5. Arrays grow in place (roomy.py).  So no call takes long, whatever the number of texts.

Between 13 and 26 bytes of slots a text, twelve for place and number, and the text itself: a Python dict takes more than
twice that.  One call at a time: look-ups must not run beside calls that change the table.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from recrawl import roomy
from recrawl.arguments import Ids, whole_ids, whole_number
from recrawl.errors import InputError
from recrawl.urls import kernels
from recrawl.urls.kernels import PAD, PREFIX, SIZE_BITS, Bytes, Table

_FIRST_SLOTS = 1 << 10
_FULL = 5 / 8
"""How many of the slots may hold a text."""
_MOST_NUMBER = (1 << 31) - 2
_MOST_BYTES = (1 << SIZE_BITS) - 1
_RESERVED = 1 << 26
"""Bytes of large arrays for many times which there is address space, so that they need not move."""
_SLOTS_A_CALL, _SLOTS_A_TEXT = 2048, 16
_BYTES_A_CALL, _BYTES_A_BYTE = 1 << 15, 8
"""How much of the work that is spread over calls each does: some, and more when it adds more."""
_NEARLY = 0.97
"""From this part of the texts there is room for, the next slots are made ready."""
_READY = 1 << 18
"""How many slots at a time: two megabytes."""
_NO_SLOTS = np.zeros(0, dtype=np.uint64)


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
        self._table = Table(
            slots=np.zeros(_FIRST_SLOTS, dtype=np.uint64),
            old=_NO_SLOTS,
            blob=np.zeros(1 << 12, dtype=np.uint8),
            places=np.zeros(0, dtype=np.int64),
        )
        self._live = self._used = self._wasted = 0
        self._next, self._ready = _NO_SLOTS, 0  # the slots to come, and how many have memory
        self._moved = 0  # old slots that are empty, from the first on
        self._read = self._write = 0  # how far texts have moved together; both 0 where they do not

    def __len__(self) -> int:
        return self._live

    def find(self, texts: Sequence[str]) -> Ids:
        """The number of each text, -1 where it is unknown.  O(1) a text."""
        return self._find(*_encoded(texts))

    def find_bytes(self, joined: bytes | bytearray | memoryview | Bytes, ends: ArrayLike) -> Ids:
        """The same of texts in UTF-8 that stand one after the other, by where each ends."""
        data, until = _padded(joined), whole_ids(ends)
        if len(until) and (until[0] < 0 or until[-1] > len(data) - PAD or np.any(until[1:] < until[:-1])):
            raise InputError(f"ends must rise from 0 to {len(data) - PAD} at most", argument="ends")
        return self._find(data, until)

    def _find(self, data: Bytes, ends: Ids) -> Ids:
        out = np.empty(len(ends), dtype=np.int64)
        if len(ends):
            kernels.find(self._table, self._moved, data, ends, np.empty(len(ends), dtype=np.int64), out)
        return out

    def add(self, ids: ArrayLike, texts: Sequence[str]) -> None:
        """Enter texts that are not in the table, under numbers that are not either.  O(1) a text."""
        numbers = whole_ids(ids)
        if len(numbers) != len(texts):
            raise InputError(f"texts must be as many as ids, {len(numbers)}, got {len(texts)}", argument="texts")
        self._enter(numbers, *_encoded(texts))

    def remove(self, ids: ArrayLike) -> None:
        """Forget texts.  O(1) a text."""
        numbers = self._known(ids)
        wasted = int(kernels.forget(self._table, self._moved, numbers)) if len(numbers) else 0
        self._wasted += wasted
        self._live -= len(np.unique(numbers))

    def texts(self, ids: ArrayLike) -> list[str]:
        """The texts of numbers that are in the table."""
        numbers = whole_ids(ids)
        ends = np.empty(len(numbers), dtype=np.int64)
        total = int(kernels.size_of_all(self._table, numbers, ends))
        if total < 0:
            raise _unknown(numbers[-1 - total])
        joined = np.empty(total, dtype=np.uint8)
        kernels.read_all(self._table, numbers, joined)
        whole = joined.tobytes()
        bounds = pairwise([0, *ends.tolist()])
        if whole.isascii():  # cut as text: cheaper than each by itself
            text = whole.decode("ascii")
            return [text[a:b] for a, b in bounds]
        return [str(whole[a:b], "utf-8", "surrogatepass") for a, b in bounds]

    def columns(self, start: int, stop: int) -> tuple[NDArray[np.int32], Bytes]:
        """Bytes of each text from number `start` up to `stop`, -1 for none; and the texts, one after the other."""
        start = whole_number("start", start, 0)
        sizes = np.full(whole_number("stop", stop, start) - start, -1, dtype=np.int32)
        there = sizes[: max(len(self._table.places) - start, 0)]
        total = int(kernels.sizes_of(self._table, start, there)) if len(there) else 0
        texts = np.empty(total, dtype=np.uint8)
        if total:
            kernels.read_texts(self._table, start, len(there), texts)
        return sizes, texts

    def extend(self, start: int, sizes: ArrayLike, texts: bytes | bytearray | memoryview | Bytes) -> None:
        """Enter what `columns` gave, under the numbers from `start` on: for a table that is built anew."""
        each = whole_ids(sizes)
        data = _padded(texts)
        there = np.flatnonzero(each >= 0)
        ends = np.cumsum(each[there])
        if (ends[-1] if len(ends) else 0) != len(data) - PAD:
            raise InputError(f"sizes must sum up to the bytes of texts, {len(data) - PAD}", argument="sizes")
        self._enter(there + whole_number("start", start, 0), data, ends)

    @property
    def nbytes(self) -> int:
        """Bytes held, of which `text_bytes` are texts."""
        return sum(array.nbytes for array in (*self._table, self._next))

    @property
    def text_bytes(self) -> int:
        """Bytes of the texts that are in the table."""
        return self._used - self._wasted - PREFIX * self._live

    # -- inside ------------------------------------------------------------------------------------------------------

    def _known(self, ids: ArrayLike) -> Ids:
        numbers = whole_ids(ids)
        bad = kernels.first_unknown(self._table, numbers) if len(numbers) else -1
        if bad >= 0:
            raise _unknown(numbers[bad])
        return numbers

    def _enter(self, numbers: Ids, data: Bytes, ends: Ids) -> None:
        if not len(numbers):
            return
        if numbers.min() < 0 or numbers.max() > _MOST_NUMBER:
            raise InputError(f"ids must be from 0 to {_MOST_NUMBER}", argument="ids")
        if np.diff(ends, prepend=0).max() > _MOST_BYTES:
            raise InputError(f"texts must be of at most {_MOST_BYTES:,} bytes each", argument="texts")
        self._make_room(int(numbers.max()) + 1, len(numbers), len(data) - PAD + PREFIX * len(numbers))
        bad = kernels.first_known(self._table, numbers)
        if bad >= 0:
            raise InputError(f"ids must have no text yet, got {numbers[bad]}, which has one", argument="ids")
        tags = np.empty(len(numbers), dtype=np.int64)
        self._used = int(kernels.enter(self._table, self._used, numbers, data, ends, tags))
        self._live += len(numbers)

    def _make_room(self, numbers: int, more: int, more_bytes: int) -> None:
        """Have room for texts, and do a part of the work that is spread over calls."""
        if len(self._table.old):
            self._move_slots(_SLOTS_A_CALL + _SLOTS_A_TEXT * more)
        self._close_gaps(_BYTES_A_CALL + _BYTES_A_BYTE * more_bytes)
        table = self._table
        places, blob = _longer(table.places, numbers), _longer(table.blob, self._used + more_bytes + PAD)
        self._table = table._replace(places=places, blob=blob)
        if self._live + more > _FULL * len(table.slots):
            self._add_slots(more)
        elif self._live + more > _NEARLY * _FULL * len(table.slots):
            self._prepare_slots()

    def _prepare_slots(self) -> None:
        if not len(self._next):
            self._next, self._ready = roomy.zeros((2 * len(self._table.slots),), np.uint64), 0
        self._next[self._ready : self._ready + _READY : 512] = 0  # once every 4,096 bytes
        self._ready += _READY

    def _add_slots(self, more: int) -> None:
        if len(self._table.old):  # many texts at once: what was being moved is little beside them
            self._move_slots(len(self._table.old))
        size = 2 * len(self._table.slots)
        while self._live + more > _FULL * size:
            size *= 2
        slots = self._next if len(self._next) == size else roomy.zeros((size,), np.uint64)
        self._table, self._moved = self._table._replace(slots=slots, old=self._table.slots), 0
        self._next = _NO_SLOTS

    def _move_slots(self, count: int) -> None:
        self._moved = int(kernels.move_slots(self._table, self._moved, count))
        if self._moved == len(self._table.old):
            self._table, self._moved = self._table._replace(old=_NO_SLOTS), 0

    def _close_gaps(self, budget: int) -> None:
        """Move texts together where a quarter of the bytes are those of removed ones."""
        if not self._read and 4 * self._wasted <= self._used + _BYTES_A_CALL:
            return
        state = kernels.close_gaps(self._table, self._read, self._write, self._used, budget)
        self._read, self._write = int(state[0]), int(state[1])
        if self._read == self._used:
            self._wasted -= self._used - self._write
            self._used, self._read, self._write = self._write, 0, 0


def _unknown(number: int) -> InputError:
    return InputError(f"ids must be those of texts in the table, got {number}", argument="ids")


def _encoded(texts: Sequence[str]) -> tuple[Bytes, Ids]:
    """All texts as bytes, PAD more, and where each ends.  Lone surrogates pass: any text can be looked for."""
    joined = "".join(texts)
    if joined.isascii():
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return np.frombuffer(bytearray(joined + "\0" * PAD, "ascii"), dtype=np.uint8), np.cumsum(sizes)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    sizes = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    return _padded(b"".join(encoded)), np.cumsum(sizes)


def _padded(texts: bytes | bytearray | memoryview | Bytes) -> Bytes:
    """A copy with PAD bytes behind it: kernels read eight at a time, and take no read-only arrays."""
    given = np.frombuffer(texts, dtype=np.uint8)
    data = np.empty(len(given) + PAD, dtype=np.uint8)
    data[: len(given)] = given
    data[len(given) :] = 0
    return data


def _longer(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """The array with room for that many rows, in place where it is large."""
    if rows <= len(array):
        return array
    rows = max(rows, len(array) + len(array) // 16 + 64)
    if array.nbytes >= roomy.SMALL:
        return roomy.longer(array, rows)
    grown = _zeros(rows, array.dtype)
    grown[: len(array)] = array
    return grown


def _zeros(rows: int, dtype: DTypeLike) -> NDArray[Any]:
    size = np.dtype(dtype).itemsize
    if rows * size < roomy.SMALL:
        return np.zeros(rows, dtype=dtype)
    return roomy.zeros((max(rows, _RESERVED // size),), dtype)[:rows]
