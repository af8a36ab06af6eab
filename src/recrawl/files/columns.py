"""Writes a table, column by column, as CSV or Parquet; None is an empty cell."""

import csv
from collections.abc import Mapping, Sequence

from recrawl.errors import MissingExtraError
from recrawl.files import target
from recrawl.files.whole import STANDARD, whole, whole_text


def check_target(option: str, path: str, sources: Mapping[str, str | None]) -> None:
    """Refuse a path that ``write`` could not serve, before the work starts; ``sources`` are the files that are read."""
    if path == STANDARD:
        return
    target.check(option, path, (".csv", ".parquet"), sources)
    if target.suffix(path) == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("writing Parquet", "parquet") from error


def write(path: str, columns: Mapping[str, Sequence[object]]) -> None:
    """Write columns of one length, whole or not at all."""
    if target.suffix(path) == ".parquet":
        _write_parquet(path, columns)
        return
    with whole_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_parquet(path: str, columns: Mapping[str, Sequence[object]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: list(column) for name, column in columns.items()})
    with whole(path) as file:
        pq.write_table(table, file)
