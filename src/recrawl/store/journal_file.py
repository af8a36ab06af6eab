"""One file of the journal: a SQLite table with a row for each group.  Only this and shelf_file.py speak SQL.

A row is its group's number, a CRC-32 of number and bytes, and the bytes.  (In format 1 it was of the bytes alone.)

One connection a file, used by one thread at a time, for several can hit a bug of older SQLites;
`locking_mode=EXCLUSIVE`, without which a folder on a full disk could not be opened again.
"""

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from urllib.parse import quote

from recrawl.errors import InputError, InUseError, RecrawlError, StoreFullError
from recrawl.files.whole import sync_folder
from recrawl.store.damage import DamagedError, other_format
from recrawl.store.folder import remove_journal
from recrawl.store.protocol import Group

FORMAT = 2

CREATE = "CREATE TABLE groups (number INTEGER PRIMARY KEY, checksum INTEGER, data BLOB)"
APPEND = "INSERT INTO groups (number, checksum, data) VALUES (?, ?, ?)"
LAST = "SELECT max(number) FROM groups"
BETWEEN = "SELECT number, checksum, data FROM groups WHERE number > ? AND number <= ? ORDER BY number"
CUT = "DELETE FROM groups WHERE number = ?"
SET_FORMAT = f"PRAGMA user_version = {FORMAT}"
A_CHECKPOINT = 250
"""Pages of SQLite's log after which they are moved into the file, in the middle of an append.  With its usual 1,000
that takes four times as long, up to 5 ms; more often costs more than it saves."""
TO_WRITE = (
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    f"PRAGMA wal_autocheckpoint = {A_CHECKPOINT}",
)
TO_READ = ("PRAGMA locking_mode = EXCLUSIVE", "PRAGMA cell_size_check = ON")

LEAST_BYTES = 50
"""Fewer than a row takes in practice: a bound for how many a file can hold."""

Row = tuple[int, int, bytes]
"""Number, checksum, bytes."""

FULL = (
    "SQLITE_FULL",
    "SQLITE_IOERR_WRITE",
    "SQLITE_IOERR_FSYNC",
    "SQLITE_IOERR_DIR_FSYNC",
    "SQLITE_IOERR_TRUNCATE",
    "SQLITE_IOERR_SHMSIZE",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
)
FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises; the second where its very message quotes damaged bytes."""

IN_USE = ("SQLITE_BUSY", "SQLITE_LOCKED")


class JournalFile:
    """A journal file of the present format, open for appending and reading."""

    def __init__(self, path: str) -> None:
        self.path = path
        if (version := format_of(path)) != FORMAT:
            raise other_format(version, FORMAT, path)
        try:
            self._connection = _connected(path)
        except FAILURES as error:
            raise meaning(error, path) from error
        self._appending = self._connection.cursor()

    def append(self, number: int, data: bytes) -> None:
        """Write a group: a transaction by itself, on the disk when this returns."""
        try:
            self._appending.execute(APPEND, (number, checksum(number, data), data))
        except sqlite3.DataError as error:
            raise InputError(f"a group must be smaller than 1 GB, got {len(data):,} bytes", "data") from error
        except FAILURES as error:
            raise meaning(error, self.path) from error

    def last(self) -> int | None:
        """The number of its last group, None where it is empty."""
        try:
            number: int | None = self._connection.execute(LAST).fetchone()[0]
        except FAILURES as error:
            raise meaning(error, self.path) from error
        return number

    def groups(self, after: int, upto: int) -> Iterator[Group]:
        """Those of its groups in between, in order; a DataError at the first that is damaged or missing."""
        expected: int | None = None
        try:
            for row in self._connection.execute(BETWEEN, (after, upto)):
                number = row[0]
                if expected not in (None, number):
                    raise DamagedError(f"group {expected} is missing", self.path)
                if not good(row):
                    raise DamagedError(f"the checksum of group {number} does not match", self.path)
                yield Group(number, row[2])
                expected = number + 1
        except FAILURES as error:
            raise meaning(error, self.path) from error

    def is_good(self, number: int) -> bool:
        """Whether a group is as it was written."""
        try:
            return all(good(row) for row in self._connection.execute(BETWEEN, (number - 1, number)))
        except FAILURES as error:
            raise meaning(error, self.path) from error

    def cut(self, number: int) -> None:
        """Forget a group."""
        try:
            self._connection.execute(CUT, (number,))
        except FAILURES as error:
            raise meaning(error, self.path) from error

    def close(self) -> None:
        """Move what is in SQLite's log into the file, and let go of it.  Takes long: up to 100 ms."""
        self._connection.close()


