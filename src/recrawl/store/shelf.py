"""A shelf in a folder: durable small facts by kind and key, such as validators, digests, versions and positions.

Theory of operation
-------------------
1. `put` is one transaction of SQLite with a synced log: all of it or nothing, and on the disk before it returns.
2. One process writes (place.py); others may read meanwhile, with `read_only=True`.
3. Each fact has a checksum.  What is damaged is refused by name, never handed out.
4. Any thread may call; one at a time is served.
"""

import os
import threading
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

from recrawl.errors import InputError
from recrawl.store import shelf_file
from recrawl.store.folder import Folder
from recrawl.store.place import Place
from recrawl.store.shelf_protocol import Item, checked

FILE = "facts.db"
AT_ONCE = 64
"""Facts that are read at once: few, since versions of pages can be large."""


class Shelf:
    """Facts in a folder, which is made where there is none.

    With `read_only` nothing is changed, and a process may have it open for writing meanwhile.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = os.fspath(path)
        self._file = os.path.join(self.path, FILE)
        self._serving = threading.Lock()
        self._closed = False
        self._place: Place | None = None
        if read_only:
            self._connection = shelf_file.connected_to_read(self._file)
            return
        os.makedirs(self.path, exist_ok=True)
        self._place = Place(Folder(self.path))
        try:
            self._connection = shelf_file.connected(self._file)
        except BaseException:
            self._place.leave()
            raise

    def get(self, kind: str, key: str) -> bytes | None:
        """A fact, None where there is none.  O(log n)."""
        return self.get_all(kind, (key,))[0]

    def get_all(self, kind: str, keys: Iterable[str]) -> list[bytes | None]:
        """The facts of these keys, in their order.  O(log n) each."""
        wanted = list(keys)
        found: dict[str, bytes] = {}
        with self._serving:
            self._check_open()
            for k in range(0, len(wanted), AT_ONCE):
                some = wanted[k : k + AT_ONCE]
                rows = shelf_file.read(self._connection, shelf_file.get(len(some)), (kind, *some), self._file)
                found.update((key, data) for key, _, data in rows)
        return [found.get(key) for key in wanted]

    def put(self, items: Iterable[Item]) -> None:
        """Keep facts, all or none; None deletes.  When this returns, they survive a crash and loss of power.

        Raises StoreFullError where there is no room; what was there before is safe, and the call may be repeated.
        O(log n) each, and a sync of the disk.
        """
        rows = checked(items)
        with self._serving:
            self._check_open()
            if self._place is None:
                raise InputError(f"{self.path} is open for reading only; open it without read_only to put facts")
            self._place.check()
            if rows:
                shelf_file.write(self._connection, rows, self._file)

    def items(self, kind: str, after: str = "") -> Iterator[tuple[str, bytes]]:
        """The facts of a kind whose keys follow `after`, in order of key; facts may be put meanwhile."""
        while True:
            with self._serving:
                self._check_open()
                rows = shelf_file.read(self._connection, shelf_file.AFTER, (kind, after, AT_ONCE), self._file)
            for key, _, data in rows:
                yield key, data
            if len(rows) < AT_ONCE:
                return
            after = rows[-1][0]

    def close(self) -> None:
        """Let others open it.  Whatever was put is safe, closed or not."""
        with self._serving:
            if not self._closed:
                self._closed = True
                self._connection.close()
                if self._place is not None:
                    self._place.leave()

    def _check_open(self) -> None:
        if self._closed:
            raise InputError(f"{self.path} is closed; open it again")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
