"""Looks into SQLite's log for what SQLite does not say: whether commits at its end were dropped, and how many.

SQLite takes the log up to the last commit whose checksums hold, and forgets what follows without a word.  What follows
is a torn tail where a crash cut a commit short: one commit at most, for each is synced before the next begins.  More
than one were lost by damage.

Layout (sqlite.org/fileformat2.html, section 4): a head of 32 bytes with two salts, then frames: 24 bytes of head (page,
size of the file after a commit or 0, the salts, a checksum) and a page.  Frames with other salts are of earlier rounds.
The checksum goes on from frame to frame.  It is linear in its words, so that a page is one product with a matrix.
"""

import os
import struct
from functools import cache
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

MAGICS = {0x377F0682: "<u4", 0x377F0683: ">u4"}
MOST_ROUNDS = 1 << 20
_HEAD_BYTES, _FRAME_HEAD_BYTES = 32, 24
Sums = NDArray[np.uint32]


class Tail(NamedTuple):
    """What follows the last good commit of a log."""

    frames: int
    commits: int
    head_is_good: bool


NOTHING = Tail(0, 0, True)


def tail(journal: str) -> Tail:
    """Of the log beside a journal file; nothing follows where there is none."""
    path = f"{journal}-wal"
    if not os.path.exists(path) or os.path.getsize(path) <= _HEAD_BYTES:
        return NOTHING
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
        magic, _, page_bytes, _, *_ = struct.unpack(">8I", head)
        order = MAGICS.get(magic)
        if order is None or _sums(head[:24], order, np.zeros(2, np.uint32)).tolist() != _recorded(head, 24):
            return Tail(0, 0, False)
        return _follow(file, page_bytes, order, head)


def _follow(file: BinaryIO, page_bytes: int, order: str, head: bytes) -> Tail:
    salts = head[16:24]
    sums = np.array(_recorded(head, 24), np.uint32)
    holds, frames, commits = True, 0, 0
    while frame := file.read(_FRAME_HEAD_BYTES + page_bytes):
        if len(frame) < _FRAME_HEAD_BYTES + page_bytes:  # not even written whole
            frames += frame[8:16] == salts
            break
        if _is_of_earlier_round(frame[8:16], salts):
            break
        if frame[8:16] != salts:
            holds = False
        if holds:
            sums = _sums(frame[:8] + frame[24:], order, sums)
            holds = sums.tolist() == _recorded(frame, 16)
        is_commit = frame[4:8] != bytes(4)
        if holds and is_commit:
            frames = commits = 0
        else:
            frames += 1
            commits += is_commit
    return Tail(frames, commits, True)


def _is_of_earlier_round(salts: bytes, ours: bytes) -> bool:
    """The first salt is one more in each round; anything else that is not ours is damage."""
    ago = int.from_bytes(ours[:4], "big") - int.from_bytes(salts[:4], "big")
    return 0 < ago % (1 << 32) < MOST_ROUNDS


def _recorded(head: bytes, at: int) -> list[int]:
    return list(struct.unpack(">2I", head[at : at + 8]))


def _sums(data: bytes, order: str, before: Sums) -> Sums:
    """s0 += x0 + s1, s1 += x1 + s0 for each pair of words, modulo 2^32."""
    words = np.frombuffer(data, order).astype(np.uint32)
    onward, weights = _weights(len(words) // 2)
    return onward @ before + weights @ words


@cache
def _weights(pairs: int) -> tuple[Sums, Sums]:
    """What the sums before, and each word, count for in the sums after so many pairs."""
    step = np.array([[1, 1], [1, 2]], np.uint32)
    enter = np.array([[1, 0], [1, 1]], np.uint32)
    power = np.eye(2, dtype=np.uint32)
    weights = np.empty((2, 2 * pairs), np.uint32)
    for pair in range(pairs - 1, -1, -1):
        weights[:, 2 * pair : 2 * pair + 2] = power @ enter
        power = power @ step
    return power, weights
