"""Histories as two tables: NAME.pages.csv.gz (page, path, created, removed) and NAME.changes.csv.gz (page, time)."""

import csv
import os
from collections.abc import Iterator

import numpy as np

from recrawl.errors import DataError, InputError
from recrawl.files import opening
from recrawl.histories.history import History, Ids, Times

PAGES, CHANGES = ".pages.csv", ".changes.csv"


def read_history(path: str | os.PathLike[str]) -> History:
    """The history at `path`: either of its two files, or what their names have in common."""
    stem = _stem(os.fspath(path))
    paths, created, removed = _read_pages(_file(stem, PAGES))
    pages, times = _read_changes(_file(stem, CHANGES))
    latest = [times.max(initial=0.0), created.max(initial=0.0), removed[np.isfinite(removed)].max(initial=0.0)]
    history = History(os.path.basename(stem), tuple(paths), created, removed, pages, times, float(max(latest)))
    try:
        history.check()
    except InputError as error:
        where = _file(stem, CHANGES if error.argument in ("page", "time") else PAGES)
        line = None if error.row is None else error.row + 2
        raise DataError(str(error), where, line) from error
    return history


def _stem(path: str) -> str:
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
    for line, (page, name, begin, end) in _rows(path, ["page", "path", "created", "removed"]):
        if page != str(len(paths)):
            raise DataError(f"page must be {len(paths)}, the number of its line, got {page!r}", path, line)
        paths.append(name)
        created.append(_number("created", begin, path, line))
        removed.append(_number("removed", end, path, line) if end else np.inf)
    return paths, np.array(created, dtype=np.float64), np.array(removed, dtype=np.float64)


def _read_changes(path: str) -> tuple[Ids, Times]:
    pages, times = [], []
    for line, (page, time) in _rows(path, ["page", "time"]):
        if not (page.isascii() and page.isdigit()):
            raise DataError(f"page must be a number from 0 on, got {page!r}", path, line)
        pages.append(int(page))
        times.append(_number("time", time, path, line))
    return np.array(pages, dtype=np.int64), np.array(times, dtype=np.float64)


def _rows(path: str, columns: list[str]) -> Iterator[tuple[int, list[str]]]:
    with opening.reading(path), opening.text(path) as file:
        table = csv.reader(file)
        head = next(table, [])
        if head != columns:
            raise DataError(f"must begin with the line {','.join(columns)}, got {','.join(head)!r:.80}", path, 1)
        for row in table:
            if len(row) != len(columns):
                raise DataError(f"must have {len(columns)} cells, got {len(row)}", path, table.line_num)
            yield table.line_num, row


def _number(name: str, cell: str, path: str, line: int) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise DataError(f"{name} must be a number of days, got {cell!r}", path, line)
    return number


__all__ = ["CHANGES", "PAGES", "read_history"]
