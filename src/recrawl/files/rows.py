"""Rows of a log file in chunks of columns, CSV or Parquet, whatever its size."""

import csv
import gzip
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from recrawl.errors import DataError, MissingExtraError
from recrawl.files.malformed import Malformed

if TYPE_CHECKING:
    from _csv import Reader

CHUNK_ROWS = 8_192

Chunk = tuple[Sequence[int], dict[str, Sequence[object]]]
"""Line of each row (in Parquet its number, from 1), and cells by column."""


class LogRows:
    """Iterates a file chunk by chunk; `names` are its columns, `rows` how many came so far.

    Rows of the wrong width go to `malformed`, and are among the `rows`.
    """

    def __init__(self, path: str, malformed: Malformed) -> None:
        self.path = path
        self.malformed = malformed
        self.names: list[str] = []
        self.rows = 0
        self._parquet = path.lower().endswith((".parquet", ".pq"))

    def __iter__(self) -> Iterator[Chunk]:
        try:
            yield from self._read_parquet() if self._parquet else self._read_csv()
        except (gzip.BadGzipFile, EOFError) as error:
            raise DataError(
                "is not a whole gzip file; copy it again, or drop the .gz from its name", self.path
            ) from error
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror or error}", self.path) from error

    def _read_csv(self) -> Iterator[Chunk]:
        with _open_text(self.path) as file:
            reader = csv.reader(file)
            try:
                header = next(reader, None)
                if not header:
                    raise DataError("is empty; it needs a header line and a line for each crawl", self.path)
                self.names = [name.strip() for name in header]
                while rows := list(islice(_numbered(reader), CHUNK_ROWS)):
                    self.rows += len(rows)
                    yield self._columns(rows)
            except csv.Error as error:
                raise DataError(f"is not valid CSV: {error}", self.path, reader.line_num) from error
            except UnicodeDecodeError as error:
                raise DataError("must be UTF-8 text; convert it, e.g. with iconv", self.path) from error

    def _columns(self, rows: list[tuple[int, list[str]]]) -> Chunk:
        width = len(self.names)
        if any(len(row) != width for _, row in rows):
            for line, row in rows:
                if len(row) != width:
                    self.malformed.add(self.path, line, "wrong number of cells", f", {len(row)} where {width} belong")
            rows = [(line, row) for line, row in rows if len(row) == width]
        if not rows:
            return [], {name: [] for name in self.names}
        lines, cells = zip(*rows, strict=True)
        return lines, dict(zip(self.names, zip(*cells, strict=True), strict=True))

    def _read_parquet(self) -> Iterator[Chunk]:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError as error:
            raise MissingExtraError("reading Parquet", "parquet") from error
        try:
            file = pq.ParquetFile(self.path)
        except pa.ArrowInvalid as error:
            raise DataError(f"is not a Parquet file: {error}", self.path) from error
        with file:
            self.names = list(file.schema_arrow.names)
            for batch in file.iter_batches(CHUNK_ROWS):
                lines = range(self.rows + 1, self.rows + 1 + batch.num_rows)
                self.rows += batch.num_rows
                yield lines, {name: _plain(pa, batch.column(i)).to_pylist() for i, name in enumerate(self.names)}


def _plain(pa: Any, column: Any) -> Any:
    """Nanoseconds as microseconds: Python's own times hold no more, and pyarrow refuses to cut."""
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return column.cast(pa.timestamp("us", kind.tz), safe=False)
    if pa.types.is_duration(kind) and kind.unit == "ns":
        return column.cast(pa.duration("us"), safe=False)
    return column


def _numbered(reader: "Reader") -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, with the line each begins on."""
    begins = reader.line_num + 1
    for row in reader:
        if row and not (len(row) == 1 and not row[0].strip()):
            yield begins, row
        begins = reader.line_num + 1


def _open_text(path: str) -> TextIO:
    # utf-8-sig drops the byte-order mark that spreadsheets write; newline="" leaves line ends to csv.
    if path.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")
