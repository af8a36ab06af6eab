"""What happened: the crawls and signals that the journal still has, by URL.

Theory of operation
-------------------
1. Facts name pages by number, and a number may have stood for several pages in turn: pages are forgotten, move, and
   numbers are used again.  Only the present table says which URLs numbers have now.
2. So the journal is read twice.  First for the facts that give, take or change URLs.  They are undone, from the last to
   the first: that gives the table as it was when the journal begins.
3. Then forward, with each of them done again when its turn comes.  At each fact the table is that of the moment.
4. Tables of other moments are kept as what is different from the present one (`_Names`).
5. Where groups are missing, numbers may have changed hands unseen.  The past begins behind the last such gap.
"""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from recrawl.arguments import Ids
from recrawl.frontier.facts import Fact, decode, texts_from_columns
from recrawl.frontier.kept.book import NONE
from recrawl.frontier.kept.copies import UNKNOWN
from recrawl.frontier.numbers import MERGED
from recrawl.frontier.outcomes import AWAY, MOVED, RESULTS
from recrawl.store import Group

if TYPE_CHECKING:
    from recrawl.frontier.state import State

NAMING = frozenset({"add", "forget", "complete"})
TOLD = NAMING | {"signal"}


class Crawl(NamedTuple):
    """A fetch that was answered for.  Times are in seconds since 1970."""

    url: str
    at: float
    result: str
    """changed, unchanged, unknown, failed, gone or moved"""
    before: float | None
    """When the fetch before it was, failed or not; None where the journal has none of the page."""
    moved_to: str = ""


class Signal(NamedTuple):
    """A signal, as it was given to the frontier."""

    url: str
    time: float
    source: str
    happened: float | None
    """When the page changed, if the source says so."""
    word: str
    """heard; old, where the change came before the last fetch; repeated, where the source had said the same before.

    As far as dates tell.  The frontier also takes a signal without a date for old where the latency of its source says
    so, which it had learned by then; here such a signal is heard.
    """


Event: TypeAlias = Crawl | Signal
_Steps: TypeAlias = list[tuple[int, str | None]]
"""Numbers, and the URLs that they get; None for none."""


class History:
    """Iterates the events of a journal in the order they were written down.

    `groups` gives the groups of the journal, each time it is called; `state` is that after the last of them.  Nothing
    must happen to them meanwhile.
    """

    def __init__(self, groups: Callable[[], Iterator[Group]], state: "State") -> None:
        self._groups = groups
        self._state = state
        self.first: int | None = None
        """The number of the first group whose events can be told, None where there is none."""
        self.unnamed = 0
        """Events of pages whose URLs the journal does not tell."""

    def __iter__(self) -> Iterator[Event]:
        names, self.unnamed = self._beginning(), 0
        seen = _Seen()
        for group in self._groups():
            if self.first is None or group.number < self.first:
                continue
            for fact in decode(group.data, TOLD):
                yield from self._events(fact, names, seen)
                names.set(list(_redone(fact)))
                seen.rename(fact)

    def _beginning(self) -> "_Names":
        """The URLs before the first group."""
        undone: list[_Steps] = []
        expected = None
        self.first = None
        for group in self._groups():
            if group.number != expected:  # the first, or one behind a gap
                undone, self.first = [], group.number
            expected = group.number + 1
            for fact in decode(group.data, NAMING):
                if not _tells_numbers(fact):
                    undone, self.first = [], expected
                    continue
                undone.append(_undoing(fact))
        names = _Names(self._state)
        for steps in reversed(undone):
            names.set(steps)
        return names

    def _events(self, fact: Fact, names: "_Names", seen: "_Seen") -> Iterator[Event]:
        if fact.kind not in ("complete", "signal"):
            return
        ids = fact.columns["ids"]
        urls = names.texts(ids)
        told = _crawls(fact, ids, urls, seen) if fact.kind == "complete" else _signals(fact, ids, urls, seen)
        for event in told:
            if event is None:
                self.unnamed += 1
            else:
                yield event


def _crawls(fact: Fact, ids: Ids, urls: list[str | None], seen: "_Seen") -> Iterator[Crawl | None]:
    columns = fact.columns
    targets = texts_from_columns("moved_to", columns) if "moved_to" in columns else [""] * len(ids)
    rows = zip(ids.tolist(), urls, columns["at"].tolist(), columns["results"].tolist(), targets, strict=True)
    for page, url, at, result, target in rows:
        before = seen.crawl(page, at, result)
        moved = target if result == MOVED else ""
        yield None if url is None else Crawl(url, at, RESULTS[result], before, moved)


def _signals(fact: Fact, ids: Ids, urls: list[str | None], seen: "_Seen") -> Iterator[Signal | None]:
    n, source, now = len(ids), fact.fields["source"], fact.now
    happened = fact.columns.get("happened", np.full(n, math.nan)).tolist()
    spans = fact.columns.get("spans", np.zeros(n)).tolist()
    for page, url, when, span in zip(ids.tolist(), urls, happened, spans, strict=True):
        word = seen.signal(page, source, when, span)
        yield None if url is None else Signal(url, now, source, None if math.isnan(when) else when, word)


