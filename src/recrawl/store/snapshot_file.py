"""A snapshot as one file: parts with their names and checksums, written beside its place and put there whole.

Layout: a line of JSON (magic, version, the group it stands at), then for each part a line of JSON (name, bytes,
CRC-32) and the bytes, and at the end a line that says how many parts there were.
"""

import json
import zlib
from collections.abc import Iterable
from typing import Any, BinaryIO

from recrawl.errors import DataError
from recrawl.files.whole import whole

MAGIC = "recrawl-snapshot"
VERSION = 1


def write(path: str, upto: int, parts: Iterable[tuple[str, bytes]]) -> None:
    """Write all parts; the file gets its name when the last one is on the disk."""
    with whole(path) as file:
        _line(file, {"magic": MAGIC, "version": VERSION, "upto": upto})
        count = 0
        for name, data in parts:
            _line(file, {"part": name, "bytes": len(data), "crc32": zlib.crc32(data)})
            file.write(data)
            count += 1
        _line(file, {"end": True, "parts": count})


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
