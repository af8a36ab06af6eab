"""Reads records from XML: one after another, so that a file of any length takes the memory of one record.

Small on purpose: what histories need of sitemaps and feeds, and no more.  A document type is refused, since entities
are how a small file becomes a large one.
"""

import zlib
from collections.abc import Collection, Iterator, Mapping
from typing import BinaryIO
from xml.parsers import expat

from recrawl.signals.unpack import inflated

Record = dict[str, str]
"""Texts of a record's elements by their names without a namespace; of one that is there twice, the first."""

MOST = 1 << 20
"""Characters kept of one element, and bytes unpacked at a time."""

_CHUNK = 1 << 16
_GZIP = 31


class BrokenError(Exception):
    """The file ends early or is no XML; says where.  The records before that were given."""


def records(path: str, names: Collection[str]) -> Iterator[tuple[str, Record]]:
    """The elements of these names, each with its children; a link without text is its ``href``."""
    reader = _Reader(names)
    try:
        with open(path, "rb") as file:
            for chunk in _unpacked(file):
                reader.parser.Parse(chunk, False)
                yield from reader.take()
        reader.parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError, EOFError) as error:
        yield from reader.take()
        raise BrokenError(str(error)) from error
    except OSError as error:
        raise BrokenError(f"cannot be read: {error.strerror or error}") from error


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file, chunk by chunk.  What a broken gzip file has before the break is there, unlike with gzip."""
    chunk = file.read(_CHUNK)
    if not chunk.startswith(b"\x1f\x8b"):
        while chunk:
            yield chunk
            chunk = file.read(_CHUNK)
        return
    unpacker = zlib.decompressobj(_GZIP)
    while chunk:
        if unpacker.eof:  # several may stand in one file
            unpacker = zlib.decompressobj(_GZIP)
        piece, broken = inflated(unpacker, chunk, MOST)
        yield piece
        if broken:
            raise EOFError("the packed file is damaged")
        chunk = unpacker.unconsumed_tail or unpacker.unused_data or file.read(_CHUNK)
    if not unpacker.eof:
        raise EOFError("the packed file ends early")


class _Reader:
    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._depth = 0
        self._begun = 0
        self._record: Record | None = None
        self._field = ""
        self._text: list[str] = []
        self._length = 0
        self._done: list[tuple[str, Record]] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def take(self) -> list[tuple[str, Record]]:
        done, self._done = self._done, []
        return done

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        name = name.rpartition(" ")[2]
        if self._record is None:
            if name in self._names:
                self._record, self._begun = {}, self._depth
        elif self._depth == self._begun + 1:
            self._field, self._text, self._length = name, [], 0
            if name == "link" and attributes.get("rel", "alternate") == "alternate" and "href" in attributes:
                self._characters(attributes["href"])

    def _end(self, name: str) -> None:
        if self._record is not None:
            if self._depth == self._begun:
                self._done.append((name.rpartition(" ")[2], self._record))
                self._record = None
            elif self._depth == self._begun + 1:
                text = "".join(self._text).strip()
                if text:
                    self._record.setdefault(self._field, text)
                self._field = ""
        self._depth -= 1

    def _characters(self, text: str) -> None:
        if self._field and self._length < MOST:
            self._text.append(text)
            self._length += len(text)

    def _doctype(self, *_: object) -> None:
        raise ValueError("must not have a document type")
