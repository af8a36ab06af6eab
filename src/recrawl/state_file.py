"""One file for a whole state: a header with version and checksum, then arrays.  Written atomically.

Layout: 8 bytes magic, 4 bytes version, 4 bytes length of the header, 32 bytes SHA-256 of all that follows, the header
(JSON), and an uncompressed .npz.
"""

import hashlib
import io
import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import DataError
from recrawl.files.whole import whole

_PREFIX = struct.Struct("<8sII32s")


@dataclass(frozen=True)
class StateFormat:
    """What kind of state a file holds: eight bytes of magic, a version, and a name for messages."""

    magic: bytes
    version: int
    name: str

    def save(self, path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Written beside `path` first (`whole`): a crash leaves the old file or the new one, never half of one."""
        head = json.dumps(dict(header)).encode()
        body = io.BytesIO()
        np.savez(body, **dict(arrays))  # type: ignore[arg-type]
        payload = head + body.getvalue()
        with whole(path) as file:
            digest = _digest(self.version, len(head), payload)
            file.write(_PREFIX.pack(self.magic, self.version, len(head), digest))
            file.write(payload)

    def load(self, path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Header and arrays, or a DataError that says why not."""
        path = os.fspath(path)
        with open(path, "rb") as file:
            prefix = file.read(_PREFIX.size)
            payload = file.read()
        if len(prefix) < _PREFIX.size or prefix[:8] != self.magic:
            raise DataError(f"not a saved {self.name}", path)
        _, version, length, digest = _PREFIX.unpack(prefix)
        if version > self.version:
            known = f"format {version}, this one reads up to {self.version}"
            raise DataError(f"written by a newer recrawl ({known})", path)
        if 1 <= version < self.version:
            known = f"format {version}, this one reads {self.version}"
            raise DataError(f"written by an older recrawl ({known}); build it anew", path)
        if version < 1 or _digest(version, length, payload) != digest:
            raise DataError("damaged: the checksum does not match; restore it from a copy", path)
        with np.load(io.BytesIO(payload[length:])) as arrays:
            return json.loads(payload[:length]), {name: arrays[name] for name in arrays.files}


def _digest(version: int, length: int, payload: bytes) -> bytes:
    """SHA-256 of all that is not magic."""
    return hashlib.sha256(struct.pack("<II", version, length) + payload).digest()
