"""What is new in a sitemap or a feed, against what it said last time.

1. A lastmod is news where it is later than the one seen last time.  It is not compared with the last fetch: sites write
   dates of all kinds, and only their advance says that something happened.
2. Dates in the future say nothing.
3. The first reading tells what pages there are, and is no news of any of them.
4. Entries that were not there last time are pages that may be new; where they are known already, their date is news.
5. What stands twice in one reading is one entry, with its latest date.  Were its parts compared with last time's one by
   one, a file that never changes would have news at each reading.
6. Pages that were not wanted last time (not of a site, forbidden, too many) are as if they had not been there.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from recrawl.crawler.sources.memory import NEVER, REFUSED, Said, name_of, pack

AHEAD = 3600.0
"""Seconds by which clocks may differ before a date counts as one of the future."""
EVERY = {
    "always": 600.0,
    "hourly": 3600.0,
    "daily": 86_400.0,
    "weekly": 604_800.0,
    "monthly": 2_592_000.0,
    "yearly": 31_536_000.0,
    "never": 315_360_000.0,
}
"""Seconds between changes that a changefreq stands for: a hint for new pages, no more."""
_MOST_DIGEST = (1 << 64) - 1


@dataclass
class News:
    """What a reading brought."""

    pages: list[str] = field(default_factory=list)
    """Entries that were not there last time, or were not wanted."""
    names: list[int] = field(default_factory=list)
    """Under which each of these stands in `said`."""
    dates: list[datetime | date | None] = field(default_factory=list)
    """What each of these says of its last change."""
    every: list[float] = field(default_factory=list)
    """Hints how often each of these changes; NaN for none."""
    changed: list[str] = field(default_factory=list)
    happened: list[datetime | date | None] = field(default_factory=list)
    """Entries with news, and when it happened."""
    sitemaps: list[str] = field(default_factory=list)
    """Sitemaps that an index lists."""
    advanced: list[str] = field(default_factory=list)
    """Of these, the ones that the index says have changed."""
    dated: set[str] = field(default_factory=set)
    """Of these, the ones that the index gives a date for."""
    said: dict[int, Said] = field(default_factory=dict)
    left: int = 0
    """Entries that were there last time and are not any more: a weak hint that they are gone."""
    future: int = 0
    """Dates that lie in the future."""

    def refuse(self, names: Iterable[int]) -> None:
        """Pages of these names are not wanted now."""
        for name in names:
            self.said[name] = self.said[name]._replace(digest=REFUSED)

    @property
    def refused(self) -> bool:
        """Whether some pages were not wanted.  O(entries)."""
        return any(said.digest == REFUSED for said in self.said.values())

    def packed(self) -> bytes:
        """All that was said, as it is kept: the same where nothing is news, however the file is written."""
        return pack(self.said)


def of_sitemap(entries: Iterable[Any], before: dict[int, Said] | None, now: float) -> News:
    """News in the entries of a sitemap or an index; `before` is None at the first reading."""
    news = News()
    latest: dict[str, tuple[Any, int]] = {}
    for entry in entries:
        when, future = _seconds(entry.modified, now)
        news.future += future
        if entry.url not in latest or when > latest[entry.url][1]:
            latest[entry.url] = entry, when
    for entry, when in latest.values():
        name = name_of(entry.url)
        old = None if before is None else before.get(name)
        known = NEVER if old is None else old.date
        news.said[name] = Said(max(when, known))
        advanced = old is not None and NEVER < known < when
        if entry.is_sitemap:
            news.sitemaps.append(entry.url)
            if when > NEVER:
                news.dated.add(entry.url)
            if advanced:
                news.advanced.append(entry.url)
        elif old is None or old.digest == REFUSED:
            news.pages.append(entry.url)
            news.names.append(name)
            news.dates.append(_happened(entry) if when > NEVER else None)
            news.every.append(EVERY.get((entry.changefreq or "").strip().lower(), float("nan")))
        elif advanced:
            news.changed.append(entry.url)
            news.happened.append(_happened(entry))
    news.left = 0 if before is None else len(before.keys() - news.said.keys())
    return news


def of_feed(entries: Iterable[Any], before: dict[int, Said] | None, now: float) -> News:
    """News in the entries of a feed; `before` is None at the first reading."""
    news = News()
    found: dict[tuple[str, str], _Shown] = {}
    for entry in entries:
        if not entry.url:
            continue
        modified = entry.modified or getattr(entry, "published", None)
        when, future = _seconds(modified, now)
        news.future += future
        shown = found.setdefault((entry.id or entry.url, entry.url), _Shown())
        if when > shown.when:
            shown.when, shown.modified = when, modified
        if entry.digest:
            shown.digests.add(int.from_bytes(entry.digest[:8].ljust(8, b"\0"), "little"))
    pages_of = Counter(identity for identity, _ in found)
    for (identity, url), shown in found.items():
        name = name_of(identity if pages_of[identity] == 1 else f"{identity} {url}")  # some give all pages one id
        old = None if before is None else before.get(name)
        digest = sum(shown.digests) & _MOST_DIGEST
        news.said[name] = Said(max(shown.when, NEVER if old is None else old.date), digest)
        if old is None or old.digest == REFUSED:
            news.pages.append(url)
            news.names.append(name)
            news.dates.append(shown.modified)
            news.every.append(float("nan"))
        elif shown.when > old.date > NEVER or digest != old.digest:
            news.changed.append(url)
            news.happened.append(shown.modified if shown.when > old.date else None)
    return news


@dataclass(slots=True)
class _Shown:
    """What a feed shows of an entry, in one item or several."""

    when: int = NEVER
    modified: datetime | None = None
    digests: set[int] = field(default_factory=set)


def _seconds(modified: datetime | None, now: float) -> tuple[int, int]:
    """A date in whole seconds, NEVER where there is none or it lies in the future; and whether it does."""
    if modified is None:
        return NEVER, 0
    when = modified.timestamp()
    return (NEVER, 1) if when > now + AHEAD else (int(when), 0)


def _happened(entry: Any) -> datetime | date | None:
    modified: datetime | None = entry.modified
    return modified.date() if modified is not None and not entry.dated else modified
