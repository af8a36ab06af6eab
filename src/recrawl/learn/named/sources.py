"""`NamedSources`: precision, recall and latency of sources of signals, by host, from what crawls find."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from recrawl.arguments import Ids, Values
from recrawl.errors import InputError
from recrawl.learn.named import hearing, judging
from recrawl.learn.named.layout import (
    BY_HOST,
    BY_PAGE,
    BY_SOURCE,
    ENOUGH,
    GRADES,
    LATENESSES,
    MOST_SOURCES,
    PRECISIONS,
    STEP,
    TOGETHER,
    empty_memory,
    regraded,
    with_rows,
    with_sources,
)

HEARD, OLD, REPEATED = hearing.HEARD, hearing.OLD, hearing.REPEATED


class SourceQuality(NamedTuple):
    """What is known of one source, on all hosts or on one."""

    name: str
    signals: int
    precision: float
    """The share of its signals that tell of a change."""
    recall: float
    """The share of changes that it signals; NaN before any change was found."""
    latency: float
    """Seconds by which half of its signals are late; NaN where it never said when pages changed."""
    judged: int
    """Signals that a later crawl could judge."""


class NamedSources:
    """Sources by name, each with a number from 0 on.  Pages and hosts are numbers of the caller's.

    >>> sources = NamedSources()
    >>> sources.number("sitemap"), sources.number("feed"), sources.number("sitemap")
    (0, 1, 0)
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._memory = empty_memory()

    def __len__(self) -> int:
        return len(self.names)

    def number(self, name: str) -> int:
        """The number of a source, which is new where it has none."""
        known = self._numbers.get(name)
        if known is not None:
            return known
        self.check(name)
        number = self._new(name)
        if len(self.names) == 2 and TOGETHER not in self._numbers:
            self._new(TOGETHER)
        return number

    def _new(self, name: str) -> int:
        self._numbers[name] = len(self.names)
        self.names.append(name)
        self._memory = with_sources(self._memory, len(self.names))
        return len(self.names) - 1

    @property
    def _together(self) -> int:
        """The number under which meetings of sources are kept; -1 while there is one source."""
        return self._numbers.get(TOGETHER, -1)

    def check(self, name: str) -> None:
        """Refuse what cannot be a source, or is one too many."""
        if isinstance(name, str) and name in self._numbers and name != TOGETHER:
            return
        if not isinstance(name, str) or not 0 < len(name) <= 100 or any("\ud800" <= c <= "\udfff" for c in name):
            raise InputError(f"source must be a name of 1 to 100 characters, got {name!r:.80}", argument="source")
        if len(self.names) - (self._together >= 0) >= MOST_SOURCES:
            known = ", ".join([each for each in self.names if each != TOGETHER][:5])
            raise InputError(
                f"source must be one of at most {MOST_SOURCES} names (there are {known}, ...), got {name!r:.80}; "
                "name the kind of source, such as sitemap, not each one",
                argument="source",
            )

    def make_room(self, pages: int, hosts: int) -> None:
        """Have room for that many pages and hosts."""
        self._memory = with_rows(with_rows(self._memory, BY_PAGE, pages), BY_HOST, hosts)

    def hear(
        self, source: int, ids: Ids, hosts: Ids, since: Values, happened: Values, spans: Values, now: float
    ) -> tuple[Values | None, NDArray[np.uint8]]:
        """Signals of a source: what each weighs beside those of other sources, and HEARD, OLD or REPEATED.

        None in place of weights where all are heard and weigh one.  `happened` and `spans` are empty where the source
        says nothing of when pages changed.
        """
        weights, codes = np.empty(len(ids)), np.empty(len(ids), dtype=np.uint8)
        ones = hearing.hear(
            self._memory, len(self), self._together, source, ids, hosts, since, happened, spans, now, weights, codes
        )
        return None if ones else weights, codes

    @property
    def by_page_counts(self) -> NDArray[np.uint8]:
        """Signals since the last crawl of each page, by source, as they are kept; a view."""
        return self._memory.counts

    def counts(self, ids: Ids) -> NDArray[np.uint8]:
        """Signals since the last crawls of pages, by source."""
        return self._memory.counts[ids]

    def known(self, hosts: Ids) -> NDArray[np.bool_]:
        """Whether enough signals of each of these hosts have been judged."""
        return np.asarray(self._memory.judged[hosts].sum(axis=1) >= ENOUGH)

    def judge(
        self,
        hosts: Ids,
        alphas: Values,
        elapsed: Values,
        counts: NDArray[np.uint8],
        changed: NDArray[np.bool_],
    ) -> None:
        """Crawls compared: learn from what they found after `counts` of signals."""
        room = self._memory.counts.shape[1]
        if counts.shape[1] < room:  # taken before there were as many sources
            counts = np.pad(counts, ((0, 0), (0, room - counts.shape[1])))
        judging.judge(self._memory, len(self), hosts, alphas, elapsed, counts, changed, np.empty(GRADES))

    def restart(self, ids: Ids, counts: NDArray[np.uint8]) -> None:
        """The intervals of pages ended with these `counts`; what came since stays."""
        hearing.restart(self._memory.counts, ids, counts)

    def forget(self, ids: Ids) -> None:
        """These numbers stand for other pages from now on."""
        self._memory.counts[ids] = 0
        self._memory.told[ids] = 0

    def move(self, old: int, new: int) -> None:
        """What was heard of one page was heard of another."""
        for name in BY_PAGE:
            getattr(self._memory, name)[new] = getattr(self._memory, name)[old]

    def quality(self, host: int | None = None) -> list[SourceQuality]:
        """What is known of each source, on all hosts or on one."""
        return [self._quality(number, host) for number in range(len(self)) if number != self._together]

    def _quality(self, source: int, host: int | None) -> SourceQuality:
        memory = self._memory
        which = slice(None) if host is None else slice(host, host + 1)
        judged = memory.judged[which, source].astype(np.float64)
        precision = 1.0 - np.exp(-memory.kappa[which, source].astype(np.float64))
        expected = float(1.0 - np.exp(-memory.expected[source]))
        shared, true = np.zeros_like(judged), float((judged * precision).sum())
        if self._together >= 0:
            met = memory.judged[which, self._together] > 0.0  # before that nobody knows what meetings are worth
            shared = np.where(met, memory.shared[which, source], 0.0).astype(np.float64)
            true += float(shared @ (1.0 - np.exp(-memory.kappa[which, self._together].astype(np.float64))))
        total = float(judged.sum() + shared.sum())
        changes = float(memory.changes[which][(judged > 0.0) | (shared > 0.0)].sum())
        heard = memory.totals[source] if host is None else memory.heard[host, source]
        return SourceQuality(
            name=self.names[source],
            signals=int(heard),
            precision=true / total if total else expected,
            recall=min(true / changes, 1.0) if changes else float("nan"),
            latency=self._latency(source),
            judged=int(total),
        )

    def _latency(self, source: int) -> float:
        late = np.cumsum(self._memory.late[source])
        if not late[-1]:
            return float("nan")
        k = int(np.searchsorted(late, 0.5 * late[-1]))
        before = late[k - 1] if k else 0.0
        at = k + (0.5 * late[-1] - before) / (late[k] - before)
        return float(at) if at < 1.0 else float(np.exp((min(at, LATENESSES) - 1.0) * STEP))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in self._memory)

    # -- keeping -----------------------------------------------------------------------------------------------------

    def by_page(self, which: slice | Ids) -> dict[str, NDArray[Any]]:
        """A copy of what is kept of these pages."""
        return {name: getattr(self._memory, name)[which].copy() for name in BY_PAGE}

    def set_by_page(self, which: slice | Ids, columns: dict[str, NDArray[Any]]) -> None:
        """Put back what `by_page` gave."""
        for name in BY_PAGE:
            getattr(self._memory, name)[which, : columns[name].shape[1]] = columns[name]

    def others(self) -> dict[str, NDArray[Any]]:
        """A copy of what is kept of hosts and sources."""
        return {name: getattr(self._memory, name).copy() for name in (*BY_HOST, *BY_SOURCE)}

    @classmethod
    def restored(cls, names: list[str], pages: int, others: dict[str, NDArray[Any]]) -> Self:
        """What `others` was taken of; pages are to follow."""
        sources = cls()
        for name in names:
            sources._new(name)
        if len(names) > 1 and TOGETHER not in names:  # kept by an earlier version
            sources._new(TOGETHER)
        sources._memory = with_sources(sources._memory, others["sums"].shape[0])
        sources.make_room(pages, len(others["changes"]))
        for name, column in regraded(others).items():
            getattr(sources._memory, name)[tuple(map(slice, column.shape))] = column
        return sources


__all__ = ["HEARD", "OLD", "PRECISIONS", "REPEATED", "NamedSources", "SourceQuality"]
