"""Reads a trace from CSV (also .gz) or Parquet: columns page (or url), time and kind, in order of time."""

import os
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, cast

import numpy as np

from recrawl.errors import DataError, InputError
from recrawl.files import cells, header, opening, parquet
from recrawl.files.rows import Rows
from recrawl.sim.trace import KINDS, Trace

COLUMNS = ("time", "kind")

_CODES = {kind: code for code, kind in enumerate(KINDS)}

Lines = Callable[[int], int]
"""The line of a row, which counts from 0."""


def read_trace(path: str | os.PathLike[str], page_count: int, names: Sequence[str] | None = None) -> Trace:
    """The trace in a file; a page is given by its name where there are `names`, else by its number, from 0.

    Anything wrong is a DataError that names the line (in Parquet: the row, from 1).  ``-`` is stdin, as CSV.
    """
    path = os.fspath(path)
    known = None if names is None else {name: number for number, name in enumerate(names)}
    read = _read_parquet if opening.is_parquet(path) else _read_csv
    trace, line_of = read(path, _Numbering(page_count, known))
    try:
        trace.check()
    except InputError as error:
        if error.row is None:
            raise DataError("has no events; add a line for each", opening.shown(path), argument="trace") from error
        message = str(error).replace(f" in row {error.row}", "", 1)  # the line says it
        raise DataError(message, opening.shown(path), line_of(error.row), error.argument, error.row) from error
    return trace


class _Numbering:
    """Which page a cell names: by name where pages have names, else by row."""

    def __init__(self, page_count: int, known: dict[str, int] | None) -> None:
        self.page_count = page_count
        self.known = known

    def of(self, page: str) -> int:
        """The number of the page; KeyError where it has none."""
        if self.known is not None:
            return self.known[page]
        page = page.strip()
        if page.isascii() and page.isdigit() and len(page) < 19 and int(page) < self.page_count:
            return int(page)
        raise KeyError(page)

    def refusal(self, page: object) -> str:
        """The message for a cell that names no page."""
        if self.known is not None:
            return f"page must be a url of the pages file, got {page!r}"
        return f"page must be in [0, {self.page_count}), a row of the pages, got {page!r}"


def _check_header(names: Sequence[str], path: str, line: int | None) -> str:
    """Refuse a file without the columns of a trace; the name of its page column."""
    header.check_once(names, (*header.PAGE, *COLUMNS), path, line)
    page = header.require_page(names, path, line)
    header.require(names, COLUMNS, path, line)
    return page


def _read_csv(path: str, numbering: _Numbering) -> tuple[Trace, Lines]:
    shown, found = opening.shown(path), list[str]()
    rows = Rows(path, lambda names, line: found.append(_check_header(names, shown, line)), "event")
    lines, pages, times, kinds = array("q"), array("q"), array("d"), array("q")
    for at, chunk in rows:
        texts = cast("Mapping[str, Sequence[str]]", chunk)
        page, time, kind = (texts[name] for name in (found[0], *COLUMNS))
        try:
            kinds.extend([_CODES[cell] for cell in kind])
            pages.extend(map(numbering.of, page))
            times.extend(cells.numbers(time))
        except (KeyError, ValueError):
            _refuse_first_odd(page, time, kind, at, shown, numbering)
        lines.extend(at)
    trace = Trace(np.array(pages), np.array(times), np.array(kinds), numbering.page_count)
    return trace, lines.__getitem__


def _refuse_first_odd(
    pages: Sequence[str],
    times: Sequence[str],
    kinds: Sequence[str],
    lines: Sequence[int],
    path: str,
    numbering: _Numbering,
) -> NoReturn:
    """The error of the first row of a chunk that is wrong."""
    for page, time, kind, line in zip(pages, times, kinds, lines, strict=True):
        if kind not in KINDS:
            raise DataError(_no_kind(kind), path, line, "kind")
        try:
            numbering.of(page)
        except KeyError:
            raise DataError(numbering.refusal(page), path, line, "page") from None
        if not cells.is_number(time):
            raise DataError(cells.no_number("time", time), path, line, "time")
    raise AssertionError("a chunk that failed to parse has no bad cell")


def _no_kind(cell: object) -> str:
    return f"kind must be one of {', '.join(KINDS)}, got {cell!r}"


def _read_parquet(path: str, numbering: _Numbering) -> tuple[Trace, Lines]:
    found = list[str]()  # the name of the page column
    table = parquet.table(
        path,
        lambda name: name in (*header.PAGE, *COLUMNS),
        lambda names, line: found.append(_check_header(names, path, line)),
    )
    import pyarrow as pa
    import pyarrow.compute as pc

    times = parquet.numbers(table.column("time"), "time", path)
    kind = _as_text(pa, table.column("kind"), "kind", path)
    kinds = _codes(pc.index_in(kind, value_set=pa.array(KINDS)))
    _refuse_code(kinds, kind, path, "kind", _no_kind)
    page = table.column(found[0])
    if numbering.known is not None:
        names = pa.array(numbering.known, type=pa.string())
        pages = _codes(pc.index_in(_as_text(pa, page, "page", path), value_set=names))
    elif pa.types.is_integer(page.type):
        pages = _codes(page.cast(pa.int64(), safe=False))  # unsigned ones beyond its range come out negative
    else:
        raise DataError(f"page must be whole numbers, rows of the pages, got type {page.type}", path, argument="page")
    _refuse_code(pages, page, path, "page", numbering.refusal)
    return Trace(pages, times, kinds, numbering.page_count), lambda row: row + 1


def _as_text(pa: Any, column: Any, name: str, path: str) -> Any:
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"{name} must be a column of text, got type {column.type}", path, argument=name) from error


def _codes(column: Any) -> np.ndarray:
    """Whole numbers, -1 for null."""
    return np.asarray(column.fill_null(-1).to_numpy(), dtype=np.int64)


def _refuse_code(codes: np.ndarray, column: Any, path: str, name: str, message: Callable[[object], str]) -> None:
    bad = np.flatnonzero(codes < 0)
    if len(bad):
        row = int(bad[0])
        raise DataError(message(column[row].as_py()), path, row + 1, name, row)
