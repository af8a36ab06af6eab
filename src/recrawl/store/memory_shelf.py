"""A shelf that forgets everything when it goes: for tests, simulations and crawls that need no memory."""

import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

from recrawl.errors import InputError
from recrawl.store.shelf_protocol import Item, checked

NAME = "the shelf in memory"


class MemoryShelf:
    """The twin of the shelf on disk, without the disk."""

    def __init__(self) -> None:
        self._facts: dict[str, dict[str, bytes]] = {}
        self._serving = threading.Lock()
        self._closed = False

    def reopened(self) -> "MemoryShelf":
        """The same facts, open again."""
        other = MemoryShelf()
        other._facts = self._facts
        return other

    def get(self, kind: str, key: str) -> bytes | None:
        """A fact, None where there is none."""
        return self.get_all(kind, (key,))[0]

    def get_all(self, kind: str, keys: Iterable[str]) -> list[bytes | None]:
        """The facts of these keys, in their order."""
        with self._serving:
            self._check_open()
            facts = self._facts.get(kind, {})
            return [facts.get(key) for key in keys]

    def put(self, items: Iterable[Item]) -> None:
        """Keep facts, all or none; None deletes."""
        rows = checked(items)
        with self._serving:
            self._check_open()
            for kind, key, data in rows:
                if data is None:
                    self._facts.get(kind, {}).pop(key, None)
                else:
                    self._facts.setdefault(kind, {})[key] = data

    def items(self, kind: str, after: str = "") -> Iterator[tuple[str, bytes]]:
        """The facts of a kind whose keys follow `after`, in order of key.  O(n log n)."""
        with self._serving:
            self._check_open()
            keys = sorted(self._facts.get(kind, {}))
        for key in keys[bisect_right(keys, after) :]:
            data = self.get(kind, key)
            if data is not None:
                yield key, data

    def close(self) -> None:
        """Nothing to let go of."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise InputError(f"{NAME} is closed; open it again")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