class JournalReader:
    """A journal file of any format that is read and not changed, also where it is damaged or was left by a crash."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.version = format_of(path)
        if self.version not in (1, FORMAT):
            raise other_format(self.version, FORMAT, path)
        self.is_broken = False
        """Whether SQLite has stumbled."""
        # No locks: those need a file that may be written, and the folder's own keeps others out.
        has_log = os.path.exists(f"{path}-wal")
        uri = f"file:{quote(os.path.abspath(path))}?" + ("mode=ro&vfs=unix-none" if has_log else "immutable=1")
        self._connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
        try:
            for statement in TO_READ:
                self._connection.execute(statement)
        except FAILURES as error:
            self._connection.close()
            raise DamagedError(str(error), path) from error

    def last(self) -> int | None:
        """The number of its last group; None where it is empty, or that cannot be told."""
        try:
            number: int | None = self._connection.execute(LAST).fetchone()[0]
        except FAILURES:
            self.is_broken = True
            return None
        return number

    def rows(self, after: int, upto: int) -> Iterator[tuple[int, bytes | None]]:
        """Its groups in between that there are, in order; None in place of the bytes of one that is damaged."""
        expected = after + 1
        try:
            for row in self._connection.execute(BETWEEN, (after, upto)):
                if row[0] < expected:  # not in order
                    break
                expected = row[0] + 1
                yield row[0], self._bytes(row)
            else:
                return
        except FAILURES:
            pass
        self.is_broken = True
        # The way from row to row is broken; some may still be found by their number.  A damaged number may be any.
        most = expected + os.path.getsize(self.path) // LEAST_BYTES
        for number in range(expected, min(upto, self.last() or expected, most) + 1):
            yield from self._one(number)

    def _one(self, number: int) -> Iterator[tuple[int, bytes | None]]:
        try:
            row = self._connection.execute(BETWEEN, (number - 1, number)).fetchone()
        except FAILURES:
            yield number, None
        else:
            if row is not None:
                yield number, self._bytes(row) if row[0] == number else None

    def _bytes(self, row: Row) -> bytes | None:
        return row[2] if good(row, self.version) else None

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def create(path: str, rows: Iterable[Row] = ()) -> None:
    """A new journal file, which gets its name when it is whole.

    SQLite would sync at each step; here that is done once, at the end.
    """
    beside = f"{path}.tmp"
    try:
        connection = _connected(beside)
        try:
            for statement in ("PRAGMA synchronous = OFF", "BEGIN", CREATE, SET_FORMAT, "COMMIT"):
                connection.execute(statement)
            for row in rows:
                connection.execute(APPEND, row)
        finally:
            connection.close()
        put_in_place(beside, path)
    except FAILURES as error:
        raise meaning(error, path) from error
    except OSError as error:
        raise StoreFullError(os.path.dirname(path)) from error
    finally:
        with suppress(OSError):
            remove_journal(beside)


def all_rows(path: str) -> Iterator[Row]:
    """Every row as it stands, whatever the format; then the file is closed, and nothing is left in SQLite's log."""
    try:
        connection = _connected(path)
        try:
            yield from connection.execute(BETWEEN, (-1, 1 << 62))
        finally:
            connection.close()
    except FAILURES as error:
        raise meaning(error, path) from error
    _check_no_log(path)


def format_of(path: str) -> int:
    """The version of its format, from the head of the file, which SQLite does not touch later."""
    with open(path, "rb") as file:
        head = file.read(100)
    if len(head) < 100 or not head.startswith(b"SQLite format 3\0"):
        raise DamagedError("it is no database", path)
    return int.from_bytes(head[60:64], "big")


def checksum(number: int, data: bytes) -> int:
    """Of a group: the number counts, too, so that bytes at the wrong place are not taken for good ones."""
    return zlib.crc32(data, number & 0xFFFFFFFF)


def good(row: Row, version: int = FORMAT) -> bool:
    """Whether a row is as it was written.  In a damaged file anything may stand in place of the bytes."""
    number, recorded, data = row
    return isinstance(data, bytes) and recorded == (checksum(number, data) if version > 1 else zlib.crc32(data))


def meaning(error: Exception, path: str) -> RecrawlError:
    """What SQLite's error says about the folder."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(FULL):
        return StoreFullError(os.path.dirname(path))
    if name.startswith(IN_USE):
        return InUseError(os.path.dirname(path), "")
    return DamagedError(str(error), path)


def _connected(path: str) -> sqlite3.Connection:
    # Without isolation level each statement is a transaction: an append is one, and costs no BEGIN and no COMMIT.
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        for statement in TO_WRITE:
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def put_in_place(beside: str, path: str) -> None:
    """Have a closed file of SQLite on the disk, and give it its name."""
    _check_no_log(beside)
    descriptor = os.open(beside, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(beside, path)
    sync_folder(path)


def _check_no_log(path: str) -> None:
    """Closing moves SQLite's log into the file and deletes it, unless there is no room."""
    if os.path.exists(f"{path}-wal"):
        raise StoreFullError(os.path.dirname(path))
