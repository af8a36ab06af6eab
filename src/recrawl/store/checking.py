"""Looks through a folder without changing anything: what is in it, what is damaged, and what can be saved."""

import os
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from recrawl.errors import DataError
from recrawl.store import snapshot_file, wal
from recrawl.store.damage import DamagedError
from recrawl.store.folder import Folder
from recrawl.store.journal_file import JournalReader
from recrawl.store.place import quiet
from recrawl.store.protocol import Group

Ranges = list[tuple[int, int]]
"""Numbers of groups, first and last of each run."""

NO_END = 1 << 62


class SnapshotReport(NamedTuple):
    """A snapshot file."""

    path: str
    number: int
    version: int | None
    recrawl: str | None
    written: float | None
    """Seconds since 1970; not known of format 1."""
    parts: int
    bytes: int
    damage: str
    """Empty where there is none."""


class JournalReport(NamedTuple):
    """A journal file."""

    path: str
    begins: int
    version: int | None
    bytes: int
    good: Ranges
    damaged: Ranges
    missing: Ranges
    torn: bool
    """Whether a crash cut the last commit short: that is cut on opening, and no damage."""
    damage: str
    """Of the file as a whole; empty where there is none."""

    @property
    def groups(self) -> int:
        """How many good ones there are."""
        return sum(last - first + 1 for first, last in self.good)


class Report(NamedTuple):
    """What a folder holds."""

    folder: str
    snapshots: list[SnapshotReport]
    journals: list[JournalReport]
    leftovers: list[str]
    """Files that a crash left half done, which go on opening."""
    strangers: list[str]
    """Names that no store gives."""
    last: int
    """The highest group there is a trace of."""
    snapshot: int | None
    """The snapshot to rebuild from; None where that is the journal alone, from the first group."""
    savable: int | None
    """The last group of the state that can be rebuilt; None where nothing can."""
    history: list[str]
    """Journals that are only kept for those who ask of the past; they are not looked into."""
    history_bytes: int

    @property
    def is_good(self) -> bool:
        """Whether nothing is damaged or missing."""
        files = [s.damage for s in self.snapshots] + [j.damage for j in self.journals]
        return not any(files) and not any(j.damaged or j.missing for j in self.journals) and self.savable == self.last


def check(folder: str | os.PathLike[str]) -> Report:
    """Read everything in a folder that nobody has open; InUseError where somebody has."""
    if not os.path.isdir(folder):
        raise DataError("is no folder", os.fspath(folder))
    files = Folder(folder)
    with quiet(files):
        return examined(files)


def examined(folder: Folder) -> Report:
    """The report, for a caller who keeps others out."""
    snapshots = [_snapshot(folder.snapshot(number), number) for number in folder.snapshots()]
    journals = [_journal(folder, begins, ends) for begins, ends in pairwise([*folder.journals(), NO_END])]
    good = sorted(run for journal in journals for run in journal.good)
    starts: list[int | None] = [s.number for s in reversed(snapshots) if not s.damage]
    starts += [None] if journals and journals[0].begins == 0 else []
    # Of those that reach as far, the first: the newest snapshot has the least to be added to it.
    savable, snapshot = max(
        ((_reach(start or 0, good), start) for start in starts), key=lambda found: found[0], default=(None, None)
    )
    seen = [
        number for journal in journals for run in journal.good + journal.damaged + journal.missing for number in run
    ]
    last = max([*seen, *folder.snapshots(), *folder.journals()], default=0)
    leftovers = [os.path.basename(path) for path in folder.half_done()]
    past = folder.history.journals()
    return Report(
        folder.path,
        snapshots,
        journals,
        leftovers,
        folder.strangers(),
        last,
        snapshot,
        savable,
        [folder.history.journal(begins) for begins in past],
        sum(map(folder.history.journal_bytes, past)),
    )


def good_groups(folder: Folder, after: int) -> Iterator[Group]:
    """The groups after that number, up to the first that is damaged or missing."""
    expected = after + 1
    for begins, ends in pairwise([*folder.journals(), NO_END]):
        if ends <= after:
            continue
        try:
            reader = JournalReader(folder.journal(begins))
        except DamagedError:
            return
        try:
            for number, data in reader.rows(max(after, begins), ends):
                if data is None or number != expected:
                    return
                yield Group(number, data)
                expected += 1
        finally:
            reader.close()


def _reach(start: int, good: Ranges) -> int:
    for first, last in good:
        if first <= start + 1 <= last:
            start = last
    return start


def _snapshot(path: str, number: int) -> SnapshotReport:
    head, parts, damage = snapshot_file.Head(0, number, None, None), 0, ""
    try:
        with snapshot_file.reading(path) as (head, found):
            for _ in found:
                parts += 1
    except DataError as error:
        damage = _said(error)
    return SnapshotReport(
        path, number, head.version or None, head.recrawl, head.written, parts, os.path.getsize(path), damage
    )


def _journal(folder: Folder, begins: int, ends: int) -> JournalReport:
    path, size = folder.journal(begins), folder.journal_bytes(begins)
    tail = wal.tail(path)
    version, good, bad, missing = None, Ranges(), Ranges(), Ranges()
    damage = "" if tail.head_is_good else "the head of its log cannot be read"
    if tail.commits > 1:
        damage = f"{tail.commits} groups at the end of its log cannot be read"
    try:
        reader = JournalReader(path)
    except DataError as error:
        damage = _said(error)
    else:
        version = reader.version
        expected = begins + 1
        for number, data in reader.rows(begins, ends):
            _missing(missing, expected, number - 1)
            _add(good if data is not None else bad, number)
            expected = number + 1
        _missing(missing, expected, ends if ends < NO_END else reader.last() or 0)
        if not damage and reader.is_broken:
            damage = "not all of it can be read"
        reader.close()
    return JournalReport(path, begins, version, size, good, bad, missing, tail.frames > 0, damage)


def _said(error: DataError) -> str:
    return error.what if isinstance(error, DamagedError) else error.message


def _add(ranges: Ranges, number: int) -> None:
    if ranges and ranges[-1][1] == number - 1:
        ranges[-1] = ranges[-1][0], number
    else:
        ranges.append((number, number))


def _missing(ranges: Ranges, first: int, last: int) -> None:
    if first <= last:
        ranges.append((first, last))
