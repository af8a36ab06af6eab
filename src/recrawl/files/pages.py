"""Reads a pages file, CSV or Parquet, and says exactly which line is wrong when one is.

A million-row CSV is read in chunks: each chunk is turned into columns and parsed at C speed, and only a chunk
that fails is looked at cell by cell to name the line.
"""

import csv
import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TextIO

import numpy as np
import numpy.typing as npt

from recrawl.errors import DataError, InputError, MissingExtraError
from recrawl.files.number import is_plain, number
from recrawl.model import Pages

if TYPE_CHECKING:
    from _csv import Reader

Column = npt.NDArray[np.float64]

NUMBERS = ("change_rate", "importance", "recall", "false_signal_rate", "precision")
KNOWN = ("url", *NUMBERS)
WRITTEN_BY_FIT = ("change_rate_error", "crawls", "changes", "signals", "host", "source", "group")
"""What ``recrawl fit`` writes beside that, for people; nobody needs to be told that it is not used."""

_CHUNK_ROWS = 65_536


@dataclass(frozen=True)
class PagesFile:
    """The pages of a file; ``urls`` is None where it has no such column, ``ignored`` names unknown columns.

    ``line_of`` gives the line of a row, which counts from 0.
    """

    path: str
    pages: Pages
    urls: Sequence[str] | None = None
    ignored: tuple[str, ...] = ()
    line_of: Callable[[int], int] = int

    def located(self, error: InputError) -> InputError:
        """The error with the file and the line in place of the row; itself where no row is at fault."""
        return error if error.row is None else _located(error, self.path, self.line_of)


def read(path: str) -> PagesFile:
    """Read ``path``: Parquet by its suffix (.parquet, .pq), else CSV, unpacked when it ends in .gz.

    Anything wrong with the file is a DataError that names the line.
    """
    try:
        if path.lower().endswith((".parquet", ".pq")):
            return _read_parquet(path)
        return _read_csv(path)
    except gzip.BadGzipFile as error:
        raise DataError("is not a gzip file; drop the .gz from its name if it is plain text", path) from error
    except EOFError as error:
        raise DataError("is a gzip file that ends early; copy it again", path) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from error


def _read_csv(path: str) -> PagesFile:
    with _open_text(path) as file:
        reader = csv.reader(file, strict=True)
        try:
            return _parse_csv(path, reader)
        except csv.Error as error:
            raise DataError(f"is not valid CSV: {error}", path, reader.line_num) from error
        except UnicodeDecodeError as error:
            line = reader.line_num + 1 + _line_ends(error.object[: error.start])
            raise DataError("must be UTF-8 text; convert it, e.g. with iconv", path, line) from error


def _line_ends(text: bytes) -> int:
    # What failed to decode is a block that begins in the line csv was waiting for.
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _open_text(path: str) -> TextIO:
    # utf-8-sig drops the byte-order mark that spreadsheets write; newline="" leaves line ends to csv.
    if path.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")


class _Rows:
    """Iterates the non-blank rows and remembers on which line each began."""

    def __init__(self, path: str, reader: "Reader") -> None:
        self.path = path
        self.reader = reader
        self.lines: list[int] = []

    def __iter__(self) -> Iterator[list[str]]:
        begins = self.reader.line_num + 1
        for row in self.reader:
            # A line of spaces is blank too; a row [""] was written as "" and is a cell left empty.
            if row and not (len(row) == 1 and row[0].isspace()):
                self.lines.append(begins)
                yield row
            begins = self.reader.line_num + 1


def _parse_csv(path: str, reader: "Reader") -> PagesFile:
    rows = _Rows(path, reader)
    stream = iter(rows)
    header = next(stream, None)
    if header is None:
        raise DataError("is empty; it needs a header line and a line for each page", path)
    names = [name.strip() for name in header]
    _check_header(names, path, rows.lines[0])
    rows.lines.clear()

    numbers: dict[str, list[Column]] = {name: [] for name in NUMBERS if name in names}
    urls: list[str] | None = [] if "url" in names else None
    while chunk := list(islice(stream, _CHUNK_ROWS)):
        lines = rows.lines[-len(chunk) :]
        _check_widths(chunk, len(names), path, lines)
        cells = dict(zip(names, zip(*chunk, strict=True), strict=True))
        for name, parts in numbers.items():
            try:
                parts.append(_numbers(cells[name]))
            except ValueError:
                raise _bad_cell(chunk, names, path, lines) from None
        if urls is not None:
            urls.extend(cells["url"])
    columns = {name: np.concatenate(parts) for name, parts in numbers.items() if parts}
    return _build(path, names, columns, urls, rows.lines.__getitem__)


