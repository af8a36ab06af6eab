"""One file for the whole state: a header with version and checksum, then the arrays.  Written atomically.

Layout: 8 bytes magic, 4 bytes version, 4 bytes length of the header, 32 bytes SHA-256 of all that follows, the header
(JSON), and an uncompressed .npz.
"""

import hashlib
import io
import json
import os
import struct
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from recrawl.engine.layout import Core, with_room
from recrawl.engine.settings import Beliefs
from recrawl.errors import DataError
from recrawl.model.sources import Sources

if TYPE_CHECKING:
    from recrawl.engine.scheduler import Scheduler

S = TypeVar("S", bound="Scheduler")

_MAGIC = b"RECRAWL\0"
_VERSION = 4
_PREFIX = struct.Struct("<8sII32s")


def save(path: str, scheduler: "Scheduler") -> None:
    """Write to a file beside `path` first, so that a crash leaves the old file or the new one, never half of one."""
    header = json.dumps(
        {
            "policy": scheduler.policy.name,
            "several_sources": scheduler._beliefs.several_sources,
            "quantum_pages": scheduler._quantum_pages,
            "coincidence": float(scheduler._coincidence),
        }
    ).encode()
    arrays = dict(scheduler._core._asdict())
    arrays |= {
        "discard": scheduler._discard,
        "weights": scheduler._weights,
        "source_discard": scheduler._source_discard,
        "heard": scheduler._heard,
    }
    if (classes := scheduler._beliefs.classes) is not None:
        arrays |= {"recall": classes.recall, "false_per_change": classes.false_per_change}
    body = io.BytesIO()
    np.savez(body, **arrays)
    payload = header + body.getvalue()
    path = os.fspath(path)
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "wb") as file:
            file.write(_PREFIX.pack(_MAGIC, _VERSION, len(header), _digest(_VERSION, len(header), payload)))
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.unlink(beside)


def _digest(version: int, length: int, payload: bytes) -> bytes:
    """SHA-256 of all that is not magic."""
    return hashlib.sha256(struct.pack("<II", version, length) + payload).digest()


def load(path: str, cls: type[S]) -> S:
    """Read what `save` wrote, or refuse it with a reason."""
    path = os.fspath(path)
    with open(path, "rb") as file:
        prefix = file.read(_PREFIX.size)
        payload = file.read()
    if len(prefix) < _PREFIX.size or prefix[:8] != _MAGIC:
        raise DataError("not a saved scheduler", path)
    _, version, length, digest = _PREFIX.unpack(prefix)
    if version > _VERSION:
        raise DataError(f"written by a newer recrawl (format {version}, this one reads up to {_VERSION})", path)
    if 1 <= version < _VERSION:
        raise DataError(
            f"written by an older recrawl (format {version}, this one reads {_VERSION}); build it anew", path
        )
    if version < 1 or _digest(version, length, payload) != digest:
        raise DataError("damaged: the checksum does not match; restore it from a copy", path)
    header: dict[str, Any] = json.loads(payload[:length])
    arrays = np.load(io.BytesIO(payload[length:]))
    scheduler = cls.__new__(cls)
    sources: object = Sources(arrays["recall"], arrays["false_per_change"]) if "recall" in arrays else None
    scheduler._beliefs = Beliefs(header["policy"], arrays["weights"] if header["several_sources"] else sources)
    scheduler._coincidence = header["coincidence"]
    scheduler._quantum_pages = header["quantum_pages"]
    scheduler._core = Core(**{name: arrays[name] for name in Core._fields})
    scheduler._core = scheduler._core._replace(
        numbers=with_room(scheduler._core.numbers, 0, 0.0), links=with_room(scheduler._core.links, 0, 0)
    )
    scheduler._discard = arrays["discard"]
    scheduler._weights = arrays["weights"]
    scheduler._source_discard = arrays["source_discard"]
    scheduler._heard = arrays["heard"]
    return scheduler
