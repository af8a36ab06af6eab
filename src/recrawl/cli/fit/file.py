"""Writes fitted pages as a pages file: what ``recrawl plan`` reads, and the counts behind it."""

import csv
from typing import TYPE_CHECKING

from recrawl.cli.plan.file import check_target
from recrawl.files import target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recrawl.learn import PageFits

__all__ = ["check_target", "write"]


def write(path: str, fitted: "PageFits", by: str | None) -> None:
    """One row a page, with its group under the name it was grouped by."""
    pages = fitted.pages
    columns: dict[str, Sequence[object]] = {
        "url": fitted.names,
        "change_rate": pages.change_rate.tolist(),
        "importance": pages.importance.tolist(),
        "recall": pages.recall.tolist(),
        "false_signal_rate": pages.false_signal_rate.tolist(),
        "change_rate_error": fitted.change_rate_error.tolist(),
        "crawls": fitted.crawls.tolist(),
        "changes": fitted.changes.tolist(),
        "signals": fitted.signals.tolist(),
    }
    if by is not None:
        columns["group" if by in columns else by] = [fitted.groups[k] for k in fitted.group.tolist()]
    with target.writing(path):
        if target.suffix(path) == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.table({name: list(column) for name, column in columns.items()}), path)
        else:
            with open(path, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows(zip(*columns.values(), strict=True))
