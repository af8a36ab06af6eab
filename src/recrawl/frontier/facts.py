"""What happened, as bytes: the entries of the journal and the parts of snapshots.

A *fact* has a kind, a few plain fields and some columns.  It is written as a line of JSON (kind, fields, and for each
column its name, type, bytes and further dimensions), followed by the bytes of the columns.  So it tells itself what it
holds, and a later version reads it whatever its own arrays look like.  A group of the journal is one fact after the
other.
"""

import json
import math
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import InputError

VERSION = 1
_TO_TEXT = json.JSONEncoder(separators=(",", ":")).encode


@dataclass
class Fact:
    """Something that happened: kind, plain fields (numbers, texts, lists of these), columns."""

    kind: str
    fields: dict[str, Any] = field(default_factory=dict)
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def now(self) -> float:
        """When it happened."""
        return float(self.fields["now"])


def encode(facts: Iterable[Fact]) -> bytes:
    """Facts as bytes.

    >>> data = encode([Fact("signal", {"now": 1.5}, {"ids": np.array([3, 4])})])
    >>> next(decode(data)).columns["ids"].tolist()
    [3, 4]
    """
    pieces: list[bytes] = []
    for fact in facts:
        blobs = [column.tobytes() for column in fact.columns.values()]
        pieces.append(_head(fact, map(len, blobs)))
        pieces.extend(blobs)
    return b"".join(pieces)


def _head(fact: Fact, sizes: Iterable[int]) -> bytes:
    """The line of JSON: put together from pieces, for all of it as one value takes three times as long."""
    fields = ",".join([f"{_quoted(name)}:{_value(value)}" for name, value in fact.fields.items()])
    columns = ",".join(
        [
            f"[{_quoted(name)},{_quoted(column.dtype.str)},{','.join(map(str, (size, *column.shape[1:])))}]"
            for (name, column), size in zip(fact.columns.items(), sizes, strict=True)
        ]
    )
    kind = _quoted(fact.kind)
    return f'{{"v":{VERSION},"kind":{kind},"fields":{{{fields}}},"columns":[{columns}]}}\n'.encode()


def _value(value: object) -> str:
    if value is None:
        return "null"
    if type(value) is float and math.isfinite(value):
        return repr(value)
    return _TO_TEXT(value)


@lru_cache(maxsize=256)
def _quoted(text: str) -> str:
    """Names of columns and kinds of facts: there are few of them."""
    return _TO_TEXT(text)


def decode(data: bytes | memoryview, kinds: Container[str] | None = None) -> Iterator[Fact]:
    """The facts of a group; of some kinds only, where they are given."""
    view, at = memoryview(data), 0
    whole = bytes(data)
    while at < len(whole):
        end = whole.index(b"\n", at)
        head = json.loads(whole[at:end])
        if head["v"] > VERSION:
            newer = f"facts of version {head['v']}, this one reads {VERSION}"
            raise InputError(f"the journal was written by a newer recrawl ({newer}); install that one")
        at = end + 1
        if kinds is not None and head["kind"] not in kinds:
            at += sum(size for _, _, size, *_ in head["columns"])
            continue
        columns: dict[str, NDArray[Any]] = {}
        for name, kind, size, *tail in head["columns"]:
            flat = np.frombuffer(view[at : at + size], dtype=kind).copy()
            columns[name] = flat.reshape(-1, *tail) if tail else flat
            at += size
        yield Fact(head["kind"], head["fields"], columns)


def texts_to_columns(name: str, texts: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Texts as two columns: where each ends, and all bytes."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))
    return {f"{name}_ends": ends, name: np.frombuffer(bytearray(b"".join(encoded)), dtype=np.uint8)}


def text_to_columns(name: str, text: str, n: int) -> dict[str, NDArray[Any]]:
    """The same for one text, n times."""
    encoded = text.encode()
    size = len(encoded)
    ends = np.arange(1, n + 1) * size
    return {f"{name}_ends": ends, name: np.frombuffer(bytearray(encoded * n), dtype=np.uint8)}


def texts_from_columns(name: str, columns: Mapping[str, NDArray[Any]]) -> list[str]:
    """What `texts_to_columns` was given."""
    return [text.decode() for text in bytes_from_columns(name, columns)]


def bytes_from_columns(name: str, columns: Mapping[str, NDArray[Any]]) -> list[bytes]:
    """The same, in UTF-8."""
    whole, ends = columns[name].tobytes(), columns[f"{name}_ends"].tolist()
    return [whole[begin:end] for begin, end in pairwise([0, *ends])]
