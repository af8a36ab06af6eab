"""A frontier as tables: its pages as they stand, and its past as the files that `fit` and `simulate --trace` read.

Rates are per day, and times in days where they are no dates: the unit that commands use for logs with dates.
"""

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from recrawl.frontier.history import Crawl, Signal
from recrawl.frontier.kept.book import GONE, STATES

if TYPE_CHECKING:
    from recrawl.files.streams import Kind
    from recrawl.frontier.state import State

DAY_S = 86_400.0
ROWS = 8_192

PAGES: "dict[str, Kind]" = {
    "url": "text",
    "host": "text",
    "change_rate": "number",
    "importance": "number",
    "recall": "number",
    "false_signal_rate": "number",
    "change_rate_error": "number",
    "crawls": "whole",
    "changes": "whole",
    "crawled": "time",
    "signals_since": "whole",
    "last_change": "time",
    "state": "text",
    "failures": "whole",
    "max_age": "number",
}
CRAWLS: "dict[str, Kind]" = {
    "url": "text",
    "time": "time",
    "changed": "whole",
    "elapsed": "number",
    "result": "text",
    "moved_to": "text",
}
SIGNALS: "dict[str, Kind]" = {"url": "text", "time": "time", "source": "text", "happened": "time"}
TRACE: "dict[str, Kind]" = {"url": "text", "time": "number", "kind": "text"}
KINDS = ("change", "signal")

Rows = list[tuple[Any, ...]]


def page_rows(state: "State", *, gone: bool) -> Iterator[Rows]:
    """The rows of PAGES, some at a time, by number; with pages that are gone or without."""
    kinds = state.book.state[: len(state.pairing.learner)]
    wanted = np.flatnonzero(kinds if gone else (kinds != GONE) & (kinds != 0))
    for start in range(0, len(wanted), ROWS):
        yield _pages(state, wanted[start : start + ROWS])


def _pages(state: "State", ids: Any) -> Rows:
    book, learner = state.book, state.pairing.learner
    sure, decides = learner.uncertainty(ids), learner.pages(ids)
    # What is decided with leans to slow change; what is known of a page is the mean, at the same rate of signals.
    signals = decides.recall * decides.change_rate + decides.false_signal_rate
    true = np.minimum(sure.precision * signals, sure.change_rate)
    recall = np.divide(true, sure.change_rate, out=np.zeros(len(ids)), where=sure.change_rate > 0.0)
    ages = state.pairing.scheduler.columns_of(ids)["max_age"]
    columns = (
        state.urls.texts(ids),
        [state.hosts.names[host] for host in book.host[ids].tolist()],
        (DAY_S * sure.change_rate).tolist(),
        learner.given_importance(ids).tolist(),
        recall.tolist(),
        (DAY_S * (signals - true)).tolist(),
        (DAY_S * sure.change_rate_error).tolist(),
        book.fetches[ids].tolist(),
        book.changes[ids].tolist(),
        [time or None for time in book.fetched[ids].tolist()],
        np.rint(learner.heard(ids)).astype(np.int64).tolist(),
        [time or None for time in book.changed[ids].tolist()],
        [STATES[kind] for kind in book.state[ids].tolist()],
        book.failures[ids].tolist(),
        [age if age < np.inf else None for age in ages.tolist()],
    )
    return list(zip(*columns, strict=True))


def crawl_row(crawl: Crawl) -> tuple[Any, ...]:
    """A row of CRAWLS.

    `elapsed` is blank where the fetch had nothing to compare with: then it only starts the page's clock.
    """
    changed = {"changed": 1, "unchanged": 0}.get(crawl.result)
    known = crawl.before is not None and crawl.result != "unknown" and crawl.at > crawl.before
    elapsed = (crawl.at - crawl.before) / DAY_S if known else None  # type: ignore[operator]
    return crawl.url, crawl.at, changed, elapsed, crawl.result, crawl.moved_to or None


def signal_row(signal: Signal) -> tuple[Any, ...]:
    """A row of SIGNALS."""
    happened = None if signal.happened is None else min(signal.happened, signal.time)
    return signal.url, signal.time, signal.source, happened


class TraceMaker:
    """Collects changes and signals, to be put in order of time.

    That a page changed is known from a fetch; when, only that it was since the fetch before.  A signal that says when
    the page changed is believed where that lies in between; else the moment is drawn evenly.  Several changes between
    two fetches look like one.  What happened to a page that moved happened to the page it is now.
    """

    def __init__(self, urls: list[str], seed: int = 0) -> None:
        """`urls` are the pages that the trace is to be about."""
        self._urls = urls
        self._numbers = {url: number for number, url in enumerate(urls)}
        self._became: dict[int, int] = {}
        self._chance = np.random.default_rng(seed)
        self._fetched: dict[int, float] = {}
        self._dated: dict[int, float] = {}
        self._pages, self._times, self._kinds = array("q"), array("d"), array("b")
        self.begins = np.inf
        """The first moment of the past: time 0 of the trace."""

    def _number(self, url: str) -> int:
        return self._numbers.setdefault(url, len(self._numbers))

    def crawl(self, crawl: Crawl) -> None:
        """A fetch: perhaps it found a change."""
        self.begins = min(self.begins, crawl.at)
        page = self._number(crawl.url)
        if crawl.result == "moved":
            self._move(page, self._number(crawl.moved_to))
        if crawl.result not in ("changed", "unchanged", "unknown"):
            return
        before = self._fetched.get(page)
        told = self._dated.pop(page, None)
        self._fetched[page] = crawl.at
        if crawl.result == "changed" and before is not None and before < crawl.at:
            drawn = before + (crawl.at - before) * (1.0 - float(self._chance.random()))
            self._event(page, told if told is not None and before < told <= crawl.at else drawn, 0)

    def _move(self, page: int, new: int) -> None:
        if new not in self._fetched and page in self._fetched:  # else it is a page that was there before
            self._fetched[new] = self._fetched.pop(page)
            self._became[page] = new
            self._became.pop(new, None)

    def signal(self, signal: Signal) -> None:
        """A signal that was heard."""
        self.begins = min(self.begins, signal.time)
        page = self._number(signal.url)
        if signal.happened is not None and signal.happened % DAY_S:  # midnight is a date without a time
            self._dated.setdefault(page, signal.happened)
        self._event(page, signal.time, 1)

    def _event(self, page: int, time: float, kind: int) -> None:
        self._pages.append(page)
        self._times.append(time)
        self._kinds.append(kind)

    def rows(self) -> Iterator[Rows]:
        """The rows of TRACE, in order of time, some at a time."""
        now = np.array([self._now(page) for page in range(len(self._numbers))], dtype=np.int64)
        pages = now[np.array(self._pages, dtype=np.int64)]
        times, kinds = (np.array(self._times) - self.begins) / DAY_S, np.array(self._kinds)
        order = np.lexsort((kinds, times))
        order = order[pages[order] < len(self._urls)]
        for start in range(0, len(order), ROWS):
            some = order[start : start + ROWS]
            columns = pages[some].tolist(), times[some].tolist(), kinds[some].tolist()
            yield [(self._urls[page], time, KINDS[kind]) for page, time, kind in zip(*columns, strict=True)]

    def _now(self, page: int) -> int:
        seen = {page}
        while (new := self._became.get(page)) is not None and new not in seen:
            page = new
            seen.add(page)
        return page
