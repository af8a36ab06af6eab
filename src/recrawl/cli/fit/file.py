"""Writes fitted pages as a pages file: what ``recrawl plan`` reads, and the counts behind it."""

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recrawl.files import columns as columns_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recrawl.learn import LogFile, PageFits


def write(path: str, fitted: "PageFits", by: str | None, file: "LogFile") -> None:
    """One row a page: estimates, counts, how it stands at the end of the log, and its group."""
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
    columns |= _standing(fitted, file)
    if by is not None:
        columns["group" if by in columns else by] = [fitted.groups[k] for k in fitted.group.tolist()]
    columns_file.write(path, columns)


def _standing(fitted: "PageFits", file: "LogFile") -> "dict[str, Sequence[object]]":
    """When each page was last crawled and the signals since, blank where not known: what ``recrawl next`` asks for."""
    if file.last is None:
        return {}
    known = {name: k for k, name in enumerate(file.log.names)}
    places = [known.get(name) for name in fitted.names]
    crawled, since = file.last.crawled.tolist(), file.last.signals.tolist()
    return {
        "crawled": [None if k is None or crawled[k] == -math.inf else _time(crawled[k], file.dated) for k in places],
        "signals_since": [None if k is None else int(since[k]) for k in places],
    }


def _time(time: float, dated: bool) -> object:
    return datetime.fromtimestamp(time * 86_400.0, UTC).isoformat() if dated else time
