"""Hands results over: WARC record, shelf, feed of changes, and last of all the frontier.

1. One thread does all of this, a group of results at a time: each step is one write for all of them.
2. The frontier is answered last.  A crash before that has the pages fetched again; a crash after it needs nothing.
3. What sources said goes to the frontier before the sources are answered for (sources.py).
4. A change is told once: what was told is on the shelf (told.py).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recrawl.compare import kept_rules
from recrawl.crawler import robots_cache
from recrawl.crawler.archive import Archive
from recrawl.crawler.comparing import Comparing, tables
from recrawl.crawler.counts import Counts
from recrawl.crawler.following import Following
from recrawl.crawler.kept import Kept
from recrawl.crawler.listening.heard import Pinged, Pushed
from recrawl.crawler.reach import Reach
from recrawl.crawler.results import GONE, Answer, Result, answer, columns
from recrawl.crawler.scope import Scope
from recrawl.crawler.settings import Settings
from recrawl.crawler.sources.registry import Source
from recrawl.crawler.sources.sources import Sources
from recrawl.crawler.told import Told
from recrawl.fetch.fetched import Fetched
from recrawl.outputs.changes import Change
from recrawl.store.shelf_protocol import Item as Fact
from recrawl.urls import host_of

if TYPE_CHECKING:
    from recrawl.crawler.once import Once

PARTIAL = frozenset({"truncated", "reset", "idle", "timeout", "too-large"})
"""Faults after which what came before counts, for sitemaps and feeds."""


@dataclass(frozen=True, slots=True)
class RobotsFound:
    """A robots.txt that was fetched."""

    origin: str
    known: robots_cache.Known
    fetched: Fetched
    gap: float | None

    @property
    def size(self) -> int:
        """Bytes that it holds in memory."""
        return len(self.fetched.body) + len(self.fetched.raw)


Item = Result | RobotsFound | Pinged | Pushed


class HandOver:
    """Where results go."""

    def __init__(
        self,
        settings: Settings,
        kept: Kept,
        scope: Scope,
        counts: Counts,
        now: Callable[[], float],
        allowed: Callable[[str], bool],
    ) -> None:
        self._settings, self._kept, self._scope, self.counts, self._now = settings, kept, scope, counts, now
        self.once: Once | None = None
        self.reach = Reach(settings, scope, kept.shelf)
        self._told = Told(kept.shelf, kept.feed)
        self._comparing = Comparing(kept_rules.keep(kept.shelf, tables(settings)), kept.shelf, self._told)
        self._archive = None if kept.warc is None else Archive(kept.warc, kept.shelf)
        self.sources = Sources(
            kept.frontier,
            kept.shelf,
            scope,
            counts,
            now,
            allowed=allowed,
            share=settings.source_share,
            most_pages=settings.most_pages,
        )
        self._following = Following(settings, kept.shelf, self.sources)

    def recover(self) -> None:
        """Write to the feed what a run before was about to write when it was killed."""
        self.counts.add("told", "left by the run before", self._told.recover())

    def deliver(self, group: Sequence[Item]) -> None:
        """Hand over what came of some pages."""
        items: list[Fact] = []
        rows: list[Answer] = []
        polled: list[Source | None] = []
        pages: list[Result] = []
        others: list[Result] = []
        self._told.recall([item.url for item in group if isinstance(item, Result) and item.is_copy])
        for item in group:
            if isinstance(item, RobotsFound):
                self._robots(item, items)
                continue
            if isinstance(item, Pinged):
                self.sources.pinged(item.urls, item.source)
                continue
            if isinstance(item, Pushed):
                self.sources.delivered(item.topic, item.body)
                continue
            source = self.sources.registry.get(item.url)
            rows.append(self._page(item) if source is None else self._source(source, item))
            polled.append(source)
            (pages if source is None else others).append(item)
            if source is None and self.once is not None:
                self.once.count(item, rows[-1])
        self._count(pages, "pages")
        self._count(others, "sitemaps and feeds")
        if self._archive is not None:
            items += self._archive.changes()
        items += self._comparing.kept()
        items += self._told.items() + self._following.changes() + self.sources.changes()
        if items:
            self._kept.shelf.put(items)
        for kind, number in self._told.tell().items():
            self.counts.add("told", kind, number)
        if rows:
            done = self._kept.frontier.complete([row.token for row in rows], **columns(rows))
            outcomes = Counter(zip([source is None for source in polled], done.each, strict=True))
            for (is_page, word), number in outcomes.items():
                word = "first copies" if word == "unknown" else word
                self.counts.add("outcomes" if is_page else "outcomes of sources", word, number)
        if self.once is not None:
            self.once.fetched(item.url for item in group if isinstance(item, Result))
            return
        for source in polled:
            if source is not None:
                self.sources.set_interval(source)

    # -- one of each kind ----------------------------------------------------------------------------------------------

    def _robots(self, found: RobotsFound, items: list[Fact]) -> None:
        self.counts.add("requests", "robots.txt", 1 + len(found.fetched.hops))
        self.counts.add("bytes", "robots.txt", found.fetched.on_wire)
        if found.fetched.error:
            self.counts.add("faults", found.fetched.error)
        if found.known.reachable:
            self.sources.robots_said(found.origin, found.known.robots)
            self._kept.frontier.set_host(host_of(f"{found.origin}/"), gap=found.gap)
        self._record(found.fetched, found.known.asked)
        items.append(robots_cache.put(found.origin, found.known))

    def _page(self, result: Result) -> Answer:
        row = answer(result)
        fetched = result.fetched
        if fetched is None:
            return row
        warc = self._record(fetched, result.at)
        if row.status == 304:
            return row
        url, at, status = result.url, result.at, result.status
        if result.is_copy:
            told, differs = self._comparing.judged(result)
            row.digest = told.digest
            if differs:
                self._told.version(Change(url, at, "new", told.digest, status=status, warc=warc), told.compared)
                self._comparing.keep(result)
                self._following.page(url, fetched)
            elif fetched.etag and not result.first:
                self.counts.add("validators", "200 although nothing changed")
        elif row.status in (404, 410):
            self._told.gone(Change(url, at, "gone", status=status, warc=warc))
        elif fetched.moved_to is not None and not result.fault:
            self._moved(Change(url, at, "moved", status=status, warc=warc, moved_to=fetched.moved_to), row)
        return row

    def _record(self, fetched: Fetched, at: float) -> tuple[str, int] | None:
        """The WARC record of an exchange that was answered in full; None where none is written."""
        if self._archive is None or fetched.status is None or fetched.error:
            return None
        return self._archive.add(fetched, at)

    def _source(self, source: Source, result: Result) -> Answer:
        row = answer(result)
        fetched = result.fetched
        if fetched is not None:
            self._record(fetched, result.at)
        if fetched is not None and (result.is_copy or (fetched.error in PARTIAL and fetched.body)):
            if not self.sources.came(source, fetched, whole=result.is_copy) and result.is_copy:
                row.status = GONE
        elif row.status == 304:
            self.sources.unchanged(source)
            row.status = 200  # with no digest: what the frontier knows of pages is not to be learned from this
        elif fetched is not None and fetched.moved_to is not None and not result.fault:
            self.sources.moved(source.url, fetched.moved_to)
            row.moved_to = fetched.moved_to
        else:
            self.sources.failed(source, gone=row.status in (404, 410))
        return row

    def _moved(self, change: Change, row: Answer) -> None:
        """A page moves along where it stays on its site, or never was of one; so does a site that moved as a whole."""
        url, to = change.url, change.moved_to
        if url in self._settings.sites and not self._scope.covers(to):
            self._scope.widen(to)
            self.reach.moved(url, to)
            self._kept.shelf.put([self.reach.item()])
            self.sources.widened()
        if self._scope.covers(to) or not self._scope.covers(url):
            row.moved_to = to
            self.sources.page_moved(url, to)
            self._comparing.moves(url)
            self._told.moved(change)
        else:
            row.status = GONE
            self._told.gone(change)

    def _count(self, results: list[Result], what: str) -> None:
        """Count requests, bytes, statuses and faults; once for all, since each count takes its time."""
        if not results:
            return
        statuses = Counter([result.status for result in results])
        answered = [result.fetched for result in results if result.fetched is not None]
        self.counts.add("requests", what, len(answered) + sum([len(fetched.hops) for fetched in answered]))
        self.counts.add("bytes", what, sum([fetched.on_wire for fetched in answered]))
        for fault, number in Counter([_named_fault(result) for result in results]).items():
            if fault:
                self.counts.add("faults", fault, number)
        for status, number in statuses.items():
            if status is not None:
                self.counts.add("statuses", str(status), number)


def _named_fault(result: Result) -> str:
    """What went wrong: a fault, or a status that is an error."""
    status = result.status
    return result.fault or (f"status {status}" if status is not None and status >= 400 else "")
