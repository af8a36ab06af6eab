"""Histories as two tables: NAME.pages.csv.gz (page, path, created, removed) and NAME.changes.csv.gz (page, time, bulk).

Times are days.  The column bulk, 1 for changes of a bulk edit, may be missing.  The largest time is the end.
"""

import csv
import gzip
import io
import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from recrawl.errors import DataError, InputError
from recrawl.files import opening
from recrawl.files.whole import whole
from recrawl.histories.history import History, Ids, Marks, Times

PAGES, CHANGES = ".pages.csv", ".changes.csv"
_PAGE = ["page", "path", "created", "removed"]
_CHANGE = ["page", "time"]
_MARKED = [*_CHANGE, "bulk"]


def read_history(path: str | os.PathLike[str]) -> History:
    """The history at `path`: either of its two files, or what their names have in common."""
    stem = stem_of(path)
    paths, created, removed = _read_pages(_file(stem, PAGES))
    pages, times, marked = _read_changes(_file(stem, CHANGES))
    latest = [times.max(initial=0.0), created.max(initial=0.0), removed[np.isfinite(removed)].max(initial=0.0)]
    history = History(os.path.basename(stem), tuple(paths), created, removed, pages, times, float(max(latest)), marked)
    try:
        history.check()
    except InputError as error:
        where = _file(stem, CHANGES if error.argument in ("page", "time") else PAGES)
        line = None if error.row is None else error.row + 2
        raise DataError(str(error), where, line) from error
    return history


def write_history(history: History, path: str | os.PathLike[str]) -> tuple[str, str]:
    """Write both files, each whole or not at all, the same bytes for the same history; their names.

    `path` is either of them, or what their names have in common.  Times get four decimals, which is nine seconds.
    """
    stem = stem_of(path)
    names = f"{stem}{PAGES}.gz", f"{stem}{CHANGES}.gz"
    ends = ("" if end == np.inf else f"{end:.4f}" for end in history.removed.tolist())
    pages = (
        f"{page},{_cell(name)},{begin:.4f},{end}"
        for page, (name, begin, end) in enumerate(zip(history.paths, history.created.tolist(), ends, strict=True))
    )
    columns = history.change_pages.tolist(), history.change_times.tolist(), history.bulk.tolist()
    changes = (f"{page},{time:.4f},{bulk:d}" for page, time, bulk in zip(*columns, strict=True))
    with whole(names[0]) as first, whole(names[1]) as second:
        _write(first, _PAGE, pages)
        _write(second, _MARKED, changes)
    return names


def _write(file: BinaryIO, columns: list[str], rows: Iterable[str]) -> None:
    with (
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as text,
    ):
        text.write(",".join(columns) + "\n")
        text.writelines(f"{row}\n" for row in rows)


def _cell(text: str) -> str:
    """As csv would write it, but for a carriage return, which csv of Python 3.11 forgets to quote."""
    if any(sign in text for sign in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def stem_of(path: str | os.PathLike[str]) -> str:
    """What the names of both files have in common.

    >>> stem_of("book.pages.csv.gz"), stem_of("book")
    ('book', 'book')
    """
    path = os.fspath(path)
    for suffix in (PAGES, CHANGES):
        for end in (f"{suffix}.gz", suffix):
            if path.endswith(end):
                return path.removesuffix(end)
    return path


def _file(stem: str, suffix: str) -> str:
    for path in (f"{stem}{suffix}.gz", f"{stem}{suffix}"):
        if os.path.exists(path):
            return path
    raise DataError(f"is not there; a history is NAME{PAGES}.gz and NAME{CHANGES}.gz", f"{stem}{suffix}.gz")


def _read_pages(path: str) -> tuple[list[str], Times, Times]:
    paths: list[str] = []
    created: list[float] = []
    removed: list[float] = []
    for line, (page, name, begin, end) in _rows(path, _PAGE):
        if page != str(len(paths)):
            raise DataError(f"page must be {len(paths)}, the number of its line, got {page!r}", path, line)
        paths.append(name)
        created.append(_number("created", begin, path, line))
        removed.append(_number("removed", end, path, line) if end else np.inf)
    return paths, np.array(created, dtype=np.float64), np.array(removed, dtype=np.float64)


def _read_changes(path: str) -> tuple[Ids, Times, Marks | None]:
    pages: list[int] = []
    times: list[float] = []
    marks: list[bool] = []
    for line, (page, time, *bulk) in _rows(path, _CHANGE, _MARKED):
        if not (page.isascii() and page.isdigit()):
            raise DataError(f"page must be a number from 0 on, got {page!r}", path, line)
        if bulk and bulk[0] not in ("0", "1"):
            raise DataError(f"bulk must be 0 or 1, got {bulk[0]!r}", path, line)
        pages.append(int(page))
        times.append(_number("time", time, path, line))
        marks.extend(mark == "1" for mark in bulk)
    marked = np.array(marks) if marks else None
    return np.array(pages, dtype=np.int64), np.array(times, dtype=np.float64), marked


def _rows(path: str, *headers: list[str]) -> Iterator[tuple[int, list[str]]]:
    with opening.reading(path), opening.text(path) as file:
        table = csv.reader(file)
        head = next(table, [])
        if head not in headers:
            known = " or ".join(",".join(columns) for columns in headers)
            raise DataError(f"must begin with the line {known}, got {','.join(head)!r:.80}", path, 1)
        for row in table:
            if len(row) != len(head):
                raise DataError(f"must have {len(head)} cells, got {len(row)}", path, table.line_num)
            yield table.line_num, row


def _number(name: str, cell: str, path: str, line: int) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise DataError(f"{name} must be a number of days, got {cell!r}", path, line)
    return number


__all__ = ["CHANGES", "PAGES", "read_history", "stem_of", "write_history"]
