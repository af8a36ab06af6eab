"""Reads pages to be put into a frontier: CSV, Parquet, NDJSON, or one URL a line; bad rows are told by their line."""

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from recrawl.errors import DataError
from recrawl.files import cells, header, opening
from recrawl.files.malformed import Malformed
from recrawl.files.rows import CHUNK_ROWS, Rows
from recrawl.files.whole import STANDARD
from recrawl.urls import normalise_all

DAY_S = 86_400.0
WORDS = {
    "always": 600.0,
    "hourly": 3_600.0,
    "daily": DAY_S,
    "weekly": 7.0 * DAY_S,
    "monthly": 30.0 * DAY_S,
    "yearly": 365.0 * DAY_S,
    "never": 3_650.0 * DAY_S,
}
"""What sitemaps say in changefreq, in seconds."""

NUMBERS = ("importance", "every", "max_age", "change_rate")
_RULES = {
    "importance": "a number >= 0, or blank",
    "every": f"seconds > 0, one of {', '.join(WORDS)}, or blank",
    "max_age": "seconds > 0, or blank",
    "change_rate": "changes a day > 0, or blank",
}


@dataclass
class Chunk:
    """Some pages: URLs, in the one spelling, and numbers, NaN where nothing is said."""

    lines: list[int] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    importance: list[float] = field(default_factory=list)
    every: list[float] = field(default_factory=list)
    max_age: list[float] = field(default_factory=list)
    group: list[str] = field(default_factory=list)


Cells = tuple[Sequence[int], dict[str, Sequence[Any]]]


def read(path: str, malformed: Malformed) -> Iterator[Chunk]:
    """The pages of a file, some at a time; rows that are bad go to `malformed`, each with its line."""
    shown = opening.shown(path)
    for lines, columns in _tables(path, malformed):
        yield _chunk(shown, lines, columns, malformed)


def _tables(path: str, malformed: Malformed) -> Iterator[Cells]:
    kind = _kind(path)
    if kind == "table":
        found: list[str] = []
        shown = opening.shown(path)
        for lines, columns in Rows(
            path, lambda names, line: found.append(_page(names, shown, line)), "page", malformed
        ):
            yield lines, {**columns, "url": columns[found[0]]}
    else:
        with opening.reading(path), opening.text(path) as file:
            numbered = enumerate(file, start=1)
            yield from (_objects if kind == "objects" else _plain)(numbered, path, malformed)


def _page(names: list[str], path: str, line: int | None) -> str:
    header.check_once(names, (*header.PAGE, *NUMBERS, "group", "host"), path, line)
    return header.require_page(names, path, line)


def _kind(path: str) -> str:
    """table, objects (NDJSON) or plain (a URL a line): by the suffix, else by how the file begins."""
    name = path.lower().removesuffix(".gz")
    if opening.is_parquet(path) or name.endswith(".csv"):
        return "table"
    if name.endswith((".ndjson", ".jsonl")):
        return "objects"
    first = _beginning(path).lstrip("\ufeff \r\n")
    if first.startswith("{"):
        return "objects"
    names = [name.strip().strip('"').lower() for name in first.splitlines()[0].split(",")] if first else []
    return "table" if set(names) & set(header.PAGE) else "plain"


def _beginning(path: str) -> str:
    if path == STANDARD:
        peek: Callable[[int], bytes] | None = getattr(sys.stdin.buffer, "peek", None)
        return peek(1)[:4096].decode(errors="replace") if peek else ""
    with opening.reading(path), opening.text(path) as file:
        try:
            return file.read(4096)
        except UnicodeDecodeError as error:
            raise DataError("must be UTF-8 text; convert it, e.g. with iconv", path) from error


def _plain(lines: Iterator[tuple[int, str]], path: str, _: Malformed) -> Iterator[Cells]:
    """A URL a line; blank lines, and lines that begin with #, say nothing."""
    said = ((number, text.strip()) for number, text in _decoded(lines, path))
    urls = (entry for entry in said if entry[1] and not entry[1].startswith("#"))
    while some := list(islice(urls, CHUNK_ROWS)):
        yield [number for number, _ in some], {"url": [url for _, url in some]}


def _objects(lines: Iterator[tuple[int, str]], path: str, malformed: Malformed) -> Iterator[Cells]:
    shown = opening.shown(path)
    while some := list(islice(_decoded(lines, path), CHUNK_ROWS)):
        rows: list[tuple[int, dict[str, Any]]] = []
        for number, text in some:
            if not text.strip():
                continue
            try:
                row = json.loads(text)
            except ValueError:
                row = None
            if isinstance(row, dict) and ("url" in row or "page" in row):
                rows.append((number, {**row, "url": row.get("url", row.get("page"))}))
            else:
                malformed.add(shown, number, "must be a JSON object with a url", f", got {text.strip():.60}")
        names = {name for _, row in rows for name in row}
        yield [number for number, _ in rows], {name: [row.get(name) for _, row in rows] for name in names}


def _decoded(lines: Iterator[tuple[int, str]], path: str) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        for number, text in lines:
            yield number, text
    except UnicodeDecodeError as error:
        message = "must be UTF-8 text; convert it, e.g. with iconv"
        raise DataError(message, opening.shown(path), number + 1) from error


def _chunk(path: str, lines: Sequence[int], columns: dict[str, Sequence[Any]], malformed: Malformed) -> Chunk:
    chunk = Chunk()
    blank = [None] * len(lines)
    groups = columns.get("group", columns.get("host", blank))
    given = [columns.get(name, blank) for name in NUMBERS]
    urls = ["" if url is None else str(url).strip() for url in columns.get("url", blank)]
    spelled, refused = normalise_all(urls)
    reasons = {entry.item: entry for entry in refused}
    for row, (line, url, group, *numbers) in enumerate(zip(lines, spelled, groups, *given, strict=True)):
        if url is None:
            malformed.add(path, line, f"url: {reasons[row].reason}", f", got {reasons[row].url!r}")
            continue
        read = _numbers(path, line, numbers, malformed)
        if read is None:
            continue
        importance, every, max_age, change_rate = read
        chunk.lines.append(line)
        chunk.urls.append(url)
        chunk.importance.append(importance)
        chunk.every.append(DAY_S / change_rate if math.isnan(every) else every)
        chunk.max_age.append(max_age)
        chunk.group.append("" if group is None else str(group).strip()[:255])
    return chunk


def _numbers(path: str, line: int, given: list[Any], malformed: Malformed) -> list[float] | None:
    found = []
    for name, cell in zip(NUMBERS, given, strict=True):
        value = _number(name, cell)
        if value is None:
            malformed.add(path, line, f"{name} must be {_RULES[name]}", f", got {cell!r}")
            return None
        found.append(value)
    return found


def _number(name: str, cell: Any) -> float | None:
    """NaN where nothing is said, None where it is no such number."""
    if name == "every" and isinstance(cell, str) and cell.strip().lower() in WORDS:
        return WORDS[cell.strip().lower()]
    try:
        value = cells.optional_number(cell)
    except (TypeError, ValueError):
        return None
    if math.isnan(value):
        return value
    good = value >= 0.0 if name == "importance" else value > 0.0
    return value if good and value < math.inf else None
