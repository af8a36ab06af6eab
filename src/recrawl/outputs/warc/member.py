"""A record as one member of a gzip file, which says its own length in its head.

The head has the extra field ``sl`` (skip lengths) of a draft of the WARC format of 2005: lengths of the member and of
what is in it.  Who knows it goes from record to record without inflating anything; other readers pass
over it, as gzip has it.
"""

import struct
import zlib
from typing import BinaryIO, NamedTuple

_HEAD = struct.Struct("<4sIBBH2sHII")
_FIXED = b"\x1f\x8b\x08\x04"  # deflate, with an extra field
_TRAILER = struct.Struct("<II")
HEAD_BYTES = _HEAD.size
_MOST_CHUNK, _UNKNOWN_CHUNK = 1 << 20, 1 << 14


class Head(NamedTuple):
    """The lengths that a member says it has."""

    member: int
    content: int


def member(content: bytes, level: int = 6) -> bytes:
    """The bytes as a whole gzip member."""
    deflater = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    deflated = deflater.compress(content) + deflater.flush()
    length = HEAD_BYTES + len(deflated) + _TRAILER.size
    # No time, and no system: the same record gives the same bytes.
    head = _HEAD.pack(_FIXED, 0, 0, 255, 12, b"sl", 8, length, len(content) & 0xFFFFFFFF)
    return head + deflated + _TRAILER.pack(zlib.crc32(content), len(content) & 0xFFFFFFFF)


def head(data: bytes) -> Head | None:
    """What the head of one of our members says; None where it is none."""
    if len(data) < HEAD_BYTES:
        return None
    fixed, _, _, _, extra, name, size, length, content = _HEAD.unpack(data[:HEAD_BYTES])
    is_ours = fixed == _FIXED and (extra, name, size) == (12, b"sl", 8) and length > HEAD_BYTES + _TRAILER.size
    return Head(length, content) if is_ours else None


def inflated_end(file: BinaryIO, at: int) -> int | None:
    """Where the member that begins there ends, by inflating it; None where it is not whole."""
    file.seek(at)
    data = file.read(HEAD_BYTES)
    said = head(data)
    # Read no further than it says it goes: there are as many members as pages.
    step = min(max(said.member - HEAD_BYTES, 1), _MOST_CHUNK) if said else _UNKNOWN_CHUNK
    inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
    read = len(data)
    try:
        while not inflater.eof:
            if not data:
                return None
            inflater.decompress(data, _MOST_CHUNK)
            data = inflater.unconsumed_tail
            if not data and not inflater.eof:
                data = file.read(step)
                read += len(data)
    except zlib.error:
        return None
    return at + read - len(inflater.unused_data)
