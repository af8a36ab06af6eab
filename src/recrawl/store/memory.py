"""A store that forgets everything when it goes: for tests, simulations, and frontiers that need no memory."""

from collections.abc import Iterable, Iterator, Mapping

from recrawl.store.protocol import Group


class MemoryStore:
    """The twin of the store on disk, without the disk."""

    def __init__(self) -> None:
        self._groups: dict[int, bytes] = {}
        self._last = 0
        self._snapshot: tuple[int, dict[str, bytes]] | None = None

    @property
    def last(self) -> int:
        """The number of the last group, 0 before the first."""
        return self._last

    def append(self, data: bytes) -> int:
        """Keep a group; its number."""
        self._last += 1
        self._groups[self._last] = bytes(data)
        return self._last

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number, in order."""
        for number in range(after + 1, self._last + 1):
            yield Group(number, self._groups[number])

    def snapshot(self, upto: int, parts: Iterable[tuple[str, bytes]]) -> None:
        """Keep the state after group `upto`, and drop the groups up to it."""
        whole = {name: bytes(data) for name, data in parts}
        self._snapshot = upto, whole
        for number in [n for n in self._groups if n <= upto]:
            del self._groups[number]

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last snapshot."""
        return self._snapshot

    def close(self) -> None:
        """Nothing to let go of."""
