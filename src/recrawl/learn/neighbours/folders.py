"""Pages come into folders and leave them.

A folder is known by a key (a hash of its name), found in a table of open addressing.  Its pages form a ring.  The key
leads to the folder that has room; one that is full stays, with its pages, and another one begins.
"""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit, wide
from recrawl.learn.neighbours.layout import IN_COMPANY, MOST, Memory

Ids = NDArray[np.int64]
Keys = NDArray[np.uint64]


@jit
def _slot(memory: Memory, key: int) -> int:
    """Where a key stands, or would."""
    slots = len(memory.keys)
    at = wide((key ^ (key >> np.uint64(32))) & np.uint64(slots - 1))
    while memory.keys[at] != 0 and memory.keys[at] != key:
        at = at + 1 if at + 1 < slots else 0
    return at


@jit
def enter(memory: Memory, keys: Keys, named: NDArray[np.int32]) -> int:
    """Enter keys that are not there yet; how many there are then.  There must be room."""
    used = 0
    for k in range(len(keys)):
        if keys[k] != 0:
            at = _slot(memory, keys[k])
            memory.keys[at], memory.named[at] = keys[k], named[k]
            used += 1
    return used


@jit
def join(memory: Memory, ids: Ids, keys: Keys, folders: int) -> int:
    """Put pages, which are in no folder, into those of their keys (0: none); how many folders there are then.

    There must be room for as many folders and keys as pages.
    """
    for k in range(len(ids)):
        i = ids[k]
        memory.news[i] = 0
        memory.share[i] = 0
        memory.folder[i] = -1
        if keys[k] == 0:
            continue
        at = _slot(memory, keys[k])
        if memory.keys[at] == 0 or memory.size[memory.named[at]] >= MOST:
            memory.keys[at], memory.named[at] = keys[k], folders
            memory.first[folders], memory.size[folders] = -1, 0
            folders += 1
        _put(memory, i, wide(memory.named[at]))
    return folders


@jit
def _put(memory: Memory, i: int, folder: int) -> None:
    first = wide(memory.first[folder])
    memory.folder[i] = folder
    if first < 0:
        memory.first[folder], memory.after[i] = i, i
    else:
        memory.after[i], memory.after[first] = memory.after[first], i
    memory.size[folder] += 1
    size = memory.size[folder]
    memory.numbers[IN_COMPANY] += 2.0 if size == 2 else (1.0 if size > 2 else 0.0)


@jit
def leave(memory: Memory, ids: Ids) -> None:
    """Take pages out of their folders."""
    for i in ids:
        folder = wide(memory.folder[i])
        if folder < 0:
            continue
        before = i
        while memory.after[before] != i:
            before = wide(memory.after[before])
        if before == i:
            memory.first[folder] = -1
        else:
            memory.after[before] = memory.after[i]
            if memory.first[folder] == i:
                memory.first[folder] = memory.after[i]
        size = memory.size[folder]
        memory.numbers[IN_COMPANY] -= 2.0 if size == 2 else (1.0 if size > 2 else 0.0)
        memory.size[folder] -= 1
        memory.folder[i] = -1
