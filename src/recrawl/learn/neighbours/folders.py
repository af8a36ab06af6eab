"""Pages come into folders and leave them.

A folder is known by a key (a hash of its name), found in a table of open addressing.  Its pages form a ring.  The key
leads to the folder that has room; one that is full stays, with its pages, and another one begins.  A folder that all
pages have left forgets what it knew.  It waits for pages of its key, until the table is full; then it may become a
folder of another key.
"""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit, wide
from recrawl.learn.neighbours.layout import IN_COMPANY, MOST, UNUSED, Memory

Ids = NDArray[np.int64]
Keys = NDArray[np.uint64]
Names = NDArray[np.int32]

NOBODY = -1
"""In place of the first page of a folder without pages.  Below that: it has no key either, and the number of the next
such folder is NEXT minus this, or there is none."""
NEXT = -3
NO_OTHER = NEXT + 1


@jit
def _slot(keys: Keys, key: int) -> int:
    """Where a key stands in a table, or would."""
    slots = len(keys)
    at = wide((key ^ (key >> np.uint64(32))) & np.uint64(slots - 1))
    while keys[at] != 0 and keys[at] != key:
        at = at + 1 if at + 1 < slots else 0
    return at


@jit
def move_keys(memory: Memory, folders: int, keys: Keys, named: Names) -> int:
    """Enter the keys of folders that have pages into a larger table, and have the others take any key.

    How many keys there are then.
    """
    used = 0
    for k in range(len(memory.keys)):
        key, folder = memory.keys[k], wide(memory.named[k])
        if key != 0 and memory.size[folder] > 0:
            at = _slot(keys, key)
            keys[at], named[at] = key, folder
            used += 1
    memory.numbers[UNUSED] = -1.0
    for folder in range(folders - 1, -1, -1):
        if memory.size[folder] == 0:
            other = wide(memory.numbers[UNUSED])
            memory.first[folder] = NEXT - other if other >= 0 else NO_OTHER
            memory.numbers[UNUSED] = folder
    return used


@jit
def _without_a_key(memory: Memory, folders: int) -> int:
    """A folder that takes any key; `folders`, which has never been used, if there is no other."""
    unused = wide(memory.numbers[UNUSED])
    if unused < 0:
        memory.size[folders] = 0
        return folders
    following = wide(memory.first[unused])
    memory.numbers[UNUSED] = -1.0 if following == NO_OTHER else NEXT - following
    return unused


@jit
def join(memory: Memory, ids: Ids, keys: Keys, folders: int) -> tuple[int, int]:
    """Put pages, which are in no folder, into those of their keys (0: none).

    How many folders there are then, and how many keys are new.  There must be room for as many of each as pages.
    """
    new = 0
    for k in range(len(ids)):
        i = ids[k]
        memory.news[i] = 0
        memory.share[i] = 0
        memory.found[i] = 0
        memory.folder[i] = -1
        if keys[k] == 0:
            continue
        at = _slot(memory.keys, keys[k])
        if memory.keys[at] == 0 or memory.size[memory.named[at]] >= MOST:
            new += 1 if memory.keys[at] == 0 else 0
            folder = _without_a_key(memory, folders)
            folders = max(folders, folder + 1)
            memory.keys[at], memory.named[at] = keys[k], folder
            memory.first[folder] = NOBODY
        _put(memory, i, wide(memory.named[at]))
    return folders, new


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
def first_pages(memory: Memory, keys: Keys, out: Ids) -> int:
    """Pages that `join` changes beside those that it is given: the first of each folder of these keys; how many."""
    n = 0
    for key in keys:
        at = _slot(memory.keys, key)
        if key != 0 and memory.keys[at] != 0 and memory.size[memory.named[at]] > 0:
            out[n] = memory.first[memory.named[at]]
            n += 1
    return n


@jit
def leave(memory: Memory, ids: Ids) -> None:
    """Take pages out of their folders."""
    for i in ids:
        folder = wide(memory.folder[i])
        if folder < 0:
            continue
        before = i
        for _ in range(memory.size[folder] - 1):
            before = wide(memory.after[before])
        if before == i:
            memory.first[folder] = NOBODY
            memory.sums[folder] = 0.0
        else:
            memory.after[before] = memory.after[i]
            if memory.first[folder] == i:
                memory.first[folder] = memory.after[i]
        size = memory.size[folder]
        memory.numbers[IN_COMPANY] -= 2.0 if size == 2 else (1.0 if size > 2 else 0.0)
        memory.size[folder] -= 1
        memory.folder[i] = -1


@jit
def first_broken(memory: Memory, folders: int) -> int:
    """A folder whose first page is not of it, or does not lead to as many pages as it has; -1 if there is none."""
    for folder in range(folders):
        size, first = memory.size[folder], wide(memory.first[folder])
        if size > 0:
            if not 0 <= first < len(memory.folder) or memory.folder[first] != folder:
                return folder
            at, steps = wide(memory.after[first]), 1
            while at != first and steps <= size:
                at, steps = wide(memory.after[at]), steps + 1
            if steps != size:
                return folder
    return -1
