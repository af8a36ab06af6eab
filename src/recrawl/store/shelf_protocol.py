"""What a shelf promises; both are held to it by one set of tests."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from recrawl.errors import InputError

Item = tuple[str, str, bytes | None]
"""Kind, key, and the bytes; None deletes."""


class AnyShelf(Protocol):
    """Durable small facts, by kind and key.  One process writes; its threads may share it."""

    def get(self, kind: str, key: str) -> bytes | None:
        """A fact, None where there is none."""

    def get_all(self, kind: str, keys: Iterable[str]) -> list[bytes | None]:
        """The facts of these keys, in their order."""

    def put(self, items: Iterable[Item]) -> None:
        """Keep facts, all or none; of two with one name the last counts.  They survive a crash when this returns."""

    def items(self, kind: str, after: str = "") -> Iterator[tuple[str, bytes]]:
        """The facts of a kind whose keys follow `after`, in order of key (by code point)."""

    def close(self) -> None:
        """Let others open it."""


def checked(items: Iterable[Item]) -> list[Item]:
    """The items, refused where one has no name or something other than bytes."""
    rows: list[Item] = []
    for item in items:
        kind, key, data = item
        if type(kind) is type(key) is str and kind and key and kind.isascii() and key.isascii() and type(data) is bytes:
            rows.append(item)  # as is usual
            continue
        for name, value in (("kind", kind), ("key", key)):
            if not isinstance(value, str) or not value:
                raise InputError(f"{name} must be a text that is not empty, got {value!r}", name)
            try:
                value.encode()
            except UnicodeEncodeError:
                raise InputError(f"{name} must be text that UTF-8 can spell, got {value!r}", name) from None
        if data is not None and not isinstance(data, bytes):
            raise InputError(f"a fact must be bytes or None, got {type(data).__name__}; encode it first", "items")
        rows.append((kind, key, data))
    return rows
