"""How the pages of a log stand at its end: when each was last crawled, and what was signalled since."""

from dataclasses import dataclass

import numpy as np

from recrawl.learn.fit.likelihood import Array
from recrawl.learn.logs.tables import SortedCrawls, SortedSignals


@dataclass(frozen=True)
class Last:
    """One entry a page, in the order of the log's names.

    `crawled` is the last crawl that compared, or the last one where none did; -inf where the log has signals of the
    page only.  `signals` came after it.  `end` is the latest time in the log.
    """

    crawled: Array
    signals: Array
    end: float


def last_of(crawls: SortedCrawls, signals: SortedSignals, pages: int) -> Last | None:
    """None where crawls have no times."""
    if not np.isfinite(crawls.time).all():
        return None
    compared = ~np.isnan(crawls.changed)
    crawled, at_all = np.full(pages, -np.inf), np.full(pages, -np.inf)
    np.maximum.at(crawled, crawls.page[compared], crawls.time[compared])
    np.maximum.at(at_all, crawls.page, crawls.time)
    crawled = np.where(np.isfinite(crawled), crawled, at_all)
    later = signals.time > crawled[signals.page]
    since = np.bincount(signals.page[later], minlength=pages).astype(np.float64)
    return Last(crawled, since, float(np.concatenate((crawls.time, signals.time)).max()))
