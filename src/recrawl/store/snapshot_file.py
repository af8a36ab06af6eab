"""A snapshot as one file: parts with their names and checksums, written beside its place and put there whole.

Layout: lines of JSON, each behind the CRC-32 of its text in eight hexadecimal digits.  The first has magic, version,
the group the snapshot stands at, which recrawl wrote it and when; one stands before the bytes of each part (name,
bytes, CRC-32); the last says how many parts there were.  Format 1 had no CRC-32 before its lines.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any, BinaryIO, NamedTuple

from recrawl import clock
from recrawl.errors import InputError
from recrawl.files.whole import whole
from recrawl.store.damage import DamagedError, other_format
from recrawl.store.protocol import Parts

MAGIC = "recrawl-snapshot"
FORMAT = 2
SLICE_BYTES = 2 << 20


class Head(NamedTuple):
    """What a snapshot says of itself."""

    version: int
    upto: int
    recrawl: str | None
    written: float | None
    """Seconds since 1970."""


def write(path: str, upto: int, parts: Parts, last_check: Callable[[], None] = lambda: None) -> None:
    """Write all parts; the file gets its name when the last one is on the disk and `last_check` has not raised."""
    with whole(path) as file:
        head = {"magic": MAGIC, "version": FORMAT, "upto": upto, "recrawl": _own_version()}
        _write_line(file, {**head, "written": clock.wall_seconds()})
        names = set()
        gathered = 0
        for name, data in parts:
            if name in names:
                raise InputError(f"parts must have different names, got {name!r} twice", "parts")
            names.add(name)
            plain = memoryview(data)
            plain = plain.cast("B") if plain.nbytes else memoryview(b"")  # a view without bytes cannot be cast
            _write_line(file, {"part": name, "bytes": plain.nbytes, "crc32": zlib.crc32(plain)})
            for begin in range(0, plain.nbytes, SLICE_BYTES):
                gathered += file.write(plain[begin : begin + SLICE_BYTES])
                if gathered >= SLICE_BYTES:  # where much waits for the disk, so does the next group of the journal
                    file.flush()
                    os.fdatasync(file.fileno())
                    gathered = 0
        _write_line(file, {"end": True, "parts": len(names)})
        last_check()


def read(path: str) -> tuple[int, dict[str, bytes]]:
    """The group it stands at and the parts; a DataError where the file is not whole."""
    with reading(path) as (head, parts):
        return head.upto, dict(parts)


@contextmanager
def reading(path: str) -> Iterator[tuple[Head, Iterator[tuple[str, bytes]]]]:
    """What it says of itself, and the parts one by one; a DataError as soon as something is damaged."""
    with open(path, "rb") as file:
        head = _head(file, path)
        yield head, _parts(file, path, head.version)


def _head(file: BinaryIO, path: str) -> Head:
    version = 1 if file.peek(1)[:1] == b"{" else FORMAT  # type: ignore[attr-defined]
    line = _line(file, path, version)
    if line.get("magic") != MAGIC:
        raise DamagedError("it is no snapshot", path)
    version = _number(line, "version", path)
    if version not in (1, FORMAT):
        raise other_format(version, FORMAT, path)
    upto = _number(line, "upto", path)
    if not path.endswith(f"-{upto:012d}"):
        raise DamagedError(f"it is of group {upto}, against its name", path)
    return Head(version, upto, line.get("recrawl"), line.get("written"))


def _parts(file: BinaryIO, path: str, version: int) -> Iterator[tuple[str, bytes]]:
    names = set()
    while "end" not in (line := _line(file, path, version)):
        name = str(line.get("part"))
        size = _number(line, "bytes", path)
        if not 0 <= size <= os.path.getsize(path):  # before room is made for it
            raise DamagedError(f"part {name!r} does not end", path)
        data = file.read(size)
        if len(data) != size or zlib.crc32(data) != line.get("crc32"):
            raise DamagedError(f"the checksum of part {name!r} does not match", path)
        names.add(name)
        yield name, data
    if line.get("parts") != len(names):
        raise DamagedError(f"{len(names)} parts where {line.get('parts')} belong", path)
    if file.read(1):
        raise DamagedError("something stands behind its end", path)


def _own_version() -> str | None:
    try:
        return metadata.version("recrawl")
    except metadata.PackageNotFoundError:  # run from its sources
        return None


def _write_line(file: BinaryIO, entry: dict[str, object]) -> None:
    text = json.dumps(entry).encode()
    file.write(b"%08x %b\n" % (zlib.crc32(text), text))


def _line(file: BinaryIO, path: str, version: int) -> dict[str, Any]:
    line = file.readline(1 << 16)
    if not line.endswith(b"\n"):
        raise DamagedError("it ends early", path)
    text = line[:-1]
    if version > 1:
        crc, _, text = text.partition(b" ")
        if crc != b"%08x" % zlib.crc32(text):
            raise DamagedError("the checksum of a line does not match", path)
    try:
        entry = json.loads(text)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise DamagedError("a line is not as it should be", path)
    return entry


def _number(line: dict[str, Any], name: str, path: str) -> int:
    value = line.get(name)
    if not isinstance(value, int):
        raise DamagedError(f"{name} is not a number", path)
    return value
