"""Reads tab-separated files without a header in chunks, and names the line when one is wrong."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import inf
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import DataError

CHUNK = 20_000
T = TypeVar("T")


def chunks(path: Path, parse: Callable[[str], T]) -> Iterator[tuple[int, list[T]]]:
    """Parsed lines, many at a time, each chunk with the number of its first line; ValueErrors are given their line."""
    first = 1
    try:
        with path.open(encoding="utf-8") as file:
            while lines := list(islice(file, CHUNK)):
                yield first, _parsed(path, first, lines, parse)
                first += len(lines)
    except UnicodeDecodeError as error:
        raise DataError(f"must be UTF-8 text: {error.reason}", str(path)) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", str(path)) from error


def _parsed(path: Path, first: int, lines: list[str], parse: Callable[[str], T]) -> list[T]:
    records: list[T] = []
    try:
        for line in lines:
            records.append(parse(line))  # noqa: PERF401 - how far it came is the number of the bad line
    except ValueError as error:
        raise DataError(str(error), str(path), first + len(records)) from error
    return records


@dataclass(frozen=True)
class History:
    """The crawls of one URL: days since the one before, and whether something had changed."""

    url_id: int
    gaps: NDArray[np.float64]
    changed: NDArray[np.bool_]


def id_and_number(what: str, lowest: float) -> Callable[[str], tuple[int, float]]:
    """A parser of lines with a URL's id and a number that is at least ``lowest``."""

    def parse(line: str) -> tuple[int, float]:
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) != 2:
            raise ValueError(f"must have 2 tab-separated cells, URL_ID and {what}; got {len(cells)}")
        return _id(cells[0]), _number(what, cells[1], lowest)

    return parse


def history(line: str) -> History:
    """Parse a line with a URL's id, the day of its first crawl, and its crawls as a JSON list."""
    cells = line.rstrip("\r\n").split("\t")
    if len(cells) != 3:
        raise ValueError(f"must have 3 tab-separated cells, URL_ID, offset and history; got {len(cells)}")
    url_id = _id(cells[0])
    _number("offset", cells[1], 0.0)
    gaps, changed = _crawls(cells[2])
    return History(url_id, gaps, changed)


def _crawls(text: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    rule = "history must be a JSON list of [gap in days, 0 or 1]"
    try:
        crawls = json.loads(text)
        pairs = np.array(crawls or np.empty((0, 2)), dtype=np.float64)
        if not isinstance(crawls, list) or pairs.ndim != 2 or pairs.shape[1] != 2:
            raise TypeError(pairs.shape)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{rule}, got {text[:60]!r}") from error
    gaps, changed = pairs.T
    if not np.isin(changed, (0.0, 1.0)).all():
        raise ValueError(f"{rule}; the second of a pair was {changed[~np.isin(changed, (0.0, 1.0))][0]:g}")
    if not ((gaps >= 0.0) & (gaps < inf)).all():
        raise ValueError(f"{rule}; a gap was {gaps[~((gaps >= 0.0) & (gaps < inf))][0]:g}")
    return np.ascontiguousarray(gaps), changed == 1.0


def _id(cell: str) -> int:
    if not cell.isascii() or not cell.strip().isdigit() or len(cell) > 18:
        raise ValueError(f"URL_ID must be a whole number, got {cell[:60]!r}")
    return int(cell)


def _number(what: str, cell: str, lowest: float) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise ValueError(f"{what} must be a number, got {cell[:60]!r}") from None
    if not lowest <= value < inf:
        raise ValueError(f"{what} must be finite and at least {lowest:g}, got {cell[:60]!r}")
    return value