class _Names:
    """URLs of numbers at some moment, kept as what differs from the present."""

    def __init__(self, state: "State") -> None:
        self._present = state.urls
        self._known = state.book.state != NONE
        self._other: dict[int, str | None] = {}

    def set(self, steps: _Steps) -> None:
        """Numbers have these URLs, or none; the last counts where a number comes several times."""
        self._other.update(steps)
        mine = {page: url for page, _ in steps if (url := self._other[page]) is not None}
        for page, found in zip(mine, self._present.find(list(mine.values())).tolist(), strict=True):
            if page == found:
                del self._other[page]

    def texts(self, ids: Ids) -> list[str | None]:
        """The URLs of numbers, None where they have none that is known."""
        known = ids[(ids < len(self._known))]
        known = known[self._known[known]]
        now: dict[int, str | None] = dict(zip(known.tolist(), self._present.texts(known), strict=True))
        return [self._other[page] if page in self._other else now.get(page) for page in ids.tolist()]


class _Seen:
    """What was last seen of each number."""

    def __init__(self) -> None:
        self._tried: dict[int, float] = {}
        self._fetched: dict[int, float] = {}
        self._told: dict[int, dict[str, float]] = {}

    def crawl(self, page: int, at: float, result: int) -> float | None:
        """A fetch; when the one before was."""
        before = self._tried.get(page)
        self._tried[page] = at
        if result <= UNKNOWN:
            self._fetched[page] = at
        elif result == AWAY:  # there is no copy any more
            self._fetched.pop(page, None)
        return before

    def signal(self, page: int, source: str, happened: float, span: float) -> str:
        """A signal; what becomes of it."""
        if math.isnan(happened):
            return "heard"
        told = self._told.setdefault(page, {})
        if told.get(source) == happened:
            return "repeated"
        told[source] = happened
        return "old" if happened + span <= self._fetched.get(page, -math.inf) else "heard"

    def rename(self, fact: Fact) -> None:
        """Numbers stand for other pages from now on."""
        if fact.kind in ("add", "forget"):
            for page in fact.columns["ids"].tolist():
                self._forget(page)
        elif "moved_ids" in fact.columns:
            pages = fact.columns["ids"][fact.columns["results"] == MOVED]
            for page, new in zip(pages.tolist(), fact.columns["moved_ids"].tolist(), strict=True):
                if new not in (page, MERGED):
                    self._move(page, new)
                if new != page:
                    self._forget(page)

    def _move(self, page: int, new: int) -> None:
        for kept in (self._tried, self._fetched, self._told):
            if page in kept:
                kept[new] = kept[page]  # type: ignore[assignment]

    def _forget(self, page: int) -> None:
        for kept in (self._tried, self._fetched, self._told):
            kept.pop(page, None)


def _tells_numbers(fact: Fact) -> bool:
    """Whether the fact says which numbers it is about; those of the first versions did not."""
    if fact.kind == "complete":
        return "moved_to" not in fact.columns or "moved_ids" in fact.columns
    return "ids" in fact.columns


def _redone(fact: Fact) -> Iterator[tuple[int, str | None]]:
    """Numbers, and the URLs they have after the fact, step by step."""
    if fact.kind == "add":
        yield from zip(fact.columns["ids"].tolist(), texts_from_columns("urls", fact.columns), strict=True)
    elif fact.kind == "forget":
        yield from ((page, None) for page in fact.columns["ids"].tolist())
    else:
        for page, new, _, target in _moves(fact):
            if new not in (page, MERGED):
                yield new, target
            yield page, target if new == page else None


def _undoing(fact: Fact) -> _Steps:
    """Numbers, and the URLs they had before the fact, from the last step to the first."""
    if fact.kind == "add":
        return [(page, None) for page in fact.columns["ids"].tolist()]
    if fact.kind == "forget":
        return list(zip(fact.columns["ids"].tolist(), texts_from_columns("urls", fact.columns), strict=True))
    steps: _Steps = []
    for page, new, origin, _ in reversed(list(_moves(fact))):
        if new not in (page, MERGED):
            steps.append((new, None))
        steps.append((page, origin))
    return steps


def _moves(fact: Fact) -> Iterator[tuple[int, int, str, str]]:
    """Pages that moved: number before and after, URL before and after."""
    columns = fact.columns
    if "moved_ids" not in columns:
        return
    rows = np.flatnonzero(columns["results"] == MOVED)
    targets = texts_from_columns("moved_to", columns)
    yield from zip(
        columns["ids"][rows].tolist(),
        columns["moved_ids"].tolist(),
        texts_from_columns("moved_from", columns),
        [targets[k] for k in rows.tolist()],
        strict=True,
    )
