"""A history from sitemaps that were fetched again and again: each address they list is a page.

1. A page is born when it is first listed, and gone when a snapshot no longer lists it.
2. It changed when its lastmod is later than any before.  The change is dated by lastmod where that lies between the
   snapshot before and this one, otherwise by this one.  Two changes between two snapshots are seen as one.
3. A page listed again after it was gone is a new page, called URL#2.
4. Of a file that is broken, what comes before the break counts.  No page is gone by a snapshot with such a file, nor by
   one that lists nothing.
"""

from math import inf

from recrawl.errors import InputError
from recrawl.histories import dates
from recrawl.histories.archive import Archive, Snapshot
from recrawl.histories.making import Made, Maker, Progress, counted
from recrawl.histories.records import Record


def history_of_sitemaps(folder: str, progress: Progress | None = None) -> Made:
    """What happened to the pages that the dated sitemaps in a folder list."""
    archive = Archive(folder, progress)
    walk = _Walk()
    for snapshot in archive.snapshots:
        for _, name, record in archive.records(snapshot, ("url", "sitemap")):
            walk.listed(name, record)
        walk.end(snapshot)
    if not len(walk.maker):
        raise InputError(f"DIR must have sitemaps that list pages, got none in {folder!r}{archive.told()}", "folder")
    return archive.made(walk.maker, walk.notes())


class _Walk:
    """Goes through the snapshots and knows which pages are listed, and the newest lastmod of each."""

    def __init__(self) -> None:
        self.maker = Maker()
        self._at: dict[str, int] = {}
        self._newest: list[float] = []
        self._listed: dict[str, float] = {}
        self._before = -inf
        self._undated = 0
        self._example = ""
        self._indexes = 0
        self._empty = 0

    def listed(self, name: str, record: Record) -> None:
        """A file of this snapshot lists a page."""
        url = record.get("loc")
        if name == "sitemap":
            self._indexes += 1
        elif url is not None:
            self._listed[url] = max(self._listed.get(url, -inf), self._lastmod(record.get("lastmod")))

    def end(self, snapshot: Snapshot) -> None:
        """All files of this snapshot are read."""
        now = snapshot.moment
        for url, newest in self._listed.items():
            page = self._at.get(url)
            if page is None:
                self._at[url] = self.maker.born(url, now)
                self._newest.append(newest)
            elif newest > self._newest[page]:
                if self._newest[page] != -inf:  # a first lastmod says nothing of a change
                    self.maker.changed(page, newest if self._before < newest <= now else now)
                self._newest[page] = newest
        self._empty += not self._listed
        if snapshot.whole and self._listed:
            for url in self._at.keys() - self._listed.keys():
                self.maker.gone(self._at.pop(url), now)
        self._listed.clear()
        self._before = now

    def notes(self) -> list[str]:
        """What should be known about what was read."""
        notes = []
        if self._indexes:
            notes.append("indexes of sitemaps were left out; the sitemaps they name must be in the folder themselves")
        if self._empty:
            notes.append(
                f"passed over {counted(self._empty, 'snapshot')} without any page; none counts as gone by that"
            )
        if self._undated:
            undated = counted(self._undated, "lastmod")
            notes.append(f"left out {undated} that could not be read as a date, such as {self._example!r}")
        without = self._newest.count(-inf)
        if without:
            notes.append(f"no change can be seen of {counted(without, 'page')} without a lastmod")
        return notes

    def _lastmod(self, text: str | None) -> float:
        moment = None if text is None else dates.moment(text)
        if text is not None and moment is None:
            self._undated += 1
            self._example = self._example or text[:60]
        return -inf if moment is None else moment
