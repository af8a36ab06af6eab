"""Records of the WARC format, version 1.1, as bytes: what is in them, before they are written."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from recrawl.errors import InputError

VERSION = b"WARC/1.1"
PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
NOT_MODIFIED = f"{PROFILE}server-not-modified"
IDENTICAL = f"{PROFILE}identical-payload-digest"
REQUEST = "application/http; msgtype=request"
RESPONSE = "application/http; msgtype=response"
FIELDS = "application/warc-fields"

Field = tuple[str, str]


def record(kind: str, identity: str, date: str, block: bytes, fields: Sequence[Field], content_type: str) -> bytes:
    """A record, whole."""
    lines = [VERSION]
    # WARC-Type first, Content-Length last: some readers are happier so.
    first = (("WARC-Type", kind), ("WARC-Record-ID", f"<{identity}>"), ("WARC-Date", date))
    last = (
        ("WARC-Block-Digest", digest(block)),
        ("Content-Type", content_type),
        ("Content-Length", str(len(block))),
    )
    for name, value in (*first, *fields, *last):
        lines.append(f"{name}: {_one_line(value)}".encode())
    return b"\r\n".join((*lines, b"", block, b"", b""))


def warc_fields(fields: Iterable[Field]) -> bytes:
    """The block of a warcinfo or metadata record."""
    return b"".join(f"{name}: {_one_line(value)}\r\n".encode() for name, value in fields)


def digest(data: bytes) -> str:
    """As indexes and readers expect it.

    >>> digest(b"")
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return f"sha1:{base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()}"


def date_of(seconds: float) -> str:
    """Seconds since 1970 as a date of the format, to the second: indexes have no finer ones.

    >>> date_of(1700000000.9)
    '2023-11-14T22:13:20Z'
    """
    try:
        return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        raise InputError(f"date must be seconds since 1970, got {seconds!r}", "date") from None


def _one_line(value: str) -> str:
    """Line ends in a value would begin another field."""
    return " ".join(value.split())
