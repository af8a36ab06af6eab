"""The names of the files in a folder of a store.

``journal-N.db`` has the groups after N, ``snapshot-N`` the state after group N, ``lock`` is how one process keeps
others out.  Twelve digits, so that a listing by name is one by number.  ``history`` is a folder of journals that nobody
needs but who asks of the past.
"""

import os
import re
from contextlib import suppress

LOCK = "lock"
HISTORY = "history"
STEP_BYTES = 16 << 20
SQLITE_TAILS = ("-wal", "-shm", "-journal")
"""Ends of the files that SQLite keeps beside its own."""

_JOURNAL = re.compile(r"journal-(\d{12})\.db")
_SNAPSHOT = re.compile(r"snapshot-(\d{12})")
_BESIDE_JOURNAL = re.compile(r"(journal-\d{12}\.db)(?:-wal|-shm|-journal)")
_HALF_DONE = re.compile(r"\.?(?:journal|snapshot)-\d{12}.*\.tmp(?:-wal|-shm|-journal)?")


class Folder:
    """Paths in a folder, and what of each kind is there."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    @property
    def lock(self) -> str:
        """The file that the process at work holds locked."""
        return os.path.join(self.path, LOCK)

    @property
    def history(self) -> "Folder":
        """Where journals go that are no longer needed; it need not be there."""
        return Folder(os.path.join(self.path, HISTORY))

    def journal(self, begins: int) -> str:
        """The journal of the groups after that number."""
        return os.path.join(self.path, f"journal-{begins:012d}.db")

    def snapshot(self, upto: int) -> str:
        """The state after that group."""
        return os.path.join(self.path, f"snapshot-{upto:012d}")

    def journals(self) -> list[int]:
        """Where the journals begin, lowest first."""
        return self._numbers(_JOURNAL)

    def snapshots(self) -> list[int]:
        """The groups that snapshots stand at, lowest first."""
        return self._numbers(_SNAPSHOT)

    def half_done(self) -> list[str]:
        """Paths of what a crash left unfinished, or half deleted.  Files of other names are not ours to judge."""
        names = set(self._listed())
        left = [name for name in names if _HALF_DONE.fullmatch(name)]
        left += [name for name in names if (match := _BESIDE_JOURNAL.fullmatch(name)) and match[1] not in names]
        return [os.path.join(self.path, name) for name in sorted(left)]

    def strangers(self) -> list[str]:
        """Names that no store gives."""
        ours = (_JOURNAL, _SNAPSHOT, _HALF_DONE, _BESIDE_JOURNAL)
        names = [name for name in self._listed() if name not in (LOCK, HISTORY)]
        return [name for name in names if not any(p.fullmatch(name) for p in ours)]

    def journal_bytes(self, begins: int) -> int:
        """The size of a journal, with SQLite's log beside it."""
        path = self.journal(begins)
        return sum(os.path.getsize(path + tail) for tail in ("", "-wal") if os.path.exists(path + tail))

    def _listed(self) -> list[str]:
        try:
            return sorted(os.listdir(self.path))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _numbers(self, pattern: re.Pattern[str]) -> list[int]:
        return [int(match[1]) for name in self._listed() if (match := pattern.fullmatch(name))]


def remove_journal(path: str) -> None:
    """Delete a journal with the files that SQLite may have left beside it.

    The journal goes first: what is beside it says nothing without it, and a crash in between is easy to recognise.
    """
    with suppress(FileNotFoundError):
        remove_in_steps(path)
    for tail in SQLITE_TAILS:
        with suppress(FileNotFoundError):
            os.unlink(path + tail)


def remove_in_steps(path: str) -> None:
    """Delete a large file bit by bit: freed at once, it would hold up others that sync for long.

    It loses its name first, so that a crash in between leaves no file that looks whole.
    """
    doomed = f"{path}.tmp"
    os.replace(path, doomed)
    for size in range(os.path.getsize(doomed), 0, -STEP_BYTES):
        os.truncate(doomed, size)
    os.unlink(doomed)
