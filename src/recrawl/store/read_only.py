"""A folder that is read and not changed: nobody has it open, and nobody will until it is let go."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise

from recrawl.errors import DataError
from recrawl.store import history, snapshot_file, wal
from recrawl.store.damage import DamagedError
from recrawl.store.folder import Folder
from recrawl.store.journal_file import JournalReader
from recrawl.store.place import quiet
from recrawl.store.protocol import Group


class ReadOnlyStore:
    """What a store in a folder tells those who only read."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.notes: list[str] = []
        newest = max(folder.snapshots(), default=0)
        if not folder.journals():
            what = "holds no frontier" if not folder.snapshots() else "is damaged: its journal is missing"
            raise DataError(what, folder.path)
        begins = folder.journals()[-1]
        path = folder.journal(begins)
        tail = wal.tail(path)
        if not tail.head_is_good or tail.commits > 1:
            raise DamagedError("groups at the end of its log cannot be read", path)
        reader = JournalReader(path)
        try:
            self.last = reader.last() or begins
        finally:
            reader.close()
        if self.last < newest:
            raise DamagedError(f"group {self.last + 1} is missing", path)
        if tail.frames:
            self.notes.append(f"a torn group at the end is left out: the one after {self.last}, never acknowledged")

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last whole snapshot, with the number of the group it stands at; None where there is none."""
        snapshots = self._folder.snapshots()
        return snapshot_file.read(self._folder.snapshot(snapshots[-1])) if snapshots else None

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number, in order.  Raises DataError where one is damaged or missing."""
        expected = after + 1
        for begins, ends in pairwise([*self._folder.journals(), self.last]):
            if ends <= after:
                continue
            reader = JournalReader(self._folder.journal(begins))
            try:
                for number, data in reader.rows(max(after, begins), ends):
                    if number != expected or data is None:
                        what = f"group {expected} is missing or cannot be read"
                        raise DamagedError(what, reader.path)
                    yield Group(number, data)
                    expected += 1
            finally:
                reader.close()
        if expected != self.last + 1:
            raise DamagedError(f"group {expected} is missing", self._folder.path)

    def history(self) -> Iterator[Group]:
        """All groups that are still there, in order; a gap in the numbers, and a note, where one cannot be read."""
        yield from history.kept(self._folder, self.last, self.notes)


@contextmanager
def reading(folder: str | os.PathLike[str]) -> Iterator[ReadOnlyStore]:
    """A folder to be read, which nobody can open meanwhile.  Raises InUseError where somebody has it open."""
    files = Folder(folder)
    if not os.path.isdir(files.path):
        raise DataError("is no folder", files.path)
    with quiet(files):
        yield ReadOnlyStore(files)
