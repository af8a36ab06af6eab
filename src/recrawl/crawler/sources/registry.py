"""The sources there are: who told of them, how they did, and when they are given up.

1. A source is told of by somebody: the settings, a robots.txt, a sitemap index, a page, or a guess (/sitemap.xml).
2. When the one who told of it is read again and does not any more, the source is dropped: sitemaps rotate.  One reading
   is not believed, since an index may be empty by mistake and a robots.txt missing for an hour: it must be so for
   UNLISTED seconds.  What is listed again is asked for at once.
3. A source that is gone, or is something else, is dropped after a few attempts; one that fails, after more, and not
   before a week.  It stays known as dead for a week, and for longer each time, so that who still tells of it does not
   bring it back at once.
4. Each is one small record on the shelf; all are held in memory.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace

from recrawl.crawler.sources import polling
from recrawl.crawler.sources.pace import Pace, usual
from recrawl.store.shelf_protocol import AnyShelf, Item

KIND = "source"
SEEN = "seen"
"""Kind of the facts on the shelf that say what a source said last."""
MOST_SOURCES = 50_000
FEW = 5
"""Failures in a row after which a source is still asked for as soon as the frontier has a page that failed."""
WEEK = 604_800.0
UNLISTED = 3 * 86_400.0
"""Seconds after which a source is dropped that nobody tells of any more."""
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
    failing: float = 0.0
    """When these began; 0 where there are none."""
    unlisted: float = 0.0
    """Since when the one who told of it does not any more; 0 where it does."""
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
    changes: float = 0.0
    """How often it has news is believed to be `changes` in `during` seconds (pace.py); 0 before it was read."""
    during: float = 0.0
    cost: float = 1.0
    """Requests that reading it leads to, of late: itself, and the sitemaps that it is news of."""

    refused: bool = False
    """Whether it listed pages that were not wanted."""
    anew: bool = False
    """Whether it is to be read again, since more pages are wanted by now."""

    @property
    def pace(self) -> Pace:
        """How often it has news, as far as is known."""
        return Pace(self.changes, self.during) if self.during else usual(self.kind)

    @property
    def wanted(self) -> float:
        """Requests a second that it is worth."""
        return polling.wanted(self.pace.rate, self.ttl, self.dated)

    def looked(self, now: float, news: bool) -> Pace:
        """How often it has news, after one more reading that could be compared with the one before."""
        return self.pace if self.read is None else self.pace.heard(max(now - self.read, 0.0), news)

    @property
    def costly(self) -> bool:
        """Whether it is an index that has other sitemaps read."""
        return self.cost >= polling.COSTLY

    @property
    def stumbles(self) -> bool:
        """Whether it failed a few times, and may be back soon."""
        return 0 < self.failures < FEW

    @property
    def alive(self) -> bool:
        """Whether it is asked for."""
        return not self.dead_until

    def early(self, now: float) -> float:
        """Seconds for which it need not be asked for again; 0 where it may be."""
        if self.read is None or self.stumbles or self.anew:
            return 0.0
        waited = max(now - self.read, 0.0)
        interval = max(self.interval, polling.MOST_OFTEN)  # that of a source that was read just now is found out later
        return interval - waited if waited < polling.EARLY * interval else 0.0

    def given_up(self, now: float) -> bool:
        """Whether it failed too often."""
        if self.told_by == GIVEN:  # somebody wants it; failures are seen in the status
            return False
        most = 1 if self.read is None and self.told_by.startswith("guess ") else 3
        return self.gone >= most or (self.failures >= 10 and now - self.failing >= WEEK)


_FIELDS = [field.name for field in fields(Source) if field.name != "url"]


class Registry:
    """All sources, by URL; `changes` collects what is to be kept on the shelf."""

    def __init__(self, shelf: AnyShelf) -> None:
        self._shelf = shelf
        self._sources: dict[str, Source] = {url: _source(url, data) for url, data in shelf.items(KIND)}
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
            if known.unlisted or by == GIVEN != known.told_by:
                self.update(url, told_by=by, unlisted=0.0)
            return False
        if known is None and len(self._sources) >= MOST_SOURCES:
            return False
        self._keep(Source(url, by, kind, deaths=0 if known is None else known.deaths))
        return True

    def update(self, url: str, **known: object) -> Source | None:
        """Something is known of a source."""
        source = self.get(url)
        if source is not None:
            source = replace(source, **known)  # type: ignore[arg-type]
            self._keep(source)
        return source

    def drop(self, url: str, now: float) -> None:
        """A source is not asked for any more."""
        source = self.get(url)
        if source is not None:
            wait = WEEK * 2.0 ** min(source.deaths, 4)
            self._keep(replace(source, deaths=source.deaths + 1, dead_until=now + wait))
            self._changed[SEEN, url] = None

    def forget(self, url: str) -> Source | None:
        """As if nobody had ever told of a source; what was known of it."""
        source = self._sources.pop(url, None)
        if source is not None:
            self._changed[KIND, url] = self._changed[SEEN, url] = None
        return source

    def moved(self, url: str, to: str) -> None:
        """A source lives somewhere else."""
        source = self.forget(url)
        if source is not None and to not in self._sources:
            self._keep(replace(source, url=to))

    def told_only(self, by: str, urls: Iterable[str], now: float) -> None:
        """`by` tells of these sources, and of no others any more."""
        still = set(urls)
        for source in self:
            if source.told_by == by and not source.unlisted and source.url not in still:
                self.update(source.url, unlisted=now)

    def rotated(self, by: str, now: float) -> list[str]:
        """Sources that `by` told of, and has not for so long that they are to be forgotten."""
        return [source.url for source in self if source.told_by == by and 0.0 < source.unlisted <= now - UNLISTED]

    def changes(self) -> list[Item]:
        """What is to be kept on the shelf since the last call."""
        items: list[Item] = [(kind, key, data) for (kind, key), data in self._changed.items()]
        self._changed.clear()
        return items

    def _keep(self, source: Source) -> None:
        self._sources[source.url] = source
        kept = asdict(source)
        del kept["url"]
        self._changed[KIND, source.url] = json.dumps(kept).encode()


def _source(url: str, data: bytes) -> Source:
    """A source as it was kept; what older versions knew besides is passed over."""
    kept = json.loads(data)
    return Source(url=url, **{name: kept[name] for name in _FIELDS if name in kept})
