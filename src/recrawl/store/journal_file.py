"""One file of the journal: a SQLite table with a row for each group.  The only module that speaks SQL.

A row is its group's number, a CRC-32 and the bytes.  One connection a file, used by one thread at a time, for several
can hit a bug of older SQLites; `locking_mode=EXCLUSIVE`, without which a folder on a full disk could not be opened
again.
"""

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import suppress

from recrawl.errors import DataError, InputError, InUseError, RecrawlError, StoreFullError
from recrawl.files.whole import sync_folder
from recrawl.store.folder import remove_journal
from recrawl.store.protocol import Group

FORMAT = 1

CREATE = "CREATE TABLE groups (number INTEGER PRIMARY KEY, checksum INTEGER, data BLOB)"
APPEND = "INSERT INTO groups (number, checksum, data) VALUES (?, ?, ?)"
LAST = "SELECT max(number) FROM groups"
BETWEEN = "SELECT number, checksum, data FROM groups WHERE number > ? AND number <= ? ORDER BY number"
SET_FORMAT = f"PRAGMA user_version = {FORMAT}"
GET_FORMAT = "PRAGMA user_version"

_FULL = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")
_IN_USE = ("SQLITE_BUSY", "SQLITE_LOCKED")


class JournalFile:
    """A journal file, open for appending and reading."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._connection = _connected(path)
            try:
                self._check_format()
            except BaseException:
                self._connection.close()
                raise
        except sqlite3.Error as error:
            raise meaning(error, path) from error

    def _check_format(self) -> None:
        version = self._connection.execute(GET_FORMAT).fetchone()[0]
        if version != FORMAT:
            other = "newer" if version > FORMAT else "older"
            raise DataError(f"was written by {other} recrawl (format {version}, this one reads {FORMAT})", self.path)

    def append(self, number: int, data: bytes) -> None:
        """Write a group: a transaction by itself, on the disk when this returns."""
        try:
            self._connection.execute(APPEND, (number, checksum(number, data), data))
        except sqlite3.DataError as error:
            raise InputError(f"a group must be smaller than 1 GB, got {len(data):,} bytes", "data") from error
        except sqlite3.Error as error:
            raise meaning(error, self.path) from error

    def last(self) -> int | None:
        """The number of its last group, None where it is empty."""
        try:
            number: int | None = self._connection.execute(LAST).fetchone()[0]
        except sqlite3.Error as error:
            raise meaning(error, self.path) from error
        return number

    def groups(self, after: int, upto: int) -> Iterator[Group]:
        """Those of its groups in between, in order; a DataError at the first that is damaged or missing."""
        expected: int | None = None
        try:
            for number, recorded, data in self._connection.execute(BETWEEN, (after, upto)):
                if expected not in (None, number):
                    raise DataError(f"is damaged: group {expected} is missing", self.path)
                if not isinstance(data, bytes) or checksum(number, data) != recorded:
                    raise DataError(f"is damaged: the checksum of group {number} does not match", self.path)
                yield Group(number, data)
                expected = number + 1
        except sqlite3.Error as error:
            raise meaning(error, self.path) from error

    def close(self) -> None:
        """Move what is in SQLite's log into the file, and let go of it.  Takes long: up to 100 ms."""
        self._connection.close()


def create(path: str) -> None:
    """An empty journal file, which gets its name when it is whole.

    SQLite would sync at each step; here that is done once, at the end.
    """
    beside = f"{path}.tmp"
    try:
        connection = _connected(beside)
        try:
            for statement in ("PRAGMA synchronous = OFF", "BEGIN", CREATE, SET_FORMAT, "COMMIT"):
                connection.execute(statement)
        finally:
            connection.close()
        if os.path.exists(f"{beside}-wal"):  # closing could not move it into the file
            raise StoreFullError(os.path.dirname(path))
        _put(beside, path)
    except sqlite3.Error as error:
        raise meaning(error, path) from error
    except OSError as error:
        raise StoreFullError(os.path.dirname(path)) from error
    finally:
        with suppress(OSError):
            remove_journal(beside)


def checksum(number: int, data: bytes) -> int:  # noqa: ARG001
    """Of a group's bytes."""
    return zlib.crc32(data)


def meaning(error: sqlite3.Error, path: str) -> RecrawlError:
    """What SQLite's error says about the folder."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(_FULL):
        return StoreFullError(os.path.dirname(path))
    if name.startswith(_IN_USE):
        return InUseError(os.path.dirname(path), "")
    return DataError(f"is damaged: {error}", path)


def _connected(path: str) -> sqlite3.Connection:
    # Without isolation level each statement is a transaction: an append is one, and costs no BEGIN and no COMMIT.
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        for setting in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def _put(beside: str, path: str) -> None:
    descriptor = os.open(beside, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(beside, path)
    sync_folder(path)
