"""Files that may be packed with gzip, unpacked piece by piece.

What gzip is shows in its first two bytes, not in names or content types.  Each piece has a bounded size, so a small
file that unpacks to a large one costs the memory of one piece.
"""

import zlib
from collections.abc import Iterator

PIECE = 1 << 16
"""Bytes given at a time."""
MOST_LAYERS = 3
"""A file may be packed, and be packed again by the server; beyond that someone is having fun."""

_MAGIC = b"\x1f\x8b"
_WITH_GZIP_HEADER = 31


def unpacked(data: bytes, most: int) -> Iterator[bytes]:
    """Up to `most` bytes of a file that may be packed.  Of a broken one comes what stands before the break."""
    pieces: Iterator[bytes] = (data[at : at + PIECE] for at in range(0, len(data), PIECE))
    for _ in range(MOST_LAYERS):
        first = next(pieces, b"")
        pieces = _chained(first, pieces)
        if not first.startswith(_MAGIC):
            break
        pieces = _inflated(pieces)
    for piece in pieces:
        if most <= 0:
            return
        yield piece[:most]
        most -= len(piece)


def _chained(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from others


def _inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What is packed in the pieces.  Several packed files may follow each other; what else follows is passed over."""
    inflater = zlib.decompressobj(_WITH_GZIP_HEADER)
    for rest in pieces:
        while rest:
            if inflater.eof:
                if not rest.startswith(_MAGIC):
                    return
                inflater = zlib.decompressobj(_WITH_GZIP_HEADER)
            try:
                piece = inflater.decompress(rest, PIECE)
            except zlib.error:
                return
            if piece:
                yield piece
            rest = inflater.unconsumed_tail or inflater.unused_data
