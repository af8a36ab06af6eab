"""Reads a pages file, CSV or Parquet, and says exactly which line is wrong when one is.

A CSV file is read in chunks: each chunk is turned into columns and parsed at C speed, and only a chunk that fails is
looked at cell by cell to name the line.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

import numpy as np
import numpy.typing as npt

from recrawl.errors import DataError, InputError
from recrawl.files import cells, header, opening, parquet
from recrawl.files.rows import Rows
from recrawl.model import Pages

Column = npt.NDArray[np.float64]

NUMBERS = ("change_rate", "importance", "recall", "false_signal_rate", "precision")
KNOWN = ("url", *NUMBERS)
REPEATS_SHOWN = 3
WRITTEN_BY_FIT = (
    "change_rate_error",
    "crawls",
    "changes",
    "signals",
    "host",
    "source",
    "group",
    "crawled",
    "signals_since",
    "last_change",
    "state",
    "failures",
    "max_age",
)
"""What ``recrawl fit`` and ``export`` write beside that, for people; nobody needs to be told that it is not used."""


@dataclass(frozen=True)
class PagesFile:
    """The pages of a file; ``urls`` is None where it has no such column, ``ignored`` names unknown columns.

    ``line_of`` gives the line of a row, which counts from 0.  ``kept`` has the cells of other columns asked for.
    """

    path: str
    pages: Pages
    urls: Sequence[str] | None = None
    ignored: tuple[str, ...] = ()
    line_of: Callable[[int], int] = int
    kept: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def ignored_text(self) -> str:
        """The unknown columns for people, each with the known one it may have been meant to be."""
        return ", ".join(_with_hint(name) for name in self.ignored)

    def located(self, error: InputError) -> InputError:
        """The error with the file and the line in place of the row; itself where no row is at fault."""
        return error if error.row is None else _located(error, self.path, self.line_of)


def _with_hint(name: str) -> str:
    found = header.meant(name, KNOWN)
    return f"{name} (did you mean {found}?)" if found else name


def read(path: str, keep: Sequence[str] = ()) -> PagesFile:
    """Read ``path``: Parquet by its suffix (.parquet, .pq), else CSV, unpacked when it ends in .gz; ``-`` is stdin.

    Anything wrong with the file is a DataError that names the line.  Columns in ``keep`` are kept as they are.
    """
    return _read_parquet(path, keep) if opening.is_parquet(path) else _read_csv(path, keep)


def _read_csv(path: str, keep: Sequence[str]) -> PagesFile:
    rows = Rows(path, _checker(opening.shown(path)))
    lines = array("q")
    numbers: dict[str, list[Column]] = {}
    urls: list[str] = []
    kept: dict[str, list[object]] = {}
    for at, chunk in rows:
        texts = cast("Mapping[str, Sequence[str]]", chunk)
        for name in filter(texts.__contains__, NUMBERS):
            try:
                numbers.setdefault(name, []).append(np.array(cells.numbers(texts[name]), dtype=np.float64))
            except ValueError:
                _refuse_first_odd(texts, at, rows.shown)
        lines.extend(at)
        page = header.page_column(rows.names, rows.shown, None)
        urls.extend(texts[page] if page else ())
        for name in filter(texts.__contains__, keep):
            kept.setdefault(name, []).extend(texts[name])
    columns = {name: np.concatenate(parts) for name, parts in numbers.items()}
    return _build(rows.shown, rows.names, columns, urls, lines.__getitem__, kept)


def _checker(path: str) -> parquet.Check:
    return lambda names, line: _check_header(names, path, line)


def _check_header(names: Sequence[str], path: str, line: int | None) -> None:
    if all(cells.is_number(name) for name in names):
        raise DataError(
            f"the first line must name the columns, got numbers; add a header such as {','.join(KNOWN[:3])}",
            path,
            line,
        )
    header.check_once(names, (*header.PAGE, *NUMBERS), path, line)
    header.require(names, ["change_rate"], path, line)
    header.page_column(names, path, line)
    if "precision" in names and "false_signal_rate" in names:
        raise DataError(
            "columns precision and false_signal_rate say the same thing twice; keep one",
            path,
            line,
            "precision",
        )
    if "precision" in names and "recall" not in names:
        raise DataError("column precision needs column recall beside it", path, line, "precision")


def _refuse_first_odd(texts: Mapping[str, Sequence[str]], lines: Sequence[int], path: str) -> NoReturn:
    """The error for the first cell of the chunk that is no number, row by row."""
    for row, line in enumerate(lines):
        for name, column in texts.items():
            if name in NUMBERS and not cells.is_number(column[row]):
                raise _no_number(name, column[row], path, line)
    raise AssertionError("a chunk that failed to parse has no bad cell")


def _no_number(name: str, cell: str, path: str, line: int) -> DataError:
    or_else = "" if name in ("change_rate", "precision") else ", or drop the column to use its default"
    return DataError(cells.no_number(name, cell, or_else), path, line, name)


def _read_parquet(path: str, keep: Sequence[str]) -> PagesFile:
    names: list[str] = []

    def check(found: list[str], line: int | None) -> None:
        _check_header(found, path, line)
        names.extend(found)

    table = parquet.table(path, lambda name: name in (*header.PAGE, *NUMBERS, *keep), check)
    columns = {}
    for name in filter(names.__contains__, NUMBERS):
        columns[name] = parquet.numbers(table.column(name), name, path)
        null = parquet.first_null(table.column(name))
        if null is not None:
            raise _no_number(name, "", path, null + 1)
    page = header.page_column(names, path, None)
    urls = [] if page is None else _texts(table.column(page), page, path)
    kept = {name: table.column(name).to_pylist() for name in filter(names.__contains__, keep)}
    return _build(path, names, columns, urls, lambda row: row + 1, kept)


def _texts(column: Any, name: str, path: str) -> list[str]:
    """Cells as text; null is blank."""
    found = column.to_pylist()
    if set(map(type, found)) == {str}:
        return cast("list[str]", found)
    return [_text(cell, name, path, line) for line, cell in enumerate(found, start=1)]


def _text(cell: object, name: str, path: str, line: int) -> str:
    if not isinstance(cell, bytes):
        return "" if cell is None else str(cell)
    try:
        return cell.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{name} must be UTF-8 text, got {cell!r}", path, line, name) from error


def _build(
    path: str,
    names: Sequence[str],
    columns: dict[str, Column],
    urls: Sequence[str],
    line_of: Callable[[int], int],
    kept: Mapping[str, Sequence[object]],
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
    page = header.page_column(names, path, None)
    if page is not None:
        _check_urls(urls, page, path, line_of)
    ignored = tuple(name for name in names if name not in (*header.PAGE, *NUMBERS, *WRITTEN_BY_FIT, *kept))
    return PagesFile(path, pages, None if page is None else urls, ignored, line_of, kept)


def _check_urls(urls: Sequence[str], name: str, path: str, line_of: Callable[[int], int]) -> None:
    """Refuse blank names, and names of two rows: nobody could tell which row is meant."""
    different = set(urls)
    if "" in different or any(map(str.isspace, different)):
        row = next(row for row, url in enumerate(urls) if not url.strip())
        message = f"{name} is blank; write one, or drop the column to name pages by their row"
        raise DataError(message, path, line_of(row), name, row)
    if len(different) == len(urls):
        return
    first: dict[str, int] = {}
    again = [(url, row, before) for row, url in enumerate(urls) if (before := first.setdefault(url, row)) != row]
    told = [f"{url!r} of line {line_of(before)} in line {line_of(row)}" for url, row, before in again[:REPEATS_SHOWN]]
    more = f", and {len(again) - len(told):,} more" if len(again) > len(told) else ""
    message = f"{name} must not repeat, got {', '.join(told)}{more}; keep one row a page"
    raise DataError(message, path, line_of(again[0][1]), name, again[0][1])


def _located(error: InputError, path: str, line_of: Callable[[int], int]) -> DataError:
    if error.row is None:
        return DataError(str(error), path, argument=error.argument)
    message = str(error).replace(f" in row {error.row}", "", 1)  # the line says it
    return DataError(message, path, line_of(error.row), error.argument, error.row)
