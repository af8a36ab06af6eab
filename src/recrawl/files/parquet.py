"""Reads Parquet: in batches of rows, or chosen columns whole.  The one module that opens it for reading."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import DataError, MissingExtraError
from recrawl.files.opening import reading

Check = Callable[[list[str], int | None], None]
"""Told the columns and the line they stand on (None in Parquet); refuses a file without those it needs."""


def batches(path: str, rows: int, check: Check) -> Iterator[dict[str, list[object]]]:
    """Cells by column as Python's own values, some rows at a time."""
    pa, file = _open(path)
    with file:
        names = list(file.schema_arrow.names)
        check(names, None)
        for batch in file.iter_batches(rows):
            yield {name: _plain(pa, batch.column(i)).to_pylist() for i, name in enumerate(names)}


def table(path: str, wanted: Callable[[str], bool], check: Check) -> Any:
    """The wanted columns as a pyarrow table; `check` sees the names of all."""
    with reading(path):
        pa, file = _open(path)
        with file:
            names = list(file.schema_arrow.names)
            check(names, None)
            try:
                return file.read(columns=[name for name in names if wanted(name)])
            except pa.ArrowInvalid as error:
                raise DataError(f"is not a Parquet file: {error}", path) from error


def numbers(column: Any, name: str, path: str) -> NDArray[np.float64]:
    """A column of numbers, NaN for null."""
    import pyarrow as pa

    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise DataError(f"{name} must be a column of numbers, got type {column.type}", path, argument=name)
    values = column.cast(pa.float64(), safe=False)  # whole numbers of more digits than a float holds are rounded
    return np.asarray(values.fill_null(np.nan).to_numpy(), dtype=np.float64)


def first_null(column: Any) -> int | None:
    """The first row without a value, from 0."""
    return column.is_null().to_pylist().index(True) if column.null_count else None


def _open(path: str) -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    try:
        return pa, pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise DataError(f"is not a Parquet file: {error}", path) from error


def _plain(pa: Any, column: Any) -> Any:
    """Nanoseconds as microseconds: Python's own times hold no more, and pyarrow refuses to cut."""
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return column.cast(pa.timestamp("us", kind.tz), safe=False)
    if pa.types.is_duration(kind) and kind.unit == "ns":
        return column.cast(pa.duration("us"), safe=False)
    return column
