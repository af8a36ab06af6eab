"""The file of a shelf: a SQLite table with a row for each fact.  Only this and journal_file.py speak SQL.

A row is kind, key, a CRC-32 of both and of the bytes, and the bytes.
"""

import os
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, groupby
from urllib.parse import quote

from recrawl.errors import DataError, InUseError, RecrawlError, StoreFullError
from recrawl.store import wal
from recrawl.store.damage import other_format
from recrawl.store.folder import remove_journal
from recrawl.store.journal_file import FAILURES, FULL, IN_USE, format_of, put_in_place
from recrawl.store.shelf_protocol import Item

FORMAT = 1

CREATE = "CREATE TABLE facts (kind TEXT NOT NULL, key TEXT NOT NULL, checksum INTEGER, data BLOB, UNIQUE (kind, key))"
SET_FORMAT = f"PRAGMA user_version = {FORMAT}"
GET = "SELECT key, checksum, data FROM facts WHERE kind = ? AND key IN ({})"
AFTER = "SELECT key, checksum, data FROM facts WHERE kind = ? AND key > ? ORDER BY key LIMIT ?"
PUT = (
    "INSERT INTO facts (kind, key, checksum, data) VALUES {} "
    "ON CONFLICT (kind, key) DO UPDATE SET checksum = excluded.checksum, data = excluded.data"
)
PUT_ONE = PUT.format("(?, ?, ?, ?)")
DELETE = "DELETE FROM facts WHERE kind = ? AND key = ?"
TOGETHER = 32
"""Rows that one statement puts: for each statement the other threads of Python get a turn, and this one waits."""
MOST_BYTES_TOGETHER = 1 << 20
"""Beyond that, rows are put one by one: SQLite has a copy of each row of a statement."""
PUT_TOGETHER = PUT.format(", ".join(["(?, ?, ?, ?)"] * TOGETHER))
TO_WRITE = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA journal_size_limit = 67108864")

Row = tuple[str, int, bytes]
"""Key, checksum, bytes."""


def connected(path: str) -> sqlite3.Connection:
    """A connection for the one process that writes; it is made where there is no file.

    Others may read meanwhile, for which SQLite keeps a small file in shared memory beside it.  Where the disk is too
    full for that, nobody else reads.
    """
    if not os.path.exists(path):
        _create(path)
    if (version := format_of_shelf(path)) != FORMAT:
        raise other_format(version, FORMAT, path)
    tail = wal.tail(path)
    if not tail.head_is_good or tail.commits > 1:
        raise damaged("what was written last cannot be read in its log", path)
    try:
        return _connected(path, TO_WRITE)
    except FAILURES as error:
        if not isinstance(meaning(error, path), StoreFullError):
            raise meaning(error, path) from error
    try:
        return _connected(path, ("PRAGMA locking_mode = EXCLUSIVE", *TO_WRITE))
    except FAILURES as error:
        raise meaning(error, path) from error


def connected_to_read(path: str) -> sqlite3.Connection:
    """A connection that changes nothing, also while a process writes."""
    if not os.path.exists(path):
        raise DataError("is not there: nothing has been kept yet", path)
    if (version := format_of_shelf(path)) != FORMAT:
        raise other_format(version, FORMAT, path)
    uri = f"file:{quote(os.path.abspath(path))}?{_reading_mode(path)}"
    try:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        if "unix-none" in uri:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    except FAILURES as error:
        raise meaning(error, path) from error
    return connection


def _reading_mode(path: str) -> str:
    """Without a log nothing is shared with a writer; with one, and no shared memory beside it, it is a copy."""
    if not os.path.exists(f"{path}-wal"):
        return "immutable=1"
    return "mode=ro" if os.path.exists(f"{path}-shm") else "mode=ro&vfs=unix-none"


def format_of_shelf(path: str) -> int:
    """The version of its format; an error that names the file where it is none of ours."""
    try:
        return format_of(path)
    except DataError as error:
        raise damaged("it is no database", path) from error


def write(connection: sqlite3.Connection, rows: Sequence[Item], path: str) -> None:
    """All of it or nothing, on the disk when this returns."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for deletes, some in groupby(rows, key=_deletes):  # their order counts
                if deletes:
                    connection.executemany(DELETE, ((kind, key) for kind, key, _ in some))
                else:
                    _put(connection, list(some))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                with suppress(sqlite3.Error):  # SQLite has done so by itself where the disk is full
                    connection.execute("ROLLBACK")
            raise
    except FAILURES as error:
        raise meaning(error, path) from error


def _put(connection: sqlite3.Connection, items: list[Item]) -> None:
    for k in range(0, len(items), TOGETHER):
        some = list(map(_row, items[k : k + TOGETHER]))
        if len(some) == TOGETHER and sum([len(row[3]) for row in some]) <= MOST_BYTES_TOGETHER:
            connection.execute(PUT_TOGETHER, list(chain.from_iterable(some)))
        else:
            connection.executemany(PUT_ONE, some)


def get(n: int) -> str:
    """The statement that finds n keys of a kind."""
    return GET.format(", ".join("?" * n))


def _deletes(item: Item) -> bool:
    return item[2] is None


def _row(item: Item) -> tuple[str, str, int, bytes]:
    kind, key, data = item
    assert data is not None
    return kind, key, checksum(kind, key, data), data


def read(connection: sqlite3.Connection, statement: str, values: tuple[object, ...], path: str) -> list[Row]:
    """The rows of a query, each checked; the first of the values is their kind."""
    try:
        rows: list[Row] = connection.execute(statement, values).fetchall()
    except FAILURES as error:
        raise meaning(error, path) from error
    for key, recorded, data in rows:
        if not isinstance(data, bytes) or recorded != checksum(str(values[0]), key, data):
            raise damaged(f"the checksum of {values[0]} {key!r} does not match", path)
    return rows


def checksum(kind: str, key: str, data: bytes) -> int:
    """Of a fact: its name counts, too, so that bytes at the wrong place are not taken for good ones."""
    return zlib.crc32(data, zlib.crc32(f"{kind}\n{key}".encode()))


def damaged(what: str, path: str) -> DataError:
    """The error for a file that is not as it was written."""
    remedy = "put a copy in its place, or move it away: pages then count as never seen by the comparison"
    return DataError(f"is damaged: {what}; {remedy}", path)


def meaning(error: Exception, path: str) -> RecrawlError:
    """What SQLite's error says about the shelf."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(FULL):
        return StoreFullError(os.path.dirname(path))
    if name.startswith(IN_USE):
        return InUseError(os.path.dirname(path), "")
    return damaged(str(error), path)


def _connected(path: str, statements: Sequence[str]) -> sqlite3.Connection:
    # A reader may be putting the log in order; another writer there is none.
    connection = sqlite3.connect(path, timeout=5.0, isolation_level=None, check_same_thread=False)
    try:
        for statement in statements:
            connection.execute(statement)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: str) -> None:
    """A new file, which gets its name when it is whole."""
    beside = f"{path}.tmp"
    try:
        remove_journal(beside)
        connection = _connected(beside, ("PRAGMA synchronous = OFF", "BEGIN", CREATE, SET_FORMAT, "COMMIT"))
        connection.close()
        put_in_place(beside, path)
    except FAILURES as error:
        raise meaning(error, path) from error
    except OSError as error:
        raise StoreFullError(os.path.dirname(path)) from error
    finally:
        with suppress(OSError):
            remove_journal(beside)
