"""An existing pages file as the frame of a fit: its pages in its order, with its importance.

Pages are matched by name: the url, or the row (from 0) where the file has no urls.  Those the log does not know get
what it says about their group, or about all pages.
"""

from dataclasses import dataclass, replace

import numpy as np

from recrawl.errors import DataError
from recrawl.files import pages as pages_file
from recrawl.learn import CrawlLog, LogFile, PageFits, fit_pages
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.logs.labels import UNLABELLED, host
from recrawl.model import Pages


@dataclass(frozen=True)
class Frame:
    """The pages of a file, and their importance."""

    path: str
    names: list[str]
    importance: Array

    @classmethod
    def read(cls, path: str) -> "Frame":
        """From a pages file, as ``recrawl plan`` reads it."""
        file = pages_file.read(path)
        names = [str(row) for row in range(len(file.pages))] if file.urls is None else list(file.urls)
        return cls(path, names, file.pages.importance)

    def strangers(self, log: CrawlLog) -> list[str]:
        """Pages the log does not know, each once."""
        known = set(log.names)
        found = [name for name in dict.fromkeys(self.names) if name not in known]
        if len(found) == len(set(self.names)):
            raise DataError(
                f"has no page of the log; pages are matched by name, such as {self.names[0]!r} here and "
                f"{log.names[0]!r} in the log",
                self.path,
            )
        return found

    def notes(self, log: CrawlLog) -> list[str]:
        """For people: how many pages only the file has, and how many only the log."""
        more, fewer = len(self.strangers(log)), len(set(log.names).difference(self.names))
        notes = []
        if more:
            notes.append(f"{_pages(more)} of {self.path} not in the log: estimated as their group, or as all pages")
        if fewer:
            notes.append(f"{_pages(fewer)} of the log not in {self.path}: left out")
        return notes

    def fit(self, file: LogFile, by: str | None) -> PageFits:
        """Pages of the log, and behind them those that only this file has."""
        more = self.strangers(file.log)
        time, came = file.observed_time, file.n_signals
        if time is not None and came is not None:  # nobody says that signals of the others were watched
            time, came = (np.append(column, np.zeros(len(more))) for column in (time, came))
        return fit_pages(_extended(file.log, more), by, observed_time=time, n_signals=came)

    def without(self, fitted: PageFits, file: LogFile) -> PageFits:
        """What `fit` found, for the pages of the log alone."""
        return fitted.of(np.arange(len(file.log.names)))

    def around(self, fitted: PageFits) -> PageFits:
        """What was fitted, for the pages of the file in their order."""
        row = {name: k for k, name in enumerate(fitted.names)}
        chosen = fitted.of(np.array([row[name] for name in self.names], dtype=np.int64))
        return replace(chosen, pages=Pages(*chosen.pages.columns[:3], self.importance))


def _extended(log: CrawlLog, names: list[str]) -> CrawlLog:
    """The log with more pages behind its own, never crawled; a host comes from the url, other labels are not known."""
    labels = {
        key: [*old, *(host(n) if key == "host" else UNLABELLED for n in names)] for key, old in log.labels.items()
    }
    return replace(log, names=[*log.names, *names], labels=labels)


def _pages(count: int) -> str:
    return f"{count:,} {'page' if count == 1 else 'pages'}"
