"""Writes a plan, one row a page: url, rate, interval, threshold, freshness."""

import csv
from collections.abc import Sequence

import numpy as np

from recrawl.cli import target
from recrawl.errors import MissingExtraError
from recrawl.optimal import Optimum


def check_target(path: str, source: str | None) -> None:
    """Refuse a path that ``write`` could not serve, before the solving starts; ``source`` is the pages file."""
    target.check("--out", path, (".csv", ".parquet"), source)
    if target.suffix(path) == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("writing Parquet", "parquet") from error


def write(path: str, plan: Optimum, urls: Sequence[str] | None) -> None:
    """Write the plan; pages without a url are named by their row, from 0.

    A page that is never crawled has rate 0, interval inf and threshold inf.
    """
    with np.errstate(divide="ignore"):
        interval = 1.0 / plan.rates
    name, pages = ("page", range(len(plan.rates))) if urls is None else ("url", urls)
    columns = {
        name: pages,
        "rate": plan.rates.tolist(),
        "interval": interval.tolist(),
        "threshold": plan.thresholds.tolist(),
        "freshness": plan.page_freshness.tolist(),
    }
    with target.writing(path):
        if target.suffix(path) == ".parquet":
            _write_parquet(path, columns)
        else:
            with open(path, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows(zip(*columns.values(), strict=True))


def _write_parquet(path: str, columns: dict[str, Sequence[object]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: list(column) for name, column in columns.items()}), path)
