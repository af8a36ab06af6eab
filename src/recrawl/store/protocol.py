"""What a store promises; every store is held to it by one set of tests.

A *group* is what was decided to be written together: bytes, numbered 1, 2, 3, ... without gaps.  A *snapshot* is the
state after group n, as named parts; from then on groups up to n are no longer needed.

Two threads may share a store.  One *appends*: it alone calls `append`, `rotate`, `read` and `close`.  The other *writes
snapshots and backups*, which take long: the first calls `upto = store.rotate()`, hands the number over, and goes on.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Group(NamedTuple):
    """One entry of the journal."""

    number: int
    data: bytes


Parts: TypeAlias = "Iterable[tuple[str, ReadableBuffer]]"
"""Names, each once, and bytes or anything that has bytes, such as an array."""


class Store(Protocol):
    """A journal and the last snapshots of one frontier.

    One writer at a time.  A second one is refused when it opens, or takes the place of the first, as the store has it;
    either way at most one can write.
    """

    notes: list[str]
    """What was done on opening that an operator should know of: an older format upgraded, a torn group cut."""

    @property
    def last(self) -> int:
        """The number of the last group, 0 before the first."""

    def fence(self) -> int:
        """The token of this writer, higher than that of every one before it.

        Raises InUseError where it has lost its place.  From then on `append`, `rotate` and `snapshot` raise it, too,
        and write nothing.
        """

    def append(self, data: bytes) -> int:
        """Write a group; its number.  When this returns, the group survives a crash and loss of power.

        Raises StoreFullError where there is no room; what was written before is safe, and the call may be repeated.
        """

    def cut(self) -> None:
        """Forget the last group, of which nobody was told.

        Raises InputError where it is no longer apart: after `rotate`, and where a snapshot stands for it.
        """

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number, in order.  Raises DataError where one is damaged or missing."""

    def history(self) -> Iterator[Group]:
        """All groups that are still there, in order, also those that nobody needs since a snapshot stands for them.

        How far they reach back is for the store to say.  Where something is damaged there is a gap in the numbers, and
        `notes` names it.
        """

    def rotate(self) -> int:
        """Let the groups to come go apart from those before; the number of the last before.  Takes a few milliseconds.

        Then those before can be dropped when there is a snapshot, or copied, without a stall.
        """

    def snapshot(self, upto: int, parts: Parts) -> None:
        """Keep the state after group `upto`, and drop what is superfluous then.

        For a thread of its own: groups may be appended meanwhile, and `parts` may wait for what it yields.  Until the
        snapshot is whole the one before, and the groups after that one, are what counts; where `parts` raises or there
        is no room (StoreFullError), it stays so and nothing is left of the new one.
        """

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last whole snapshot, with the number of the group it stands at; None where there is none."""

    def backup(self, target: str | os.PathLike[str], upto: int) -> None:
        """Copy snapshot and groups up to `upto`, the number that `rotate` gave, into a new folder.

        For a thread of its own, like `snapshot`.  Raises InputError where the target is there and not empty.
        """

    def close(self) -> None:
        """Let others open it."""
