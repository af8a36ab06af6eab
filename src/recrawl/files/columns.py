"""Writes a table, column by column, as CSV or Parquet; None is an empty cell."""

import csv
from collections.abc import Mapping, Sequence

from recrawl.errors import MissingExtraError
from recrawl.files import target


def check_target(option: str, path: str, source: str | None) -> None:
    """Refuse a path that ``write`` could not serve, before the work starts; ``source`` is the pages file."""
    target.check(option, path, (".csv", ".parquet"), source)
    if target.suffix(path) == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("writing Parquet", "parquet") from error


def write(path: str, columns: Mapping[str, Sequence[object]]) -> None:
    """Write columns of one length."""
    with target.writing(path):
        if target.suffix(path) == ".parquet":
            _write_parquet(path, columns)
        else:
            with open(path, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows(zip(*columns.values(), strict=True))


def _write_parquet(path: str, columns: Mapping[str, Sequence[object]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: list(column) for name, column in columns.items()}), path)