def _check_header(names: Sequence[str], path: str, line: int | None) -> None:
    if all(_is_number(name) for name in names):
        raise DataError(
            f"the first line must name the columns, got numbers; add a header such as {','.join(KNOWN[:3])}",
            path,
            line,
        )
    for name in KNOWN:
        if names.count(name) > 1:
            raise DataError(f"column {name} appears {names.count(name)} times; keep one", path, line, name)
    if "change_rate" not in names:
        found = ", ".join(names)
        raise DataError(f"column change_rate is missing; found: {found}", path, line, "change_rate")
    if "precision" in names and "false_signal_rate" in names:
        raise DataError(
            "columns precision and false_signal_rate say the same thing twice; keep one",
            path,
            line,
            "precision",
        )
    if "precision" in names and "recall" not in names:
        raise DataError("column precision needs column recall beside it", path, line, "precision")


def _check_widths(chunk: list[list[str]], width: int, path: str, lines: list[int]) -> None:
    for row, line in zip(chunk, lines, strict=True):
        if len(row) != width:
            raise DataError(f"has {len(row)} cells, but the header has {width}", path, line)


def _numbers(cells: Sequence[str]) -> Column:
    if not is_plain("".join(cells)):
        raise ValueError
    return np.array(list(map(float, cells)), dtype=np.float64)


def _bad_cell(chunk: list[list[str]], names: list[str], path: str, lines: list[int]) -> DataError:
    """The error for the first cell of the chunk that is no number."""
    for row, line in zip(chunk, lines, strict=True):
        for name, cell in zip(names, row, strict=True):
            if name in NUMBERS and not _is_number(cell):
                return _not_a_number(name, cell, path, line)
    raise AssertionError("a chunk that failed to parse has no bad cell")


def _not_a_number(name: str, cell: str, path: str, line: int) -> DataError:
    if not cell.strip():
        return DataError(f"{name} is blank; write a number, or drop the column to use its default", path, line, name)
    return DataError(f"{name} must be a number, got {cell!r}", path, line, name)


def _is_number(cell: str) -> bool:
    try:
        number(cell)
    except ValueError:
        return False
    return True


def _read_parquet(path: str) -> PagesFile:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error

    try:
        file = pq.ParquetFile(path)
        names = file.schema_arrow.names
        _check_header(names, path, None)
        table = file.read(columns=[name for name in names if name in KNOWN])
    except pa.ArrowInvalid as error:
        raise DataError(f"is not a Parquet file: {error}", path) from error

    columns = {}
    for name in (name for name in NUMBERS if name in names):
        column = table.column(name)
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            raise DataError(f"{name} must be a column of numbers, got type {column.type}", path, argument=name)
        if column.null_count:
            first = column.is_null().to_pylist().index(True)
            raise _not_a_number(name, "", path, first + 1)
        columns[name] = column.to_numpy().astype(np.float64)
    urls = None
    if "url" in names:
        urls = [_url(cell, path, row) for row, cell in enumerate(table.column("url").to_pylist(), start=1)]
    return _build(path, names, columns, urls, lambda row: row + 1)


def _url(cell: object, path: str, row: int) -> str:
    if cell is None:
        raise DataError("url is null; write one, or drop the column to name pages by their row", path, row, "url")
    if not isinstance(cell, bytes):
        return str(cell)
    try:
        return cell.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"url must be UTF-8 text, got {cell!r}", path, row, "url") from error


def _build(
    path: str,
    names: Sequence[str],
    columns: dict[str, Column],
    urls: Sequence[str] | None,
    line_of: Callable[[int], int],
) -> PagesFile:
    """Make the pages; a row they refuse is reported by its line."""
    if not columns or not len(columns["change_rate"]):
        raise DataError("has a header but no pages; add a line for each page", path)
    change_rate = columns["change_rate"]
    importance = columns.get("importance", np.ones_like(change_rate))
    recall = columns.get("recall", np.zeros_like(change_rate))
    try:
        if "precision" in columns:
            pages = Pages.from_quality(change_rate, importance, columns["precision"], recall)
        else:
            false_rate = columns.get("false_signal_rate", np.zeros_like(change_rate))
            pages = Pages.from_rates(change_rate, importance, recall, false_rate)
    except InputError as error:
        raise _located(error, path, line_of) from error
    ignored = tuple(name for name in names if name not in (*KNOWN, *WRITTEN_BY_FIT))
    return PagesFile(path, pages, urls, ignored, line_of)


def _located(error: InputError, path: str, line_of: Callable[[int], int]) -> DataError:
    if error.row is None:
        return DataError(str(error), path, argument=error.argument)
    message = str(error).replace(f" in row {error.row}", "", 1)  # the line says it
    return DataError(message, path, line_of(error.row), error.argument, error.row)
