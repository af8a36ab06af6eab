"""Arrays that grow in place: address space is reserved for many more rows than are used.

Copying a million pages to a larger array takes 100 ms and more, in the middle of someone's call.  Reserved address
space costs nothing until it is written to, so an array that has some behind it grows at once.  Small arrays are copied:
that is cheaper than a system call.  Where the system refuses to reserve, arrays are copied as well.

Memory comes in huge pages of 2 MB, each cleared by the system when it is first written to, which takes up to 6 ms.
Arrays that grow together would come to the end of theirs in one call: columns of eight bytes a row all do at multiples
of 262,144 rows, and such a call took 140 ms.  So each array begins at another place within its first huge page, and
columns of one width do not all cease to be small in one call.
"""

import contextlib
import itertools
import mmap
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

SMALL = 1 << 20
"""Bytes from which arrays have room behind them; from half of that on, some have."""
AHEAD, LEAST = 64, 1 << 34
"""How many times the bytes asked for are reserved, and how many at least."""
_MOST = 1 << 44
_HUGE, _PAGE = 1 << 21, 1 << 12
_GOLDEN = 0.6180339887498949
_turns = itertools.count()
_NO_RESERVE = 0x4000
"""Linux's MAP_NORESERVE, which Python names from 3.13 on."""


def zeros(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Zeros; where they are many, with room behind them, and beginning at a page of memory."""
    size = _bytes(shape, dtype)
    if size < SMALL // 2 or size < SMALL * (1.0 + _fraction()) / 2.0:
        return np.zeros(shape, dtype=dtype)
    reserved = min(max(AHEAD * size, LEAST), _MOST)
    try:
        space = mmap.mmap(-1, reserved + _HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
    except (OSError, ValueError):  # a limit on address space, or a system that promises no more than it has
        return np.zeros(shape, dtype=dtype)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # slower, no more
            space.madvise(mmap.MADV_HUGEPAGE)
    return _front(np.frombuffer(space, dtype=np.uint8, count=reserved, offset=_beginning()), shape, dtype)


def _beginning() -> int:
    """Another place for each array, far from those before."""
    return int(_fraction() * _HUGE) // _PAGE * _PAGE


def _fraction() -> float:
    """Another number from 0 to 1 each time: multiples of the golden ratio fall into the largest gaps."""
    return next(_turns) * _GOLDEN % 1.0


def longer(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """The array with this number of rows, the new ones zero: in place where it can be, else a copy.

    The array given must not be used any more.
    """
    shape = (rows, *array.shape[1:])
    space = _space(array, shape)
    if space is not None:
        return _front(space, shape, array.dtype)
    grown = zeros(shape, array.dtype)
    grown[: len(array)] = array
    return grown


def wider(array: NDArray[Any], columns: int) -> NDArray[Any]:
    """The array with this number of columns, the new ones zero: in place where it can be, else a copy.

    Most of what that costs is the system's clearing of memory never used before, of which there is half as much in
    place.  Rows are moved from the last to the first, as many at a time as fit behind those that are left, so that
    none is written over before it has moved.  The array given must not be used any more.
    """
    shape = (len(array), columns, *array.shape[2:])
    space = _space(array, shape)
    if space is None or len(array) == 0:
        grown = zeros(shape, array.dtype)
        grown[:, : array.shape[1]] = array
        return grown
    narrow, wide = array.nbytes // len(array), _bytes(shape, array.dtype) // len(array)
    rows = _front(space, (len(array), wide), np.uint8)
    old, end = space[: array.nbytes].view(f"V{narrow}"), len(array)
    while end > 0:
        begin = min(-(-end * narrow // wide), end - 1)
        rows[begin:end, :narrow].view(f"V{narrow}")[:, 0] = old[begin:end]
        if begin * wide < array.nbytes:  # it was in use
            rows[begin:end, narrow:] = 0
        end = begin
    return _front(space, shape, array.dtype)


def _space(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.uint8] | None:
    """The space that an array has the front of, where it is large enough for that shape."""
    space: Any = array.base
    reserved = isinstance(space, np.ndarray) and isinstance(space.base, (mmap.mmap, memoryview))
    return space if reserved and len(space) >= _bytes(shape, array.dtype) else None


def _front(space: NDArray[np.uint8], shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    return space[: _bytes(shape, dtype)].view(dtype).reshape(shape)


def _bytes(shape: tuple[int, ...], dtype: DTypeLike) -> int:
    size = np.dtype(dtype).itemsize
    for n in shape:
        size *= n
    return size
