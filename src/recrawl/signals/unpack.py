"""Files that may be packed with gzip, unpacked piece by piece.

What gzip is shows in its first two bytes, not in names or content types.  Each piece has a bounded size, so a small
file that unpacks to a large one costs the memory of one piece.  Of a broken file comes all that stands before the
break; the checksum and the length behind the packed data are passed over, since by then all of it has been read.
"""

import zlib
from collections.abc import Iterator

PIECE = 1 << 16
"""Bytes unpacked at a time; given are less than twice as many."""
MOST_LAYERS = 3
"""A file may be packed, and be packed again by the server; beyond that someone is having fun."""
MOST_BETWEEN = 1 << 26
"""Bytes that one layer gives to the next: packed ones that hold nothing may be any number."""
MOST_MEMBERS = 10_000
"""Packed files that follow each other in one: each costs time, though it may hold nothing."""

_MAGIC = b"\x1f\x8b"
_WITHOUT_HEADER = -15
_SUM, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16
"""Flags in the header: what else stands in it."""
_TRAILER = 8


def unpacked(data: bytes, most: int) -> Iterator[bytes]:
    """Up to `most` bytes of a file that may be packed.  Of a broken one comes what stands before the break."""
    pieces: Iterator[bytes] = (data[at : at + PIECE] for at in range(0, len(data), PIECE))
    for _ in range(MOST_LAYERS):
        first = next(pieces, b"")
        pieces = _chained(first, pieces)
        if not first.startswith(_MAGIC):
            break
        pieces = _at_most(_joined(_inflated(_Source(pieces))), MOST_BETWEEN)
    return _at_most(pieces, most)


def inflated(inflater: "zlib._Decompress", data: bytes, most: int) -> tuple[bytes, bool]:
    """At most `most` bytes that `data` unpacks to, and whether it is broken: then all that stands before the break.

    zlib forgets what it has made out where it finds an error, so the same is done again byte by byte.
    """
    again = inflater.copy()
    try:
        return inflater.decompress(data, most), False
    except zlib.error:
        found = bytearray()
        try:
            for at in range(len(data)):
                found += again.decompress(data[at : at + 1])
        except zlib.error:
            pass
        return bytes(found[:most]), True


def _at_most(pieces: Iterator[bytes], most: int) -> Iterator[bytes]:
    for piece in pieces:
        if most <= 0:
            return
        yield piece[:most]
        most -= len(piece)


def _chained(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from others


def _joined(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """No small pieces but the last: readers look at what waits for its end anew with each."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield b"".join(held)
            held.clear()
            size = 0
    if held:
        yield b"".join(held)


class _Source:
    """Bytes that come in pieces, to be taken in others."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def piece(self) -> bytes:
        """The next ones, as many as there are at once; nothing at the end."""
        rest, self._rest = self._rest, b""
        return rest or next(self._pieces, b"")

    def put_back(self, data: bytes) -> None:
        """These were not needed."""
        self._rest = data + self._rest

    def take(self, count: int) -> bytes:
        """So many, or what there is."""
        found = b""
        while len(found) < count and (piece := self.piece()):
            found += piece
        self.put_back(found[count:])
        return found[:count]

    def skip_text(self) -> None:
        """Past the next zero."""
        while piece := self.piece():
            _, zero, rest = piece.partition(b"\0")
            if zero:
                self.put_back(rest)
                return


def _inflated(source: _Source) -> Iterator[bytes]:
    """What is packed in it.  Several packed files may follow each other; what else follows is passed over."""
    for _ in range(MOST_MEMBERS):
        if not _skip_header(source):
            return
        inflater = zlib.decompressobj(_WITHOUT_HEADER)
        while not inflater.eof:
            rest = source.piece()
            piece, broken = inflated(inflater, rest, PIECE)
            if piece:
                yield piece
            if broken or not rest:
                return
            source.put_back(inflater.unconsumed_tail or inflater.unused_data)
        source.take(_TRAILER)


def _skip_header(source: _Source) -> bool:
    """Whether a packed file begins here, past its header."""
    fixed = source.take(10)
    if len(fixed) < 10 or not fixed.startswith(_MAGIC) or fixed[2] != zlib.DEFLATED:
        return False
    flags = fixed[3]
    if flags & _EXTRA:
        source.take(int.from_bytes(source.take(2), "little"))
    if flags & _NAME:
        source.skip_text()
    if flags & _COMMENT:
        source.skip_text()
    if flags & _SUM:
        source.take(2)
    return True
