"""Hands results over: WARC record, shelf, feed of changes, and last of all the frontier.

1. One thread does all of this, a group of results at a time: each step is one write for all of them.
2. The frontier is answered last.  A crash before that has the pages fetched again; a crash after it needs nothing.
3. What sources said goes to the frontier before the sources are answered for (sources.py).
4. A change is told once: what was told is on the shelf (told.py).
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from recrawl.crawler import robots_cache
from recrawl.crawler.counts import Counts
from recrawl.crawler.kept import Kept
from recrawl.crawler.once import Once
from recrawl.crawler.results import GONE, Answer, Result, answer, columns
from recrawl.crawler.scope import Scope
from recrawl.crawler.settings import Settings
from recrawl.crawler.sources.registry import Source
from recrawl.crawler.sources.sources import Sources
from recrawl.crawler.told import Told
from recrawl.fetch.fetched import Fetched
from recrawl.store.shelf_protocol import Item
from recrawl.urls import host_of

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
        self._told = Told(kept.shelf)
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

    def recover(self) -> None:
        """Write to the feed what a run before was about to."""

    def deliver(self, group: "Sequence[Result | RobotsFound]") -> None:
        """Hand over what came of some pages."""
        items: list[Item] = []
        rows: list[Answer] = []
        polled: list[Source] = []
        for item in group:
            if isinstance(item, RobotsFound):
                items.append(self._robots(item))
                continue
            source = self.sources.registry.get(item.url)
            rows.append(self._page(item) if source is None else self._source(source, item))
            if source is not None:
                polled.append(source)
        items += self._told.items() + self.sources.changes()
        if items:
            self._kept.shelf.put(items)
        self._told.changes.clear()
        if rows:
            done = self._kept.frontier.complete([row.token for row in rows], **columns(rows))
            for name in ("changed", "unchanged", "unknown", "failed", "gone", "moved"):
                self.counts.add("outcomes", "first copies" if name == "unknown" else name, getattr(done, name))
        if self.once is not None:
            self.once.fetched(item.url for item in group if isinstance(item, Result))
            return
        for source in polled:
            self.sources.set_interval(source)

    # -- one of each kind ----------------------------------------------------------------------------------------------

    def _robots(self, found: RobotsFound) -> Item:
        self.counts.add("requests", "robots.txt", 1 + len(found.fetched.hops))
        if found.fetched.error:
            self.counts.add("faults", found.fetched.error)
        if found.known.reachable:
            self.sources.robots_said(found.origin, found.known.robots)
            self._kept.frontier.set_host(host_of(f"{found.origin}/"), gap=found.gap)
        return robots_cache.put(found.origin, found.known)

    def _page(self, result: Result) -> Answer:
        row = answer(result)
        self._count(result, "pages")
        change = {"url": result.url, "time": result.at, "status": result.status}
        fetched = result.fetched
        if fetched is not None and result.is_copy:
            row.digest = self._digest(fetched)
            self._told.version(result.url, row.digest, change)
        elif row.status in (404, 410):
            self._told.gone(result.url, change)
        elif fetched is not None and fetched.moved_to is not None and not result.fault:
            self._moved(result.url, fetched.moved_to, row, change)
        return row

    def _source(self, source: Source, result: Result) -> Answer:
        row = answer(result)
        self._count(result, "sitemaps and feeds")
        fetched = result.fetched
        if fetched is not None and (result.is_copy or (fetched.error in PARTIAL and fetched.body)):
            digest = self.sources.came(source, fetched, whole=result.is_copy)
            if digest is not None and result.is_copy:
                row.digest = digest
            elif result.is_copy:
                row.status = GONE
        elif row.status == 304:
            self.sources.unchanged(source)
        elif fetched is not None and fetched.moved_to is not None and not result.fault:
            self.sources.registry.moved(source.url, fetched.moved_to)
            row.moved_to = fetched.moved_to
        else:
            self.sources.failed(source, gone=row.status in (404, 410))
        return row

    def _moved(self, url: str, to: str, row: Answer, change: dict[str, Any]) -> None:
        """A page moves along where it stays on its site, or never was of one; so does a site that moved as a whole."""
        if url in self._settings.sites and not self._scope.covers(to):
            self._scope.widen(to)
        if self._scope.covers(to) or not self._scope.covers(url):
            row.moved_to = to
            self._told.moved(url, to, change)
        else:
            row.status = GONE
            self._told.gone(url, change)

    def _digest(self, fetched: Fetched) -> str:
        return hashlib.blake2b(fetched.body, digest_size=16).hexdigest()

    def _count(self, result: Result, what: str) -> None:
        fetched = result.fetched
        if result.fault:
            self.counts.add("faults", result.fault)
        elif result.status is not None and result.status >= 400:
            self.counts.add("faults", f"status {result.status}")
        if fetched is None:
            return
        self.counts.add("requests", what, 1 + len(fetched.hops))
        self.counts.add("bytes", what, fetched.on_wire)
        if result.status is not None:
            self.counts.add("statuses", str(result.status))
