"""A store in a folder: SQLite files for the journal, one file for each snapshot.

Theory of operation
-------------------
1. A group is one row of the newest journal file.  It is committed, and with synchronous=FULL on the disk, before
   `append` returns.  A commit that a crash cut short never happened.
2. `rotate` begins a new journal file.  The one before is closed by the thread that writes snapshots, since moving
   SQLite's log into the file takes long, and never changes again.
3. A snapshot gets its name when it is whole.  Then what is superfluous is deleted, as files: deleting rows in place
   stalls for long.  The snapshot before the last stays, with the journals since: where the last one is damaged, nothing
   is lost.
4. On opening, the newest snapshot and the journals after it are what counts.  Files that a crash left half done are
   removed.
5. One process at a time: see `place.py`.  SQLite's own lock on the newest journal keeps a process out that got past it.
"""

import errno
import os
import threading
from collections.abc import Iterator, Mapping
from itertools import pairwise

from recrawl.errors import DataError, InputError, StoreFullError
from recrawl.store import journal_file, snapshot_file
from recrawl.store.folder import Folder, remove_in_steps, remove_journal
from recrawl.store.journal_file import JournalFile
from recrawl.store.place import Place
from recrawl.store.protocol import Group, Parts

KEPT_SNAPSHOTS = 2
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)


class SqliteStore:
    """The journal and the snapshots of one frontier in a folder, which is made where there is none."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Folder(folder)
        os.makedirs(self._folder.path, exist_ok=True)
        self._finished: list[JournalFile] = []  # rotated away, and still to be closed
        self._finishing = threading.Lock()
        self._closed = False
        self._place = Place(self._folder)
        try:
            self._open()
        except BaseException:
            self._place.leave()
            raise

    def _open(self) -> None:
        for path in self._folder.half_done():
            os.unlink(path)
        snapshots, journals = self._folder.snapshots(), self._folder.journals()
        if not journals:
            if snapshots:
                raise DataError("is damaged: there are snapshots, but no journal", self._folder.path)
            journal_file.create(self._folder.journal(0))
            journals = [0]
        self._begins = journals[-1]
        self._journal = JournalFile(self._folder.journal(self._begins))
        try:
            self._last = self._journal.last() or self._begins
            if snapshots and self._last < snapshots[-1]:
                raise DataError(f"is damaged: group {self._last + 1} is missing", self._journal.path)
        except BaseException:
            self._journal.close()
            raise

    @property
    def last(self) -> int:
        """The number of the last group, 0 before the first."""
        return self._last

    def fence(self) -> int:
        """The token of this writer, higher than that of every one before; InUseError where it has lost its place."""
        if self._closed:
            raise InputError(f"{self._folder.path} is closed; open it again")
        self._place.check()
        return self._place.token

    def append(self, data: bytes) -> int:
        """Write a group; its number.  When this returns, the group survives a crash and loss of power."""
        self.fence()
        self._journal.append(self._last + 1, data)
        self._last += 1
        return self._last

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number, in order.  Raises DataError where one is damaged or missing."""
        self._finish()
        upto = self._last
        expected = after + 1
        for begins, ends in pairwise([*self._folder.journals(), upto]):
            if ends <= after and begins != self._begins:
                continue
            for group in self._groups(begins, after, upto):
                if group.number != expected:
                    raise DataError(f"is damaged: group {expected} is missing", self._folder.journal(begins))
                yield group
                expected += 1
        if expected != upto + 1:
            raise DataError(f"is damaged: group {expected} is missing", self._folder.path)

    def _groups(self, begins: int, after: int, upto: int) -> Iterator[Group]:
        if begins == self._begins:
            yield from self._journal.groups(after, upto)
            return
        journal = JournalFile(self._folder.journal(begins))
        try:
            yield from journal.groups(after, upto)
        finally:
            journal.close()

    def rotate(self) -> int:
        """Begin a new journal file; the number of the last group before it.  Takes 3 ms."""
        self.fence()
        if self._begins < self._last:  # else the newest file is still empty
            path = self._folder.journal(self._last)
            journal_file.create(path)
            journal = JournalFile(path)
            self._finished.append(self._journal)
            self._journal, self._begins = journal, self._last
        return self._last

    def snapshot(self, upto: int, parts: Parts) -> None:
        """Keep the state after group `upto`, and drop what is superfluous then; for a thread of its own."""
        before = self._folder.snapshots()
        if not (before[-1] if before else 0) <= upto <= self._last:
            message = f"upto must be in [{before[-1] if before else 0}, {self._last}], got {upto}"
            raise InputError(f"{message}; take what rotate() gives", "upto")
        try:
            snapshot_file.write(self._folder.snapshot(upto), upto, parts, last_check=self._still_here)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            stays = f"the one of group {before[-1]} and the journal since stay" if before else "the journal stays"
            what = f"a snapshot of group {upto} ({stays})"
            raise StoreFullError(self._folder.path, what) from error
        self._finish()
        self._drop_superfluous()

    def _still_here(self) -> None:
        self.fence()

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last whole snapshot, with the number of the group it stands at; None where there is none."""
        snapshots = self._folder.snapshots()
        return snapshot_file.read(self._folder.snapshot(snapshots[-1])) if snapshots else None

    def close(self) -> None:
        """Let others open it.  A snapshot that is still being written will not be kept."""
        if not self._closed:
            self._closed = True
            self._finish()
            self._journal.close()
            self._place.leave()

    def _finish(self) -> None:
        """Close the journals that `rotate` left; whichever thread comes first."""
        with self._finishing:
            while self._finished:
                self._finished[0].close()
                self._finished.pop(0)

    def _drop_superfluous(self) -> None:
        """Delete what the last two snapshots have no need of; beside a single one that is the whole journal."""
        kept = self._folder.snapshots()[-KEPT_SNAPSHOTS:]
        if len(kept) < KEPT_SNAPSHOTS:
            return
        for number in self._folder.snapshots():
            if number < kept[0]:
                remove_in_steps(self._folder.snapshot(number))
        for begins, ends in pairwise(self._folder.journals()):
            if ends <= kept[0]:
                remove_journal(self._folder.journal(begins))
