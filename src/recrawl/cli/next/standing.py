"""Pages as they stand: what is known of them, when each was last crawled, and what was signalled since."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import DataError
from recrawl.files import cells, opening
from recrawl.files import pages as pages_file
from recrawl.files.rows import Rows
from recrawl.learn import fit_pages, read_log
from recrawl.model import Pages

Array = NDArray[np.float64]

CRAWLED, SINCE = "crawled", "signals_since"
"""Columns of a pages file that say when a page was last crawled, and how many signals came since."""


@dataclass(frozen=True)
class Standing:
    """One entry a page.

    `crawled` is -inf where a page never was, `end` the latest time known; `dated`: times are days since 1970.
    """

    names: Sequence[str]
    pages: Pages
    crawled: Array
    signals: Array
    end: float
    dated: bool
    notes: tuple[str, ...] = ()


def read(path: str, signals: str | None, progress: Callable[[str], None]) -> Standing:
    """From a pages file, which has a column change_rate, or else from a crawl log."""
    if path != "-" and "change_rate" in _columns(path):
        if signals is not None:
            raise DataError("is a pages file; --signals goes with a crawl log", path, argument="signals")
        return _of_pages(path)
    return _of_log(path, signals, progress)


def _columns(path: str) -> list[str]:
    rows = Rows(path, lambda _names, _line: None)
    next(iter(rows), None)
    return rows.names


def _of_log(path: str, signals: str | None, progress: Callable[[str], None]) -> Standing:
    file = read_log(path, signals, progress=lambda rows: progress(f"reading: {rows:,} rows"))
    if file.last is None:
        raise DataError("has crawls without a time; what is due now depends on when pages were crawled", path)
    if len(file.log) == 0:
        what = "holds no two crawls of a page of which the later compared, so nothing can be estimated"
        raise DataError(what + file.malformed.told(), opening.shown(path))
    progress(f"fitting {len(file.log.names):,} pages")
    fitted = fit_pages(file.log, observed_time=file.observed_time, n_signals=file.n_signals)
    return Standing(
        fitted.names,
        fitted.pages,
        file.last.crawled,
        file.last.signals,
        file.last.end,
        file.dated,
        tuple(file.malformed.lines()),
    )


def _of_pages(path: str) -> Standing:
    file = pages_file.read(path, keep=(CRAWLED, SINCE))
    names = file.urls if file.urls is not None else [str(row) for row in range(len(file.pages))]
    notes = [f"ignored columns: {', '.join(file.ignored)}"] if file.ignored else []
    since = np.zeros(len(names))
    if SINCE in file.kept:
        since = np.array([_cell(cells.count, SINCE, cell, file, row) for row, cell in enumerate(file.kept[SINCE])])
        since = np.nan_to_num(since)
    if CRAWLED not in file.kept:
        notes.append(f"there is no column {CRAWLED}: all pages are taken to be crawled one unit of time ago")
        return Standing(names, file.pages, np.zeros(len(names)), since, 1.0, False, tuple(notes))
    told = file.kept[CRAWLED]
    reader = next((found for cell in told if (found := cells.time_reader(cell)) is not None), cells.optional_number)
    crawled = np.array([_cell(reader, CRAWLED, cell, file, row) for row, cell in enumerate(told)])
    crawled = np.where(np.isnan(crawled), -np.inf, crawled)
    known = crawled[np.isfinite(crawled)]
    end = float(known.max()) if len(known) else 0.0
    return Standing(names, file.pages, crawled, since, end, reader is cells.date, tuple(notes))


def _cell(reader: Callable[[object], float], name: str, cell: object, file: pages_file.PagesFile, row: int) -> float:
    try:
        return reader(cell)
    except (TypeError, ValueError, OverflowError):
        what = "a whole number >= 0" if name == SINCE else "a time like the others"
        raise DataError(
            f"{name} must be {what}, got {cell!r}", opening.shown(file.path), file.line_of(row), name
        ) from None
