"""Unpacking bodies as they come, never further than allowed.

A small body may unpack to any size.  So each step of unpacking is told beforehand how much it may give, and it stops
when a body, or what lies between two layers of compression, is larger than the limit.

What browsers take is taken: deflate with or without its wrapper, gzip labelled deflate and the other way round, several
gzip members, rubbish after the end, a plain body labelled gzip, and names of encodings that are none, such as utf-8.
"""

import zlib
from collections.abc import Callable
from typing import Protocol

import brotli

from recrawl.fetch.faults import FaultError
from recrawl.fetch.fetched import BOMB_RATIO

MOST_LAYERS = 5
"""Compressions on top of each other; honest servers use one."""
MOST_MEMBERS = 10_000
"""Of one gzip body: each costs time, though it may hold nothing."""
BITE = 1 << 12
"""The most that is taken in one go: a bomb is known by what was taken until it was too large."""
STEP = 1 << 18
"""The most that is unpacked in one go."""

_GZIP_MAGIC = b"\x1f\x8b"
_REAL_BUT_UNKNOWN = frozenset(("zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "lzma", "xz"))


class _Layer(Protocol):
    """One compression: takes packed bytes and gives unpacked ones, at most STEP at a time."""

    @property
    def finished(self) -> bool:
        """Whether the packed data came to its end."""

    def feed(self, data: bytes) -> bytes:
        """Take `data` (nothing: go on with what was taken before) and give some of what it unpacks to."""

    @property
    def hungry(self) -> bool:
        """Whether all that was taken has been given."""


def decoder_for(encodings: str, most: int) -> "Decoder | None":
    """What unpacks a body, given the values of its Content-Encoding headers; None where there is nothing to unpack.

    Raises a FaultError for encodings that are not understood.
    """
    layers = _layers(encodings)
    return Decoder(layers, most) if layers else None


class Decoder:
    """Unpacks one body, to no more than `most` bytes."""

    def __init__(self, layers: list[_Layer], most: int) -> None:
        self._layers = layers
        self._most = most
        self._taken = 0
        self._given = [0] * len(self._layers)

    def feed(self, data: bytes, pieces: list[bytes]) -> None:
        """Put what these bytes unpack to behind `pieces`; raises a FaultError: bad-encoding, bomb or too-large."""
        try:
            for k in range(0, len(data), BITE):
                bite = data[k : k + BITE]
                self._taken += len(bite)
                self._through(0, bite, pieces)
        except (zlib.error, brotli.error) as error:
            raise FaultError("bad-encoding", str(error)) from error

    def finish(self) -> None:
        """The body is complete; raises a FaultError where the packed data is not."""
        if self._taken and not all(layer.finished for layer in self._layers):
            raise FaultError("truncated", "the compressed data has no end")

    def _through(self, k: int, data: bytes, pieces: list[bytes]) -> None:
        """Bytes through layer `k` and those above; depth first, so that only one step a layer is held."""
        if k == len(self._layers):
            pieces.append(data)
            return
        layer = self._layers[k]
        while True:
            piece = layer.feed(data)
            data = b""
            if piece:
                self._count(k, len(piece))
                self._through(k + 1, piece, pieces)
            if layer.hungry:
                return

    def _count(self, k: int, size: int) -> None:
        self._given[k] += size
        if self._given[k] > self._most:
            bomb = self._given[k] >= BOMB_RATIO * self._taken
            raise FaultError("bomb" if bomb else "too-large", f"more than {self._most} bytes, from {self._taken}")


class _Zlib:
    """gzip and deflate, told apart by how they begin and not by what they are called."""

    def __init__(self, called: str) -> None:
        self._called = called
        self._begin = b""  # of a member, while it is too short to tell what it is
        self._rest = b""
        self._more = False
        self._members = 0
        self._unpack: zlib._Decompress | None = None
        self._as_is = False
        self._ignore = False

    @property
    def finished(self) -> bool:
        """Between two members is an end, too; one byte is a plain body."""
        return self._unpack is None

    @property
    def hungry(self) -> bool:
        """Nothing is held back, neither packed nor unpacked."""
        return not self._rest and not self._more

    def feed(self, data: bytes) -> bytes:
        """Take some bytes, and give what they unpack to."""
        if self._as_is:
            return data
        if self._ignore:
            return b""
        data, self._rest = self._rest + data, b""
        if self._unpack is None:
            data, self._begin = self._begin + data, b""
            if len(data) < 2:
                self._begin = data
                return b""
            self._unpack = self._member(data)
            if self._unpack is None:
                return data if self._as_is else b""
        return self._step(self._unpack, data)

    def _step(self, unpack: "zlib._Decompress", data: bytes) -> bytes:
        piece = unpack.decompress(data, STEP)
        self._rest = unpack.unconsumed_tail
        self._more = len(piece) == STEP and not unpack.eof
        if unpack.eof:
            self._unpack, self._rest = None, unpack.unused_data
            self._members += 1
        return piece

    def _member(self, begin: bytes) -> "zlib._Decompress | None":
        """What unpacks data that begins like this; None where it is plain or does not matter."""
        if self._members == 0:
            wrapper = self._wrapper(begin)
            self._as_is = wrapper is None
            return None if wrapper is None else zlib.decompressobj(wrapper)
        if not begin.startswith(_GZIP_MAGIC):
            self._ignore = True  # rubbish after the end
            return None
        if self._members >= MOST_MEMBERS:
            raise FaultError("bad-encoding", f"more than {MOST_MEMBERS} gzip members")
        return zlib.decompressobj(31)

    def _wrapper(self, begin: bytes) -> int | None:
        """What zlib calls the kind of data this begins like; None for data that is not packed at all."""
        if begin.startswith(_GZIP_MAGIC):
            return 31
        if begin[0] & 0x0F == 8 and int.from_bytes(begin[:2], "big") % 31 == 0:
            return 15
        return -15 if self._called == "deflate" else None


class _Brotli:
    """Brotli; it has no mark to know it by."""

    def __init__(self) -> None:
        self._unpack = brotli.Decompressor()

    @property
    def finished(self) -> bool:
        """The last block came."""
        return bool(self._unpack.is_finished())

    @property
    def hungry(self) -> bool:
        """Nothing is held back."""
        return bool(self._unpack.is_finished() or self._unpack.can_accept_more_data())

    def feed(self, data: bytes) -> bytes:
        """Take some bytes, and give what they unpack to; what comes after the end does not matter."""
        if self._unpack.is_finished():
            return b""
        piece: bytes = self._unpack.process(data, output_buffer_limit=STEP)
        return piece


_KINDS: dict[str, Callable[[], _Layer]] = {
    "gzip": lambda: _Zlib("gzip"),
    "x-gzip": lambda: _Zlib("gzip"),
    "deflate": lambda: _Zlib("deflate"),
    "br": _Brotli,
}


def _layers(encodings: str) -> list[_Layer]:
    """What has to be undone, the last one applied first."""
    names = [name.strip().lower() for name in encodings.split(",")]
    unknown = [name for name in names if name in _REAL_BUT_UNKNOWN]
    if unknown:
        raise FaultError("bad-encoding", f"{unknown[0]} was not asked for")
    kinds = [_KINDS[name] for name in reversed(names) if name in _KINDS]
    if len(kinds) > MOST_LAYERS:
        raise FaultError("bad-encoding", f"{len(kinds)} compressions on top of each other")
    return [kind() for kind in kinds]
