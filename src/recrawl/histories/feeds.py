"""A history from feeds, RSS or Atom, that were fetched again and again: each entry is a page.

1. An entry is known by its id, or by its link where it has none that is the same everywhere.
2. A page is born when it was published, where that lies between the snapshot before and the first that has it;
   otherwise with that snapshot.
3. It changed when its `updated` is later than any before, or its title or text is another than in the snapshot before.
   The change is dated by `updated` where that lies between two snapshots, otherwise by the later one.
4. A feed shows its latest entries only, so one that leaves it is not gone; what happens to it then is not seen.
"""

from dataclasses import dataclass
from hashlib import blake2b
from math import inf

from recrawl.errors import InputError
from recrawl.histories import dates
from recrawl.histories.archive import Archive, Snapshot, undated
from recrawl.histories.making import Made, Maker, Progress, counted
from recrawl.histories.records import Record

_TEXTS = ("title", "description", "summary", "content", "encoded")


def history_of_feeds(folder: str, progress: Progress | None = None) -> Made:
    """What happened to the entries of the dated feeds in a folder."""
    archive = Archive(folder, progress)
    walk = _Walk()
    for snapshot in archive.snapshots:
        for path, _, record in archive.records(snapshot, ("item", "entry")):
            walk.entry(record, undated(path), snapshot)
        walk.end(snapshot)
    if not len(walk.maker):
        raise InputError(f"DIR must have feeds with entries, got none in {folder!r}{archive.told()}", "folder")
    return archive.made(walk.maker, walk.notes())


@dataclass
class _Known:
    """An entry as it was when last seen."""

    page: int
    updated: float
    texts: dict[str, bytes]
    """Digests of what it says, by feed: one may have all of the text, another a summary."""
    changed: float = -inf


class _Walk:
    def __init__(self) -> None:
        self.maker = Maker()
        self._known: dict[str, _Known] = {}
        self._before = -inf
        self._nameless = 0

    def entry(self, record: Record, feed: str, snapshot: Snapshot) -> None:
        """A feed of this snapshot has an entry."""
        now = snapshot.moment
        key = _key(record)
        if key is None:
            self._nameless += 1
            return
        updated, digest = _date(record, "updated", "modified"), _digest(record)
        known = self._known.get(key)
        if known is None:
            published = _date(record, "published", "issued", "pubDate", "date")
            born = self.maker.born(record.get("link", key), self._between(published, now))
            self._known[key] = _Known(born, updated, {feed: digest}, now)  # what else this snapshot says is no change
            return
        later = -inf < known.updated < updated
        other = known.texts.get(feed, digest) != digest
        if (later or other) and known.changed < now:
            self.maker.changed(known.page, self._between(updated, now) if later else now)
            known.changed = now
        known.updated = max(known.updated, updated)
        known.texts[feed] = digest

    def end(self, snapshot: Snapshot) -> None:
        """All feeds of this snapshot are read."""
        self._before = snapshot.moment

    def notes(self) -> list[str]:
        """What should be known about what was read."""
        if not self._nameless:
            return []
        return [f"left out {counted(self._nameless, 'entry')} with neither id nor link"]

    def _between(self, moment: float, now: float) -> float:
        """The moment where it lies after the last snapshot, `now` otherwise; the first snapshot has none before it."""
        return moment if -inf < self._before < moment <= now else now


def _key(record: Record) -> str | None:
    """An id that is the same everywhere is an address of some kind; ``<guid>17</guid>`` may be another's 17, too."""
    name, link = record.get("id") or record.get("guid"), record.get("link")
    return name if name is not None and ":" in name else link or name


def _date(record: Record, *names: str) -> float:
    for name in names:
        moment = dates.moment(record[name]) if name in record else None
        if moment is not None:
            return moment
    return -inf


def _digest(record: Record) -> bytes:
    told = blake2b(digest_size=16)
    for name in _TEXTS:
        told.update(f"{len(record.get(name, ''))} {record.get(name, '')}".encode(errors="surrogatepass"))
    return told.digest()
