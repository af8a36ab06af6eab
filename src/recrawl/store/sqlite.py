"""A store in a folder: SQLite files for the journal, one file for each snapshot.

Theory of operation
-------------------
1. A group is one row of the newest journal file.  It is committed, and with synchronous=FULL on the disk, before
   `append` returns.  A commit that a crash cut short never happened.
2. `rotate` begins a new journal file.  The one before is closed by the thread that writes snapshots, since moving
   SQLite's log into the file takes long, and never changes again.
3. A snapshot gets its name when it is whole.  Then what is superfluous is deleted, as files: deleting rows in place
   stalls for long.  The snapshot before the last stays, with the journals since: where the last one is damaged, nothing
   is lost.  Journals from before go to the history (history.py), which nothing here needs, and are deleted when that is
   large.
4. On opening, the newest snapshot and the journals after it are what counts.  Files that a crash left half done are
   removed, older formats brought up, and a group at the very end that was not written whole is cut; `notes` says so.
   Whatever else is damaged is refused by name.
5. One process at a time: see `place.py`.  SQLite's own lock on the newest journal keeps a process out that got past it.
"""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise

from recrawl.errors import InputError
from recrawl.files.whole import sync_folder
from recrawl.store import history, journal_file, snapshot_file, wal
from recrawl.store.copies import copy
from recrawl.store.damage import DamagedError
from recrawl.store.folder import Folder, remove_in_steps, remove_journal
from recrawl.store.journal_file import JournalFile
from recrawl.store.place import Place
from recrawl.store.protocol import Group, Parts
from recrawl.store.room import room_for
from recrawl.store.upgrades import upgrade

KEPT_SNAPSHOTS = 2


class SqliteStore:
    """The journal and the snapshots of one frontier in a folder, which is made where there is none.

    Journals that are no longer needed are kept for `history`, up to `history_bytes`.
    """

    def __init__(self, folder: str | os.PathLike[str], history_bytes: int = history.USUAL_BYTES) -> None:
        self._folder = Folder(folder)
        self._history_bytes = history_bytes
        os.makedirs(self._folder.path, exist_ok=True)
        self._finished: list[JournalFile] = []  # rotated away, and still to be closed
        self._finishing = threading.Lock()
        self._keeping = threading.Lock()  # held by whoever copies files, or deletes them
        self._closed = False
        self.notes: list[str] = []
        self._place = Place(self._folder)
        try:
            self._open()
        except BaseException:
            self._place.leave()
            raise

    def _open(self) -> None:
        for path in self._folder.half_done():
            os.unlink(path)
        newest = max(self._folder.snapshots(), default=0)
        if not self._folder.journals():
            if self._folder.snapshots():
                raise DamagedError("its journal is missing", self._folder.snapshot(newest))
            journal_file.create(self._folder.journal(0))
        self._begins = self._folder.journals()[-1]
        path = self._folder.journal(self._begins)
        torn = self._torn(path)  # while SQLite has not seen it: it would drop what it cannot read
        self.notes += upgrade(self._folder)
        self._journal = JournalFile(path)
        try:
            self._last = self._journal.last() or self._begins
            if self._last < newest:
                raise DamagedError(f"group {self._last + 1} is missing", path)
            if torn:
                self.notes.append(f"a torn group at the end was cut: the one after {self._last}, not whole in the log")
            if self._last > max(newest, self._begins) and not self._journal.is_good(self._last):
                self._journal.cut(self._last)
                self.notes.append(f"a torn group at the end was cut: {self._last}, its checksum does not match")
                self._last -= 1
        except BaseException:
            self._journal.close()
            raise

    def _torn(self, path: str) -> bool:
        """Whether a crash cut the last commit short; a DataError where more than that one is lost."""
        tail = wal.tail(path)
        if not tail.head_is_good:
            raise DamagedError("the head of its log cannot be read, and so none of the last groups", path)
        if tail.commits > 1:
            raise DamagedError(f"{tail.commits} groups at the end of its log cannot be read", path)
        return tail.frames > 0

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

    def cut(self) -> None:
        """Forget the last group, of which nobody was told."""
        self.fence()
        if self._last <= max(self._begins, *self._folder.snapshots(), 0):
            raise InputError(f"{self._folder.path} has no group to cut since its journal began")
        self._journal.cut(self._last)
        self._last -= 1

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
                    raise DamagedError(f"group {expected} is missing", self._folder.journal(begins))
                yield group
                expected += 1
        if expected != upto + 1:
            raise DamagedError(f"group {expected} is missing", self._folder.journal(self._begins))

    def history(self) -> Iterator[Group]:
        """All groups that are still there, in order, also those that nobody needs since a snapshot stands for them."""
        self._finish()
        yield from history.kept(self._folder, self._last, self.notes, self._journal)

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
            journal = self._new_journal()
            self._finished.append(self._journal)
            self._journal, self._begins = journal, self._last
        return self._last

    def _new_journal(self) -> JournalFile:
        path = self._folder.journal(self._last)
        journal_file.create(path)
        try:
            return JournalFile(path)
        except BaseException:
            # Groups will go on being appended to the old file.  Were this one left, it would be taken for the newest.
            try:
                remove_journal(path)
                sync_folder(path)
            except BaseException:
                self.close()
                raise
            raise

    def snapshot(self, upto: int, parts: Parts) -> None:
        """Keep the state after group `upto`, and drop what is superfluous then; for a thread of its own."""
        before = self._folder.snapshots()
        stays = f"the one of group {before[-1]} and the journal since stay" if before else "the journal stays"
        if not (before[-1] if before else 0) <= upto <= self._last:
            message = f"upto must be in [{before[-1] if before else 0}, {self._last}], got {upto}"
            raise InputError(f"{message}; take what rotate() gives", "upto")
        with room_for(f"a snapshot of group {upto} ({stays})", self._folder.path):
            snapshot_file.write(self._folder.snapshot(upto), upto, parts, last_check=self._still_here)
        self._finish()
        with self._keeping:
            self._drop_superfluous()

    def _still_here(self) -> None:
        self.fence()

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last whole snapshot, with the number of the group it stands at; None where there is none."""
        snapshots = self._folder.snapshots()
        return snapshot_file.read(self._folder.snapshot(snapshots[-1])) if snapshots else None

    def backup(self, target: str | os.PathLike[str], upto: int) -> None:
        """Copy snapshot and groups up to `upto`, the number that `rotate` gave, into a new folder."""
        self._finish()
        with self._keeping:
            copy(self._folder, target, upto)

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
        """Put away what the last two snapshots have no need of; beside a single one that is the whole journal."""
        kept = self._folder.snapshots()[-KEPT_SNAPSHOTS:]
        if len(kept) < KEPT_SNAPSHOTS:
            return
        for number in self._folder.snapshots():
            if number < kept[0]:
                remove_in_steps(self._folder.snapshot(number))
        for begins, ends in pairwise(self._folder.journals()):
            if ends <= kept[0]:
                self._put_away(begins)
        history.trim(self._folder, self._history_bytes)

    def _put_away(self, begins: int) -> None:
        if self._history_bytes:
            with suppress(OSError):  # there is no room for it; the past is a luxury
                history.put_away(self._folder, begins)
                return
        remove_journal(self._folder.journal(begins))
