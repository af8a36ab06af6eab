"""The state that a store holds: the last snapshot, and the facts since."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from recrawl.errors import DataError, InputError
from recrawl.frontier.facts import Fact, decode
from recrawl.frontier.settings import Settings
from recrawl.frontier.snapshot import load
from recrawl.frontier.state import State
from recrawl.store import Group


class Readable(Protocol):
    """A store, as far as one reads from it."""

    notes: list[str]

    @property
    def last(self) -> int:
        """The number of the last group."""

    def latest(self) -> tuple[int, Mapping[str, bytes]] | None:
        """The last snapshot, with the number of the group it stands at."""

    def read(self, after: int) -> Iterator[Group]:
        """The groups after that number."""


class Rebuilt(NamedTuple):
    """The state, the bytes of the facts since the snapshot, and the number of the last group that it holds."""

    state: State
    size: int
    upto: int


class _RefusedError(Exception):
    """A group that the state refuses."""

    def __init__(self, number: int, reason: InputError) -> None:
        super().__init__(number, reason)
        self.number, self.reason = number, reason


def rebuilt(store: Readable) -> Rebuilt:
    """What a store holds.  Some microseconds a fact.

    A last group that the state refuses is left out, with a word in the store's notes: the call that wrote it failed, so
    nobody was told that it was done.
    """
    try:
        return _rebuilt(store, store.last)
    except _RefusedError as refused:
        if refused.number < store.last:
            message = f"group {refused.number} cannot have happened: {refused.reason}; recrawl check says what is whole"
            raise DataError(message, "the journal") from refused.reason
        store.notes.append(f"the last group, {refused.number}, was left out: {refused.reason}")
        return _rebuilt(store, refused.number - 1)


def _rebuilt(store: Readable, upto: int) -> Rebuilt:
    latest = store.latest()
    state, after = (None, 0) if latest is None else (load(latest[1]), latest[0])
    size = 0
    for group in store.read(after):
        if group.number > upto:
            break
        size += len(group.data)
        for fact in decode(group.data):
            if fact.kind == "begin":
                state = State(Settings.from_plain(fact.fields["settings"]), fact.now)
            elif state is not None:
                _apply(state, fact, group.number)
    if state is None:
        raise DataError(
            "has no beginning: the first entry is missing; recrawl check says what can be saved", "the journal"
        )
    return Rebuilt(state, size, upto)


def _apply(state: State, fact: Fact, number: int) -> None:
    try:
        state.apply(fact)
    except DataError:
        raise
    except InputError as reason:
        raise _RefusedError(number, reason) from reason
