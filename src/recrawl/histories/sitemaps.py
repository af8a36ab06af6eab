"""A history from sitemaps that were fetched again and again: each address they list is a page.

1. A sitemap is known by its path without the date.  All may be fetched at once, or each at a time of its own.
2. A page is born when it is first listed; what is listed on the first day, before a sitemap is read again, was there at
   the beginning.  A page is gone when its sitemap no longer lists it, unless another does by the time that sitemap is
   read again.
3. It changed when its lastmod is later than any before.  The change is dated by lastmod where that lies between the
   snapshot that had it last and this one, otherwise by this one.  Two changes between two snapshots are seen as one.
4. A lastmod after its snapshot counts as of the snapshot, and once.
5. A page listed again after it was gone is a new page, called URL#2.
6. Of a file that is broken, what comes before the break counts.  No page is gone by a snapshot with such a file, nor by
   a file that lists nothing.
"""

from collections.abc import Iterable
from math import inf

from recrawl.errors import InputError
from recrawl.histories.archive import Archive, Snapshot, undated
from recrawl.histories.lastmods import Lastmods
from recrawl.histories.listings import Listings
from recrawl.histories.making import DAY_S, Made, Maker, Progress, counted
from recrawl.histories.records import Record


def history_of_sitemaps(folder: str, progress: Progress | None = None) -> Made:
    """What happened to the pages that the dated sitemaps in a folder list."""
    archive = Archive(folder, progress)
    walk = _Walk(archive.snapshots[0].moment)
    for snapshot in archive.snapshots:
        for path, name, record in archive.records(snapshot, ("url", "sitemap")):
            walk.listed(path, name, record)
        walk.end(snapshot)
    walk.end_all()
    if not len(walk.maker):
        raise InputError(f"DIR must have sitemaps that list pages, got none in {folder!r}{archive.told()}", "folder")
    return archive.made(walk.maker, walk.notes(archive.snapshots[-1].moment))


class _Walk:
    """Goes through the snapshots and knows which pages are listed."""

    def __init__(self, began: float) -> None:
        self.maker = Maker()
        self._began = began
        self._first_round = True
        self._lastmods = Lastmods()
        self._listings = Listings()
        self._at: dict[str, int] = {}
        self._listed: dict[str, float] = {}
        self._files: dict[str, set[str]] = {}
        self._paths: dict[str, str] = {}
        self._indexes: set[str] = set()
        self._empty = 0
        self._went: set[str] = set()
        self._came_again: set[str] = set()
        self._new = 0

    def listed(self, path: str, name: str, record: Record) -> None:
        """A file of this snapshot lists a page."""
        url = record.get("loc")
        if name == "sitemap":
            self._indexes.add(path)
        elif url is not None:
            self._files.setdefault(path, set()).add(url)
            self._listed[url] = max(self._listed.get(url, -inf), self._lastmods.read(record.get("lastmod")))

    def end(self, snapshot: Snapshot) -> None:
        """All files of this snapshot are read."""
        now, sitemaps = snapshot.moment, self._sitemaps()
        self._first_round &= now < self._began + DAY_S and not self._listings.has(sitemaps)
        self._remove(self._listings.settled(sitemaps))
        for url, lastmod in self._listed.items():
            page = self._at[url] if url in self._at else self._born(url, now)
            changed = self._lastmods.changed(page, lastmod, now)
            if changed is not None:
                self.maker.changed(page, changed)
        for sitemap, urls in sitemaps.items():
            self._listings.read(sitemap, urls, now, snapshot.whole)
        self._empty += sum(path not in self._files and path not in self._indexes for path in snapshot.files)
        self._listed.clear()
        self._files.clear()

    def end_all(self) -> None:
        """All snapshots are read."""
        self._remove(self._listings.settled_at_last())

    def notes(self, end: float) -> list[str]:
        """What should be known about what was read."""
        notes = []
        if self._indexes:
            notes.append("indexes of sitemaps were left out; the sitemaps they name must be in the folder themselves")
        if self._empty:
            notes.append(f"passed over {counted(self._empty, 'file')} without any page; none counts as gone by that")
        if left := self._listings.given_up(end):
            notes.append(
                f"{counted(len(left), 'sitemap')} had no more snapshots with pages towards the end, the last being "
                f"{self._paths[left[0]]}: pages listed there count as still there"
            )
        if 2 * len(self._came_again) > self._new:
            notes.append(
                f"{len(self._came_again):,} of {counted(self._new, 'page')} went and came again; files whose paths are "
                "the same but for the date must be snapshots of one sitemap"
            )
        return notes + self._lastmods.notes()

    def _sitemaps(self) -> dict[str, set[str]]:
        """What each sitemap lists in this snapshot."""
        sitemaps: dict[str, set[str]] = {}
        for path, urls in self._files.items():
            sitemap = undated(path)
            sitemaps.setdefault(sitemap, set()).update(urls)
            self._paths[sitemap] = path
        return sitemaps

    def _born(self, url: str, now: float) -> int:
        if url in self._went:
            self._came_again.add(url)
        else:
            self._new += 1
        self._lastmods.born(now)
        page = self._at[url] = self.maker.born(url, self._began if self._first_round else now)
        return page

    def _remove(self, gone: Iterable[tuple[str, float]]) -> None:
        for url, moment in gone:
            self.maker.gone(self._at.pop(url), moment)
            self._went.add(url)
