"""RSS and Atom feeds of a host: its latest changes, at most a window of them."""

from bisect import bisect_right
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from recrawl.livingweb.bodies import first_words
from recrawl.livingweb.dates import http_date, w3c
from recrawl.livingweb.world import Host, World

PATHS = {"/feed.atom": "application/atom+xml", "/feed.rss": "application/rss+xml"}


@dataclass(frozen=True)
class Entry:
    """A page that came or changed, and when."""

    page: int
    version: int
    time: float


class Feeds:
    """All feeds of a world; `start` is when it began, in seconds since 1970."""

    def __init__(self, world: World, start: float) -> None:
        self._world, self._start = world, start
        self._news: dict[int, tuple[NDArray[np.float64], NDArray[np.int64]]] = {}

    def news(self, host: Host) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Everything that a feed of the host ever tells: times in order, and pages."""
        if host.index not in self._news:
            world, pages = self._world, np.arange(host.first, host.first + host.count)
            starts = np.frombuffer(world.first_change, dtype=np.int64)[host.first : host.first + host.count + 1]
            changes = np.frombuffer(world.changes)[starts[0] : starts[-1]]
            created = np.frombuffer(world.created)[host.first : host.first + host.count]
            times = np.concatenate((changes, created[created > 0.0]))
            of = np.concatenate((np.repeat(pages, starts[1:] - starts[:-1]), pages[created > 0.0]))
            order = np.lexsort((of, times))
            self._news[host.index] = times[order], of[order]
        return self._news[host.index]

    def latest(self, host: Host, now: float, most: int, after: float = -1.0) -> list[Entry]:
        """The latest changes, newest first, each page once; only those after a moment."""
        times, pages = self.news(host)
        at, found = int(np.searchsorted(times, now, side="right")), dict[int, Entry]()
        while at > 0 and len(found) < most and times[at - 1] > after:
            at -= 1
            page, time = int(pages[at]), float(times[at])
            if page not in found and self._world.version(page, now) >= 0 and not host.forbids(host.path(page)):
                found[page] = Entry(page, self._version(page, time), time)
        return list(found.values())

    def _version(self, page: int, time: float) -> int:
        world, first = self._world, self._world.first_change[page]
        return bisect_right(world.changes, time, first, world.first_change[page + 1]) - first

    def written(self, host: Host, path: str, base: str, entries: list[Entry]) -> bytes:
        """The feed at a path with these entries."""
        hub = f"{base}/hub" if host.plan.feed is not None and host.plan.feed.hub else ""
        write = self._atom if path == "/feed.atom" else self._rss
        return write(host, base, hub, entries).encode()

    def _atom(self, host: Host, base: str, hub: str, entries: list[Entry]) -> str:
        name = host.plan.name
        updated = w3c(self._start + (entries[0].time if entries else 0.0))
        links = f'<link rel="self" href="{base}/feed.atom"/>' + (f'<link rel="hub" href="{hub}"/>' if hub else "")
        parts = [
            f"<entry><id>{base}{path}</id><title>{path}</title>"
            f'<link href="{base}{path}"/><updated>{w3c(self._start + entry.time)}</updated>'
            f"<summary>{first_words(name, host.path(entry.page), entry.version)}</summary></entry>\n"
            for entry in entries
            for path in [escape(host.path(entry.page))]
        ]
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
            f"<id>{base}/feed.atom</id><title>Changes of {name}</title><updated>{updated}</updated>"
            f'<link href="{base}/"/>{links}\n{"".join(parts)}</feed>\n'
        )

    def _rss(self, host: Host, base: str, hub: str, entries: list[Entry]) -> str:
        name = host.plan.name
        links = f'<atom:link rel="self" href="{base}/feed.rss"/>' + (
            f'<atom:link rel="hub" href="{hub}"/>' if hub else ""
        )
        parts = [
            f"<item><guid>{base}{path}</guid><title>{path}</title>"
            f"<link>{base}{path}</link><pubDate>{http_date(self._start + entry.time)}</pubDate>"
            f"<description>{first_words(name, host.path(entry.page), entry.version)}</description></item>\n"
            for entry in entries
            for path in [escape(host.path(entry.page))]
        ]
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">'
            f"<channel><title>Changes of {name}</title><link>{base}/</link><description>What changed</description>"
            f"{links}\n{''.join(parts)}</channel></rss>\n"
        )
