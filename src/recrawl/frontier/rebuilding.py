"""The state that a store holds: the last snapshot, and the facts since."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from recrawl.errors import DataError
from recrawl.frontier.facts import decode
from recrawl.frontier.settings import Settings
from recrawl.frontier.snapshot import load
from recrawl.frontier.state import State
from recrawl.store import Group


class Readable(Protocol):
    """A store, as far as one reads from it."""

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last snapshot, with the number of the group it stands at."""

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number."""


def rebuilt(store: Readable) -> tuple[State, int]:
    """The state, and the bytes of the facts since the snapshot.  Some microseconds a fact."""
    latest = store.latest()
    state, after = (None, 0) if latest is None else (load(latest[1]), latest[0])
    size = 0
    for group in store.read(after):
        size += len(group.data)
        for fact in decode(group.data):
            if fact.kind == "begin":
                state = State(Settings.from_plain(fact.fields["settings"]), fact.now)
            elif state is not None:
                state.apply(fact)
    if state is None:
        raise DataError(
            "has no beginning: the first entry is missing; recrawl check says what can be saved", "the journal"
        )
    return state, size
