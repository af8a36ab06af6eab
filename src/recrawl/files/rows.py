"""Rows of a table in chunks of columns, CSV or Parquet, whatever its size."""

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from recrawl.errors import DataError
from recrawl.files import header, opening, parquet
from recrawl.files.malformed import Malformed

if TYPE_CHECKING:
    from _csv import Reader

CHUNK_ROWS = 8_192

Chunk = tuple[Sequence[int], dict[str, Sequence[object]]]
"""Line of each row (in Parquet its number, from 1), and cells by column."""


class Rows:
    """Iterates a file chunk by chunk; `names` are its columns, `rows` how many came so far.

    `check` is told the columns before the first row.  Rows of the wrong width are errors; where there is `malformed`
    they go there instead, are among the `rows`, and stray quotes are put up with.
    """

    def __init__(self, path: str, check: parquet.Check, row: str = "page", malformed: Malformed | None = None) -> None:
        """`row` is what a row stands for, in messages."""
        self.path = path
        self.shown = opening.shown(path)
        self.names: list[str] = []
        self.rows = 0
        self._check = check
        self._row = row
        self._malformed = malformed

    def __iter__(self) -> Iterator[Chunk]:
        with opening.reading(self.path):
            yield from self._read_parquet() if opening.is_parquet(self.path) else self._read_csv()

    def _read_csv(self) -> Iterator[Chunk]:
        with opening.text(self.path) as file:
            reader = csv.reader(file, strict=self._malformed is None)
            try:
                yield from self._chunks(reader)
            except csv.Error as error:
                raise DataError(f"is not valid CSV: {error}", self.shown, reader.line_num) from error
            except UnicodeDecodeError as error:
                line = reader.line_num + 1 + _line_ends(error.object[: error.start])
                raise DataError("must be UTF-8 text; convert it, e.g. with iconv", self.shown, line) from error

    def _chunks(self, reader: "Reader") -> Iterator[Chunk]:
        lines: list[int] = []
        stream = _filled(reader, lines)
        first = next(stream, None)
        if first is None:
            message = f"is empty; it needs a header line and a line for each {self._row}"
            raise DataError(message, self.shown)
        self._begin([name.strip() for name in first], lines[0])
        lines.clear()
        while rows := list(islice(stream, CHUNK_ROWS)):
            self.rows += len(rows)
            yield self._columns(lines.copy(), rows)
            lines.clear()

    def _begin(self, names: list[str], line: int | None) -> None:
        self.names = names
        if line is not None:
            header.check_separators(names, self.shown, line)
        self._check(names, line)

    def _columns(self, lines: list[int], rows: list[list[str]]) -> Chunk:
        width = len(self.names)
        if set(map(len, rows)) != {width}:
            self._refuse_widths(lines, rows)
            whole = [k for k, row in enumerate(rows) if len(row) == width]
            lines, rows = [lines[k] for k in whole], [rows[k] for k in whole]
        if not rows:
            return [], {name: [] for name in self.names}
        return lines, dict(zip(self.names, zip(*rows, strict=True), strict=True))

    def _refuse_widths(self, lines: list[int], rows: list[list[str]]) -> None:
        width = len(self.names)
        for line, row in zip(lines, rows, strict=True):
            if len(row) == width:
                continue
            if self._malformed is None:
                raise DataError(f"has {len(row)} cells, but the header has {width}", self.shown, line)
            self._malformed.add(self.shown, line, "wrong number of cells", f", {len(row)} where {width} belong")

    def _read_parquet(self) -> Iterator[Chunk]:
        for cells in parquet.batches(self.path, CHUNK_ROWS, self._begin):
            count = len(next(iter(cells.values()), []))
            lines = range(self.rows + 1, self.rows + 1 + count)
            self.rows += count
            yield lines, dict(cells)


def _filled(reader: "Reader", lines: list[int]) -> Iterator[list[str]]:
    """Rows that are not blank; the line each begins on is added to `lines`."""
    begins = reader.line_num + 1
    for row in reader:
        # A line of spaces is blank too; a row [""] was written as "" and is a cell left empty.
        if row and not (len(row) == 1 and row[0].isspace()):
            lines.append(begins)
            yield row
        begins = reader.line_num + 1


def _line_ends(text: bytes) -> int:
    # What failed to decode is a block that begins in the line csv was waiting for.
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
