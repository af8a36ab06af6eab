"""A store that forgets everything when it goes: for tests, simulations, and frontiers that need no memory."""

import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from recrawl.errors import DataError, InputError, InUseError
from recrawl.store import journal_file, snapshot_file
from recrawl.store.copies import new_folder
from recrawl.store.history import USUAL_BYTES
from recrawl.store.protocol import Group, Parts

NAME = "the store in memory"


@dataclass
class _Content:
    groups: dict[int, bytes] = field(default_factory=dict)
    last: int = 0
    snapshot: tuple[int, dict[str, bytes]] | None = None
    past: dict[int, bytes] = field(default_factory=dict)
    """Groups that the snapshot stands for."""
    token: int = 0
    keep: bool = True
    changing: threading.Lock = field(default_factory=threading.Lock)
    """Held while a snapshot takes the place of groups, and by whoever needs both as of one moment."""


class MemoryStore:
    """The twin of the store on disk, without the disk."""

    def __init__(self, history_bytes: int = USUAL_BYTES, *, keep: bool = True) -> None:
        """`keep=False`: count groups and keep none, for who never reads them."""
        self._enter(_Content(keep=keep), history_bytes)

    def _enter(self, content: _Content, history_bytes: int) -> None:
        self._content = content
        self._history_bytes = history_bytes
        content.token += 1
        self._token = content.token
        self._closed = False
        self.notes: list[str] = []

    def reopened(self) -> "MemoryStore":
        """The same facts under a new writer; this one has lost its place."""
        other = MemoryStore.__new__(MemoryStore)
        other._enter(self._content, self._history_bytes)
        return other

    @property
    def last(self) -> int:
        """The number of the last group, 0 before the first."""
        return self._content.last

    def fence(self) -> int:
        """The token of this writer, higher than that of every one before; InUseError where it has lost its place."""
        if self._closed:
            raise InputError(f"{NAME} is closed; open it again")
        if self._content.token != self._token:
            raise InUseError(NAME, "")
        return self._token

    def append(self, data: bytes) -> int:
        """Keep a group; its number."""
        self.fence()
        if self._content.keep:
            self._content.groups[self._content.last + 1] = bytes(data)
        self._content.last += 1
        return self._content.last

    def cut(self) -> None:
        """Forget the last group, of which nobody was told."""
        self.fence()
        if self._content.last <= (self._content.snapshot[0] if self._content.snapshot else 0):
            raise InputError(f"{NAME} has no group to cut since its journal began")
        self._content.groups.pop(self._content.last, None)
        self._content.last -= 1

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number, in order."""
        for number in range(after + 1, self._content.last + 1):
            if number not in self._content.groups:
                raise DataError(f"group {number} is missing", NAME)
            yield Group(number, self._content.groups[number])

    def history(self) -> Iterator[Group]:
        """All groups that are still there, in order, also those that nobody needs since a snapshot stands for them."""
        with self._content.changing:
            whole = {**self._content.past, **self._content.groups}
        yield from (Group(number, data) for number, data in whole.items())

    def _trim(self) -> None:
        past = self._content.past
        left = sum(map(len, past.values())) - self._history_bytes
        while left > 0:
            left -= len(past.pop(next(iter(past))))

    def rotate(self) -> int:
        """The number of the last group: there is nothing to set apart."""
        self.fence()
        return self._content.last

    def snapshot(self, upto: int, parts: Parts) -> None:
        """Keep the state after group `upto`, and drop the groups up to it."""
        first = self._content.snapshot[0] if self._content.snapshot else 0
        if not first <= upto <= self._content.last:
            message = f"upto must be in [{first}, {self._content.last}], got {upto}"
            raise InputError(f"{message}; take what rotate() gives", "upto")
        whole: dict[str, bytes] = {}
        for name, data in parts:
            if name in whole:
                raise InputError(f"parts must have different names, got {name!r} twice", "parts")
            whole[name] = bytes(data)
        self.fence()
        with self._content.changing:
            self._content.snapshot = upto, whole
            for number in range(first + 1, upto + 1):
                if self._content.keep:
                    self._content.past[number] = self._content.groups.pop(number)
            self._trim()

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last snapshot."""
        return self._content.snapshot

    def backup(self, target: str | os.PathLike[str], upto: int) -> None:
        """Write snapshot and groups up to `upto` into a new folder, which a store on disk can open."""
        with self._content.changing:
            snapshot, groups = self._content.snapshot, self._content.groups.copy()
        first, parts = snapshot or (0, {})
        if not first <= upto <= self._content.last:
            raise InputError(f"upto must be what rotate() gave last, got {upto}", "upto")
        rows = ((n, journal_file.checksum(n, groups[n]), groups[n]) for n in range(first + 1, upto + 1))
        with new_folder(target) as folder:
            if snapshot:
                snapshot_file.write(folder.snapshot(first), first, parts.items())
            journal_file.create(folder.journal(first), rows)

    def close(self) -> None:
        """Nothing to let go of."""
        self._closed = True
