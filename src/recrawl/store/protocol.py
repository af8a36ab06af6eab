"""What a store promises; every store is held to it by one set of tests.

A *group* is what was decided to be written together: bytes, numbered 1, 2, 3, ... without gaps.  A *snapshot* is the
state after group n, as named parts; from then on groups up to n are no longer needed.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol


class Group(NamedTuple):
    """One entry of the journal."""

    number: int
    data: bytes


class Store(Protocol):
    """A journal and the last snapshot of one frontier.  One writer at a time: a second one is refused when it opens."""

    @property
    def last(self) -> int:
        """The number of the last group, 0 before the first."""

    def append(self, data: bytes) -> int:
        """Write a group; its number.  When this returns, the group survives a crash and loss of power.

        Raises StoreFullError where there is no room; what was written before is safe, and the call may be repeated.
        """

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number, in order.  Raises DataError where one is damaged or missing."""

    def snapshot(self, upto: int, parts: Iterable[tuple[str, bytes]]) -> None:
        """Keep the state after group `upto`.  Groups may be appended while `parts` is still being produced.

        Until it is whole the snapshot before, and the groups after that one, are what counts.
        """

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last whole snapshot, with the number of the group it stands at; None where there is none."""

    def close(self) -> None:
        """Let others open it."""
