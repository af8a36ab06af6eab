"""Writes tables of any length, some rows at a time, as CSV, Parquet or NDJSON; None is an empty cell."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from recrawl.errors import MissingExtraError
from recrawl.files.whole import whole, whole_text

FORMATS = ("csv", "parquet", "ndjson")
Kind: TypeAlias = Literal["text", "number", "whole", "time"]
"""What a column holds; times are given in seconds since 1970 and written as dates."""
Row: TypeAlias = Sequence[Any]
Write: TypeAlias = Callable[[Sequence[Row]], None]


def check_format(name: str) -> None:
    """Refuse a format for which something is missing, before the work starts."""
    if name == "parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("writing Parquet", "parquet") from error


@contextmanager
def writing(path: str, columns: Mapping[str, Kind]) -> Iterator[Write]:
    """A function that takes rows; the file, of the format its suffix says, is in place when the block ends."""
    suffix = path.rpartition(".")[2]
    make = {"csv": _csv, "parquet": _parquet, "ndjson": _ndjson}[suffix]
    with make(path, columns) as write:
        yield write


@contextmanager
def _csv(path: str, columns: Mapping[str, Kind]) -> Iterator[Write]:
    with whole_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        dated = _dated(columns)
        yield lambda rows: writer.writerows(_with_dates(rows, dated, datetime.isoformat))


@contextmanager
def _ndjson(path: str, columns: Mapping[str, Kind]) -> Iterator[Write]:
    with whole_text(path) as file:
        dated, names = _dated(columns), list(columns)

        def write(rows: Sequence[Row]) -> None:
            for row in _with_dates(rows, dated, datetime.isoformat):
                file.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False))
                file.write("\n")

        yield write


@contextmanager
def _parquet(path: str, columns: Mapping[str, Kind]) -> Iterator[Write]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"text": pa.string(), "number": pa.float64(), "whole": pa.int64(), "time": pa.timestamp("us", "UTC")}
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    dated = _dated(columns)
    with whole(path) as file, pq.ParquetWriter(file, schema) as writer:

        def write(rows: Sequence[Row]) -> None:
            cells = zip(*_with_dates(rows, dated, lambda moment: moment), strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(cells, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))

        yield lambda rows: write(rows) if rows else None


def _dated(columns: Mapping[str, Kind]) -> list[int]:
    return [place for place, kind in enumerate(columns.values()) if kind == "time"]


def _with_dates(rows: Sequence[Row], places: list[int], form: Callable[[datetime], object]) -> Iterator[Row]:
    if not places:
        yield from rows
        return
    for row in rows:
        cells = list(row)
        for place in places:
            if cells[place] is not None:
                cells[place] = form(datetime.fromtimestamp(cells[place], UTC))
        yield cells
