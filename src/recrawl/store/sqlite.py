"""A store in a folder: SQLite files for the journal, one file for each snapshot.

Theory of operation
-------------------
1. A group is one row of the newest journal file: its number, a CRC-32 and the bytes.  It is committed, and with
   synchronous=FULL on the disk, before `append` returns.  A commit that a crash cut short never happened.
2. A snapshot begins a new journal file, so that groups go on being appended while it is written.  It gets its name when
   it is whole.  Then older journals and snapshots are deleted as files: deleting rows in place stalls for long.
3. On opening, the newest whole snapshot and the journals after it are what counts.  Files that a crash left half done
   are removed.
4. One process at a time: a lock on a file of the folder, which the system drops when the process dies.  One connection,
   for several can hit a bug of older SQLites; `locking_mode=EXCLUSIVE`, without which a folder on a full disk could not
   be opened again.
"""

import fcntl
import os
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import IO

from recrawl.errors import DataError, InUseError, StoreFullError
from recrawl.files.whole import sync_folder
from recrawl.store import snapshot_file
from recrawl.store.protocol import Group

FORMAT = 1
_JOURNAL = re.compile(r"journal-(\d{12})\.db")
_SNAPSHOT = re.compile(r"snapshot-(\d{12})")
_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_CANTOPEN", "SQLITE_IOERR_SHMSIZE")


class SqliteStore:
    """The journal and the snapshots of one frontier in a folder, which is made where there is none."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = os.fspath(folder)
        os.makedirs(self._folder, exist_ok=True)
        self._lock = _locked(self._folder)
        try:
            self._open()
        except BaseException:
            self._lock.close()
            raise

    def _open(self) -> None:
        for name in os.listdir(self._folder):
            if ".tmp" in name:
                os.unlink(os.path.join(self._folder, name))
        snapshots = self._names(_SNAPSHOT)
        journals = self._names(_JOURNAL)
        if not journals:
            journals = [self._create(snapshots[-1] if snapshots else 0)]
        self._journal = self._connected(journals[-1])
        row = self._journal.execute("SELECT max(number) FROM groups").fetchone()
        self._last = journals[-1] if row[0] is None else int(row[0])

    @property
    def last(self) -> int:
        """The number of the last group, 0 before the first."""
        return self._last

    def append(self, data: bytes) -> int:
        """Write a group; its number.  When this returns, the group survives a crash and loss of power."""
        number = self._last + 1
        try:
            with self._journal:  # commits, or rolls back
                self._journal.execute(
                    "INSERT INTO groups (number, checksum, data) VALUES (?, ?, ?)", (number, zlib.crc32(data), data)
                )
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorname", "") in _FULL:
                raise StoreFullError(self._folder) from error
            raise
        self._last = number
        return number

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number, in order.  Raises DataError where one is damaged or missing."""
        expected = after + 1
        journals = self._names(_JOURNAL)
        for k, begins in enumerate(journals):
            if k + 1 < len(journals) and journals[k + 1] <= after:
                continue
            newest = k + 1 == len(journals)
            connection = self._journal if newest else self._connected(begins)
            try:
                for number, checksum, data in self._rows(connection, begins, after):
                    if number != expected:
                        raise DataError(f"is damaged: group {expected} is missing", self._path("journal", begins))
                    if zlib.crc32(data) != checksum:
                        raise DataError(
                            f"is damaged: the checksum of group {number} does not match", self._path("journal", begins)
                        )
                    yield Group(number, data)
                    expected += 1
            finally:
                if not newest:
                    connection.close()
        if expected != self._last + 1:
            raise DataError(f"is damaged: group {expected} is missing", self._folder)

    def _rows(self, connection: sqlite3.Connection, begins: int, after: int) -> Iterator[tuple[int, int, bytes]]:
        query = "SELECT number, checksum, data FROM groups WHERE number > ? ORDER BY number"
        try:
            yield from connection.execute(query, (after,))
        except sqlite3.DatabaseError as error:
            raise DataError(f"is damaged: {error}", self._path("journal", begins)) from error

    def snapshot(self, upto: int, parts: Iterable[tuple[str, bytes]]) -> None:
        """Keep the state after group `upto`; groups may be appended while `parts` is still being produced."""
        if self._names(_JOURNAL)[-1] < self._last:  # else the newest file is still empty
            begins = self._create(self._last)
            self._journal.close()
            self._journal = self._connected(begins)
        try:
            snapshot_file.write(self._path("snapshot", upto), upto, parts)
        except OSError as error:
            raise StoreFullError(self._folder) from error
        self._drop_before(upto)

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last whole snapshot, with the number of the group it stands at; None where there is none."""
        snapshots = self._names(_SNAPSHOT)
        return snapshot_file.read(self._path("snapshot", snapshots[-1])) if snapshots else None

    def close(self) -> None:
        """Let others open it."""
        self._journal.close()
        self._lock.close()

    # -- files -------------------------------------------------------------------------------------------------------

    def _path(self, kind: str, number: int) -> str:
        suffix = ".db" if kind == "journal" else ""
        return os.path.join(self._folder, f"{kind}-{number:012d}{suffix}")

    def _names(self, pattern: re.Pattern[str]) -> list[int]:
        """The numbers of the files of a kind, lowest first."""
        return sorted(int(match[1]) for name in os.listdir(self._folder) if (match := pattern.fullmatch(name)))

    def _create(self, begins: int) -> int:
        """A new journal file for the groups after that number."""
        path = self._path("journal", begins)
        connection = _connection(f"{path}.tmp")
        connection.execute("CREATE TABLE groups (number INTEGER PRIMARY KEY, checksum INTEGER, data BLOB)")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.close()
        os.replace(f"{path}.tmp", path)
        sync_folder(path)
        return begins

    def _connected(self, begins: int) -> sqlite3.Connection:
        path = self._path("journal", begins)
        try:
            connection = _connection(path)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise DataError(f"is damaged: {error}", path) from error
        if version != FORMAT:
            connection.close()
            other = "newer" if version > FORMAT else "older"
            raise DataError(f"was written by {other} recrawl (format {version}, this one reads {FORMAT})", path)
        return connection

    def _drop_before(self, upto: int) -> None:
        """Delete what the snapshot at `upto` has made superfluous."""
        journals = self._names(_JOURNAL)
        for number in self._names(_SNAPSHOT):
            if number < upto:
                os.unlink(self._path("snapshot", number))
        for number, following in pairwise(journals):
            if following <= upto:
                for tail in ("", "-wal", "-shm"):
                    path = self._path("journal", number) + tail
                    if os.path.exists(path):
                        os.unlink(path)


def _connection(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level="IMMEDIATE", check_same_thread=False)
    for setting in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def _locked(folder: str) -> IO[str]:
    file = open(os.path.join(folder, "lock"), "a+", encoding="utf-8")  # noqa: SIM115 (held until close)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = file.read().strip()
        file.close()
        raise InUseError(folder, owner) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file
