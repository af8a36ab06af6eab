"""An archive: a folder of files that were fetched again and again, each with the date of that in its path."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time

from recrawl.errors import InputError
from recrawl.histories.making import DAY_S, Made, Maker, Progress, counted
from recrawl.histories.records import BrokenError, Record, records

SUFFIXES = (".xml", ".rss", ".atom", ".rdf")

_HOUR, _SIXTY = r"([01]\d|2[0-3])", r"([0-5]\d)"
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(-?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])"
    rf"(?:[T_ ]?{_HOUR}[:-]?{_SIXTY}[:-]?{_SIXTY}|T{_HOUR}[:-]?{_SIXTY})?(?!\d)"
)


@dataclass
class Snapshot:
    """What was fetched at one moment (seconds since 1970): files in order of paths, and whether none is broken."""

    moment: float
    files: list[str] = field(default_factory=list)
    whole: bool = True


class Archive:
    """The snapshots of a folder in order of time.

    The date of a file, in UTC, is the first in its path within the folder: ``2024-05-01/sitemap.xml``,
    ``sitemap-20240501.xml.gz`` or ``20240501T1200/news.atom``.
    """

    def __init__(self, folder: str, progress: Progress | None = None) -> None:
        if not os.path.isdir(folder):
            raise InputError(f"DIR must be a folder, got {folder!r}", argument="folder")
        self.folder = folder
        self._progress = progress
        self._undated: list[str] = []
        self._broken: list[str] = []
        self._done = 0
        self.snapshots = self._found()
        self._total = sum(len(snapshot.files) for snapshot in self.snapshots)

    def records(self, snapshot: Snapshot, names: Collection[str]) -> Iterator[tuple[str, str, Record]]:
        """The elements of these names in the files of a snapshot: path within the folder, name and record."""
        for path in snapshot.files:
            try:
                for name, record in records(os.path.join(self.folder, path), names):
                    yield path, name, record
            except BrokenError as error:
                snapshot.whole = False
                self._broken.append(f"{os.path.join(self.folder, path)}: {error}")
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self._total)

    def made(self, maker: Maker, notes: Sequence[str]) -> Made:
        """The history, with the notes on what was left out of the archive before the others."""
        began = self.snapshots[0].moment
        name = os.path.basename(os.path.realpath(self.folder)) or "history"
        return Made(maker.history(name, began), began, (*self._notes(), *notes))

    def told(self) -> str:
        """For an error: what was wrong with the first broken file, if there is one."""
        return f"; {self._broken[0]}" if self._broken else ""

    def _found(self) -> list[Snapshot]:
        found: dict[float, Snapshot] = {}
        for path in _files(self.folder):
            moment = moment_in(path)
            if moment is None:
                self._undated.append(path)
            else:
                found.setdefault(moment, Snapshot(moment)).files.append(path)
        if len(found) < 2:
            others = f" and {counted(len(self._undated), 'file')} without one" if self._undated else ""
            raise InputError(
                f"DIR must have files ({', '.join(SUFFIXES)}, packed with gzip or not) of two dates or more, got "
                f"{len(found)}{others} in {self.folder!r}; put the date of each into its name or its folder, such as "
                "2024-05-01/sitemap.xml or sitemap-20240501T1200.xml",
                argument="folder",
            )
        return [found[moment] for moment in sorted(found)]

    def _notes(self) -> list[str]:
        notes = []
        if self._undated:
            files = counted(len(self._undated), "file")
            notes.append(f"left out {files} without a date in the path, such as {self._undated[0]}")
        if self._broken:
            files = counted(len(self._broken), "broken file")
            notes.append(f"read {files} up to the break, such as {self._broken[0]}")
        return notes


def moment_in(path: str) -> float | None:
    """The first date in a path, in seconds since 1970.

    >>> moment_in("1970-01-02/a.xml"), moment_in("a-19700102T000010Z.xml"), moment_in("sitemap-12.xml")
    (86400.0, 86410.0, None)
    """
    moments = map(_moment, _DATE.finditer(path))
    return next((moment for moment in moments if moment is not None), None)


def undated(path: str) -> str:
    """The path without its date, and without that of the file again: what the file is called in every snapshot.

    >>> undated("2024-05-01/news.xml") == undated("2024-05-02/news.xml.gz")
    True
    >>> undated("20240501T1200/20240501.xml") == undated("20240502T1200/20240502.xml")
    True
    >>> undated("20240501/posts-20240430.xml") == undated("20240502/posts-20240430.xml")
    True
    """
    path = path.removesuffix(".gz")
    day = (moment_in(path) or 0.0) // DAY_S
    return _DATE.sub(lambda found: "" if (_moment(found) or 0.0) // DAY_S == day else found[0], path)


def _moment(found: re.Match[str]) -> float | None:
    """Seconds since 1970; None for February 30."""
    year, _, month, day, hour, minute, second, short_hour, short_minute = found.groups()
    clock = time(int(hour or short_hour or 0), int(minute or short_minute or 0), int(second or 0))
    try:
        return datetime.combine(date(int(year), int(month), int(day)), clock, UTC).timestamp()
    except ValueError:
        return None


def _files(folder: str) -> Iterator[str]:
    """Paths within the folder, in order."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().removesuffix(".gz").endswith(SUFFIXES):
                yield os.path.relpath(os.path.join(place, name), folder)
