"""Reads a trace from CSV (also .gz) or Parquet: columns page, time and kind, in order of time."""

import csv
import gzip
import os
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TextIO

import numpy as np

from recrawl.errors import DataError, InputError, MissingExtraError
from recrawl.sim.trace import KINDS, Trace

COLUMNS = ("page", "time", "kind")

_CHUNK_ROWS = 65_536


def read_trace(path: str | os.PathLike[str], page_count: int, names: Sequence[str] | None = None) -> Trace:
    """The trace in a file; a page is given by its name where there are `names`, else by its number, from 0.

    Anything wrong is a DataError that names the line (in Parquet: the row, from 1).
    """
    path = os.fspath(path)
    known = None if names is None else {name: number for number, name in enumerate(names)}
    try:
        if path.lower().endswith((".parquet", ".pq")):
            trace, line_of = _read_parquet(path, page_count, known)
        else:
            trace, line_of = _read_csv(path, page_count, known)
    except gzip.BadGzipFile as error:
        raise DataError("is not a gzip file; drop the .gz from its name if it is plain text", path) from error
    except EOFError as error:
        raise DataError("is a gzip file that ends early; copy it again", path) from error
    except UnicodeDecodeError as error:
        raise DataError("must be UTF-8 text; convert it, e.g. with iconv", path) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from error
    try:
        trace.check()
    except InputError as error:
        if error.row is None:
            raise DataError("has no events; add a line for each", path, argument="trace") from error
        message = str(error).replace(f" in row {error.row}", "", 1)  # the line says it
        raise DataError(message, path, line_of(error.row), error.argument, error.row) from error
    return trace


def _check_header(names: Sequence[str], path: str) -> None:
    for name in COLUMNS:
        if names.count(name) != 1:
            state = "is missing" if name not in names else "appears more than once"
            raise DataError(f"column {name} {state}; found: {', '.join(names)}", path, 1, name)


def _open_text(path: str) -> TextIO:
    if path.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")


def _read_csv(path: str, page_count: int, known: dict[str, int] | None) -> tuple[Trace, Callable[[int], int]]:
    parts: list[tuple[np.ndarray, ...]] = []
    lines: list[int] = []
    with _open_text(path) as file:
        reader = csv.reader(file, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if not header:
                raise DataError("is empty; it needs a header line page,time,kind and a line for each event", path)
            _check_header(header, path)
            places = [header.index(name) for name in COLUMNS]
            rows = ((reader.line_num, row) for row in reader if row)
            while chunk := list(islice(rows, _CHUNK_ROWS)):
                lines += [line for line, _ in chunk]
                parts.append(_columns(chunk, places, len(header), path, page_count, known))
        except csv.Error as error:
            raise DataError(f"is not valid CSV: {error}", path, reader.line_num) from error
    empty = (np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64))
    pages, times, kinds = (np.concatenate(c) for c in zip(empty, *parts, strict=True))
    return Trace(pages, times, kinds, page_count), lines.__getitem__


def _columns(
    chunk: list[tuple[int, list[str]]],
    places: list[int],
    width: int,
    path: str,
    page_count: int,
    known: dict[str, int] | None,
) -> tuple[np.ndarray, ...]:
    """Pages, times and kinds of some rows, or the error of the first that is wrong."""
    pages, times, kinds = [], [], []
    for line, row in chunk:
        if len(row) != width:
            raise DataError(f"has {len(row)} cells, but the header has {width}", path, line)
        page, time, kind = (row[place] for place in places)
        if kind not in KINDS:
            raise DataError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}", path, line, "kind")
        number = _number(page, page_count, known)
        if number is None:
            raise DataError(_unknown(page, page_count, known), path, line, "page")
        try:
            times.append(float(time) if time.isascii() and "_" not in time else float("no"))
        except ValueError:
            raise DataError(f"time must be a number, got {time!r}", path, line, "time") from None
        pages.append(number)
        kinds.append(KINDS.index(kind))
    return np.array(pages, dtype=np.int64), np.array(times), np.array(kinds, dtype=np.int64)


def _number(page: str, page_count: int, known: dict[str, int] | None) -> int | None:
    if known is not None:
        return known.get(page)
    page = page.strip()
    return int(page) if page.isascii() and page.isdigit() and len(page) < 19 and int(page) < page_count else None


def _unknown(page: object, page_count: int, known: dict[str, int] | None) -> str:
    if known is not None:
        return f"page must be a url of the pages file, got {page!r}"
    return f"page must be in [0, {page_count}), a row of the pages, got {page!r}"


def _read_parquet(path: str, page_count: int, known: dict[str, int] | None) -> tuple[Trace, Callable[[int], int]]:
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error

    try:
        file = pq.ParquetFile(path)
        _check_header(file.schema_arrow.names, path)
        table = file.read(columns=list(COLUMNS))
    except pa.ArrowInvalid as error:
        raise DataError(f"is not a Parquet file: {error}", path) from error
    time = table.column("time")
    if not (pa.types.is_integer(time.type) or pa.types.is_floating(time.type)):
        raise DataError(f"time must be a column of numbers, got type {time.type}", path, argument="time")
    kind = _as_text(pa, table.column("kind"), "kind", path)
    kinds = _codes(pc.index_in(kind, value_set=pa.array(KINDS)))
    _refuse_code(kinds, kind, path, "kind", lambda cell: f"kind must be one of {', '.join(KINDS)}, got {cell!r}")
    page = table.column("page")
    if known is not None:
        pages = _codes(pc.index_in(_as_text(pa, page, "page", path), value_set=pa.array(known, type=pa.string())))
        _refuse_code(pages, page, path, "page", lambda cell: _unknown(cell, page_count, known))
    elif pa.types.is_integer(page.type):
        pages = _codes(page.cast(pa.int64(), safe=False))  # unsigned ones beyond its range come out negative
        _refuse_code(pages, page, path, "page", lambda cell: _unknown(cell, page_count, known))
    else:
        raise DataError(f"page must be whole numbers, rows of the pages, got type {page.type}", path, argument="page")
    times = pc.fill_null(time.cast(pa.float64(), safe=False), float("nan")).to_numpy().astype(np.float64)
    return Trace(pages, times, kinds, page_count), lambda row: row + 1


def _as_text(pa: Any, cells: Any, name: str, path: str) -> Any:
    try:
        return cells.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"{name} must be a column of text, got type {cells.type}", path, argument=name) from error


def _codes(column: Any) -> np.ndarray:
    """Whole numbers, -1 for null."""
    return np.asarray(column.fill_null(-1).to_numpy(), dtype=np.int64)


def _refuse_code(codes: np.ndarray, cells: Any, path: str, name: str, message: Callable[[object], str]) -> None:
    bad = np.flatnonzero(codes < 0)
    if len(bad):
        row = int(bad[0])
        raise DataError(message(cells[row].as_py()), path, row + 1, name, row)
