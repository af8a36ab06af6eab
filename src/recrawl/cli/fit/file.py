"""Writes fitted pages as a pages file: what ``recrawl plan`` reads, and the counts behind it."""

from typing import TYPE_CHECKING

from recrawl.files import columns as columns_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recrawl.learn import PageFits


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
    columns_file.write(path, columns)
