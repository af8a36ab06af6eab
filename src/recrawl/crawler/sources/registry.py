"""The sources there are: who told of them, how they did, and when they are given up.

1. A source is told of by somebody: the settings, a robots.txt, a sitemap index, a page, or a guess (/sitemap.xml).
2. When the one who told of it is read again and does not any more, the source is dropped: sitemaps rotate.
3. A source that is gone, or is something else, is dropped after a few attempts; one that fails, after more.  It stays
   known as dead for a week, and for longer each time, so that who still tells of it does not bring it back at once.
4. Each is one small record on the shelf; all are held in memory.
"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace

from recrawl.store.shelf_protocol import AnyShelf, Item

KIND = "source"
SEEN = "seen"
"""Kind of the facts on the shelf that say what a source said last."""
MOST_SOURCES = 50_000
WEEK = 604_800.0
GIVEN = "settings"


@dataclass(frozen=True)
class Source:
    """A sitemap or a feed."""

    url: str
    told_by: str
    """Who told of it: "settings", "robots ORIGIN", "guess ORIGIN", "index URL" or "page URL"."""
    kind: str = ""
    """sitemap or feed; nothing until it was read."""
    read: float | None = None
    """When it was last read with success."""
    entries: int = 0
    gone: int = 0
    """Attempts in a row at which it was not there, or something else was."""
    failures: int = 0
    """Attempts in a row that failed otherwise."""
    interval: float = 0.0
    """Seconds between two requests for it, as the frontier was told."""
    ttl: float = 0.0
    """Seconds for which it asks to be left alone."""
    dated: bool = False
    """Whether an index tells when it changes."""
    hub: str = ""
    topic: str = ""
    """For WebSub: who delivers, and under what name."""
    deaths: int = 0
    dead_until: float = 0.0
    looks: int = 0
    """Times that it was read and could be compared with the reading before; `news`: those at which it was another."""
    news: int = 0
    watched: float = 0.0
    """Seconds between these readings, all told."""

    @property
    def change_rate(self) -> float:
        """Changes a second, as far as its readings tell; 0 before there are two."""
        if not self.looks or not self.watched:
            return 0.0
        return -math.log1p(-(self.news + 0.5) / (self.looks + 1.0)) * self.looks / self.watched

    def looked(self, now: float, news: bool) -> dict[str, float]:
        """The fields after one more reading."""
        if self.read is None:
            return {"read": now}
        return {
            "read": now,
            "looks": self.looks + 1,
            "news": self.news + news,
            "watched": self.watched + max(now - self.read, 0.0),
        }

    @property
    def alive(self) -> bool:
        """Whether it is asked for."""
        return not self.dead_until

    @property
    def given_up(self) -> bool:
        """Whether it failed too often."""
        if self.told_by == GIVEN:  # somebody wants it; failures are seen in the status
            return False
        most = 1 if self.told_by.startswith("guess ") else 3
        return self.gone >= most or self.failures >= 10


class Registry:
    """All sources, by URL; `changes` collects what is to be kept on the shelf."""

    def __init__(self, shelf: AnyShelf) -> None:
        self._shelf = shelf
        self._sources: dict[str, Source] = {url: Source(url=url, **json.loads(data)) for url, data in shelf.items(KIND)}
        self._changed: dict[tuple[str, str], bytes | None] = {}

    def __len__(self) -> int:
        return sum(source.alive for source in self._sources.values())

    def __iter__(self) -> Iterator[Source]:
        return iter([source for source in list(self._sources.values()) if source.alive])

    def get(self, url: str) -> Source | None:
        """The source at a URL, where one is asked for."""
        source = self._sources.get(url)
        return source if source is not None and source.alive else None

    def told(self, url: str, by: str, now: float, kind: str = "") -> bool:
        """Somebody tells of a source; whether it is to be asked for and was not before."""
        known = self._sources.get(url)
        if known is not None and (known.alive or (known.dead_until > now and by != GIVEN)):
            if known.alive and by == GIVEN != known.told_by:
                self.update(url, told_by=by)
            return False
        if known is None and len(self._sources) >= MOST_SOURCES:
            return False
        self._keep(Source(url, by, kind, deaths=0 if known is None else known.deaths))
        return True

    def update(self, url: str, **fields: object) -> Source | None:
        """Something is known of a source."""
        source = self.get(url)
        if source is not None:
            source = replace(source, **fields)  # type: ignore[arg-type]
            self._keep(source)
        return source

    def drop(self, url: str, now: float) -> None:
        """A source is not asked for any more."""
        source = self.get(url)
        if source is not None:
            wait = WEEK * 2.0 ** min(source.deaths, 4)
            self._keep(replace(source, deaths=source.deaths + 1, dead_until=now + wait))
            self._changed[SEEN, url] = None

    def moved(self, url: str, to: str) -> None:
        """A source lives somewhere else."""
        source = self._sources.pop(url, None)
        if source is not None:
            self._changed[KIND, url] = self._changed[SEEN, url] = None
            if to not in self._sources:
                self._keep(replace(source, url=to))

    def told_only(self, by: str, urls: Iterable[str]) -> list[str]:
        """Sources that `by` told of, and tells of no more."""
        still = set(urls)
        return [source.url for source in self if source.told_by == by and source.url not in still]

    def changes(self) -> list[Item]:
        """What is to be kept on the shelf since the last call."""
        items: list[Item] = [(kind, key, data) for (kind, key), data in self._changed.items()]
        self._changed.clear()
        return items

    def _keep(self, source: Source) -> None:
        self._sources[source.url] = source
        fields = asdict(source)
        del fields["url"]
        self._changed[KIND, source.url] = json.dumps(fields).encode()
