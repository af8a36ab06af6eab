"""A snapshot as one file: parts with their names and checksums, written beside its place and put there whole.

Layout: a line of JSON (magic, version, the group it stands at), then for each part a line of JSON (name, bytes,
CRC-32) and the bytes, and at the end a line that says how many parts there were.
"""

import json
import os
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

from recrawl.errors import DataError, InputError
from recrawl.files.whole import whole
from recrawl.store.protocol import Parts

MAGIC = "recrawl-snapshot"
VERSION = 1
SLICE_BYTES = 2 << 20


def write(path: str, upto: int, parts: Parts, last_check: Callable[[], None] = lambda: None) -> None:
    """Write all parts; the file gets its name when the last one is on the disk and `last_check` has not raised."""
    with whole(path) as file:
        _line(file, {"magic": MAGIC, "version": VERSION, "upto": upto})
        names = set()
        gathered = 0
        for name, data in parts:
            if name in names:
                raise InputError(f"parts must have different names, got {name!r} twice", "parts")
            names.add(name)
            plain = memoryview(data)
            plain = plain.cast("B") if plain.nbytes else memoryview(b"")  # a view without bytes cannot be cast
            _line(file, {"part": name, "bytes": plain.nbytes, "crc32": zlib.crc32(plain)})
            for begin in range(0, plain.nbytes, SLICE_BYTES):
                gathered += file.write(plain[begin : begin + SLICE_BYTES])
                if gathered >= SLICE_BYTES:  # where much waits for the disk, so does the next group of the journal
                    file.flush()
                    os.fdatasync(file.fileno())
                    gathered = 0
        _line(file, {"end": True, "parts": len(names)})
        last_check()


def read(path: str) -> tuple[int, dict[str, bytes]]:
    """The group it stands at and the parts; a DataError where the file is not whole."""
    parts: dict[str, bytes] = {}
    with open(path, "rb") as file:
        head = _json(file, path)
        if head.get("magic") != MAGIC:
            raise DataError("is not a snapshot", path)
        if head["version"] != VERSION:
            other = "newer" if head["version"] > VERSION else "older"
            raise DataError(
                f"was written by {other} recrawl (format {head['version']}, this one reads {VERSION})", path
            )
        while "end" not in (line := _json(file, path)):
            data = file.read(line["bytes"])
            if len(data) != line["bytes"] or zlib.crc32(data) != line["crc32"]:
                raise DataError(f"is damaged: the checksum of part {line['part']!r} does not match", path)
            parts[line["part"]] = data
        if line["parts"] != len(parts):
            raise DataError(f"is damaged: {len(parts)} parts where {line['parts']} belong", path)
    return int(head["upto"]), parts


def _line(file: BinaryIO, entry: dict[str, object]) -> None:
    file.write(json.dumps(entry).encode() + b"\n")


def _json(file: BinaryIO, path: str) -> dict[str, Any]:
    line = file.readline(1 << 16)
    try:
        entry = json.loads(line)
    except ValueError:
        raise DataError("is damaged: it ends early" if not line.endswith(b"\n") else "is damaged", path) from None
    if not isinstance(entry, dict):
        raise DataError("is damaged", path)
    return entry
