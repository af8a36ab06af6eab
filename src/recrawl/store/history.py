"""Journals that no snapshot needs any more, kept for those who ask what was, up to so many bytes.

They lie in a folder of their own.  Opening, checking and backups never look at them, so that one that is damaged or
deleted harms nobody: it is named when the past is read, and what it held is left out.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

from recrawl.errors import DataError
from recrawl.store.damage import DamagedError
from recrawl.store.folder import SQLITE_TAILS, Folder, remove_journal
from recrawl.store.journal_file import JournalFile, JournalReader
from recrawl.store.protocol import Group

USUAL_BYTES = 256_000_000


def put_away(folder: Folder, begins: int) -> None:
    """Move a journal that nobody will write into any more to the history.

    What SQLite left beside it goes first: where a crash comes in between, the journal is still one that nobody needs.
    """
    os.makedirs(folder.history.path, exist_ok=True)
    for tail in (*SQLITE_TAILS, ""):
        with suppress(FileNotFoundError):
            os.replace(folder.journal(begins) + tail, folder.history.journal(begins) + tail)


def trim(folder: Folder, most_bytes: int) -> None:
    """Delete the oldest journals of the history until it has no more than that many bytes."""
    history = folder.history
    for path in history.half_done():
        os.unlink(path)
    left = most_bytes
    for begins in reversed(history.journals()):
        left -= history.journal_bytes(begins)
        if left < 0:
            remove_journal(history.journal(begins))


def kept(folder: Folder, upto: int, notes: list[str], newest: JournalFile | None = None) -> Iterator[Group]:
    """The groups up to that number that are still there, in order; a gap in the numbers where some are not.

    `newest` is the journal that is open for appending, which must not be opened a second time.  What cannot be read is
    named in `notes`.
    """
    begun = sorted({*folder.history.journals(), *folder.journals()})
    for begins, ends in pairwise([*begun, upto]):
        path = folder.journal(begins)
        try:
            if newest is not None and newest.path == path:
                yield from newest.groups(begins, upto)
            else:
                yield from _readable(folder, begins, ends, notes)
        except DataError as error:
            _name(notes, error)


def _readable(folder: Folder, begins: int, ends: int, notes: list[str]) -> Iterator[Group]:
    reader = _opened(folder, begins)
    if reader is None:  # dropped meanwhile
        return
    try:
        for number, data in reader.rows(begins, ends):
            if data is None:
                _name(notes, DamagedError(f"group {number} cannot be read", reader.path))
            else:
                yield Group(number, data)
        if reader.is_broken:
            _name(notes, DamagedError("not all of it can be read", reader.path))
    finally:
        reader.close()


def _opened(folder: Folder, begins: int) -> JournalReader | None:
    """A journal, wherever it is; it may move to the history while one looks for it."""
    for place in (folder, folder.history):
        path = place.journal(begins)
        try:
            return JournalReader(path)
        except FileNotFoundError:
            continue
        except DataError:
            if os.path.exists(path):
                raise
    return None


def _name(notes: list[str], error: DataError) -> None:
    what = error.what if isinstance(error, DamagedError) else error.message
    note = f"the past is not whole: {os.path.basename(error.path)}: {what}"
    if note not in notes:
        notes.append(note)
