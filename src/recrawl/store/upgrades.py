"""Older formats, brought up when a folder is opened.

Each file says its own format.  It is read in the old one, written beside its place in the next, and put there whole: a
process killed in between leaves some files upgraded and some not, and the next one goes on.
"""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise

from recrawl.store import journal_file, snapshot_file
from recrawl.store.damage import DamagedError, other_format
from recrawl.store.folder import Folder
from recrawl.store.journal_file import Row

Step = Callable[[str], None]


def upgrade(folder: Folder) -> list[str]:
    """Bring every file up; notes on what was done.  A DataError names a file of a format that nobody knows here."""
    notes = []
    for upto in folder.snapshots():
        with suppress(DamagedError):  # told when it is read, which the last but one may never be
            notes.append(_upgraded(folder.snapshot(upto), _snapshot_format, SNAPSHOTS, snapshot_file.FORMAT))
    newest = max(folder.snapshots(), default=0)
    for begins, ends in pairwise([*folder.journals(), math.inf]):
        try:
            path = folder.journal(int(begins))
            notes.append(_upgraded(path, journal_file.format_of, JOURNALS, journal_file.FORMAT))
        except DamagedError:
            if ends > newest:
                raise
    return [note for note in notes if note]


def _upgraded(path: str, format_of: Callable[[str], int], steps: Mapping[int, Step], present: int) -> str:
    first = version = format_of(path)
    while version != present:
        if version not in steps:
            raise other_format(version, present, path)
        steps[version](path)
        version = format_of(path)
    return f"{os.path.basename(path)}: format {first} upgraded to {present}" if first != present else ""


def _snapshot_format(path: str) -> int:
    with snapshot_file.reading(path) as (head, _):
        return head.version


def _snapshot_1(path: str) -> None:
    """Format 2 has checksums of its lines, and says who wrote it and when."""
    with snapshot_file.reading(path) as (head, parts):
        snapshot_file.write(path, head.upto, parts)


def _journal_1(path: str) -> None:
    """In format 2 the checksum covers the number of the group, too."""
    journal_file.create(path, _with_numbers(journal_file.all_rows(path)))


def _with_numbers(rows: Iterator[Row]) -> Iterator[Row]:
    for number, recorded, data in rows:
        is_good = journal_file.good((number, recorded, data), version=1)
        # An upgrade must not make damage look good.
        yield number, journal_file.checksum(number, data) if is_good else -1, data


SNAPSHOTS: dict[int, Step] = {1: _snapshot_1}
JOURNALS: dict[int, Step] = {1: _journal_1}
