r"""The feed of changes: a file of lines, each a change as JSON, that only grows.

Lines are numbered: ``id`` is 1, 2, 3, ... and stands first in its line, so that a place is found without reading all.
`append` has the lines on the disk before it returns.  A line that a crash cut short was never acknowledged; it is cut
when the feed is opened again.  Readers take whole lines only, and need no lock.

The beginning of the file may be cut off, at the end of a line, while nobody has it open; the last line must stay, for
the numbers go on from there.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO, Self

from recrawl.errors import DataError, InputError, InUseError
from recrawl.files.whole import sync_folder
from recrawl.store.room import room_for

KINDS = ("new", "changed", "gone", "moved")
FILE = "changes.ndjson"
_BLOCK_BYTES = 1 << 16
_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True)
class Change:
    """A page that is new, has changed, is gone, or has moved."""

    url: str
    time: float
    """When it was fetched, in seconds since 1970."""
    kind: str
    digest: str = ""
    """Of the body; empty where there is none."""
    previous: str = ""
    """The digest before."""
    status: int | None = None
    warc: tuple[str, int] | None = None
    """The file and the offset of the record."""
    moved_to: str = ""
    id: int = 0
    """Given by the feed."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}", "kind")

    def line(self, number: int) -> bytes:
        """As it stands in the feed, under that number."""
        fields: dict[str, Any] = {
            "id": number,
            "url": self.url,
            "time": self.time,
            "kind": self.kind,
            "digest": self.digest,
            "previous": self.previous,
            "status": self.status,
            "warc": {"file": self.warc[0], "offset": self.warc[1]} if self.warc else None,
        }
        if self.moved_to:
            fields["moved_to"] = self.moved_to
        return f"{_encoded(fields)}\n".encode()

    @classmethod
    def of_line(cls, line: bytes) -> "Change":
        """The change that a line tells of; what is not known here is passed over."""
        fields = json.loads(line)
        warc = fields.get("warc")
        return cls(
            fields["url"],
            fields["time"],
            fields["kind"],
            fields.get("digest") or "",
            fields.get("previous") or "",
            fields.get("status"),
            (warc["file"], warc["offset"]) if warc else None,
            fields.get("moved_to") or "",
            fields["id"],
        )


class Feed:
    """The feed, open for appending; one process at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(path)
        is_new = not os.path.exists(self.path)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        self._file = open(self.path, "a+b", buffering=0)  # noqa: SIM115 (kept open)
        self.notes: list[str] = []
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InUseError(self.path, "") from None
            if is_new:
                sync_folder(self.path)
            self._size = self._cut()
            self.last = _id_of(_last_line(self._file, self._size), self.path) if self._size else 0
        except BaseException:
            self._file.close()
            raise

    def append(self, changes: Sequence[Change]) -> list[int]:
        """Write changes; their ids.  When this returns, they survive a crash and loss of power.

        Raises StoreFullError where there is no room; nothing of them is left then, and the call may be repeated.
        """
        ids = list(range(self.last + 1, self.last + 1 + len(changes)))
        self.write(self.lines(changes))
        return ids

    def lines(self, changes: Sequence[Change]) -> list[bytes]:
        """The lines under which changes come next, for `write`."""
        return [change.line(number) for number, change in enumerate(changes, self.last + 1)]

    def write(self, lines: Sequence[bytes]) -> None:
        """Write what `lines` gave, before anything else is written; the same holds as for `append`."""
        if self._file.closed:
            raise InputError(f"{self.path} is closed; open it again")
        if not lines:
            return
        data = b"".join(lines)
        with room_for("more changes", self.path):
            try:
                _write(self._file, data)
                os.fsync(self._file.fileno())
            except BaseException:
                os.truncate(self._file.fileno(), self._size)
                raise
        self._size += len(data)
        self.last += len(lines)

    def close(self) -> None:
        """Let others open it."""
        self._file.close()

    def _cut(self) -> int:
        """Cut a last line that is not whole; the size then."""
        size = os.fstat(self._file.fileno()).st_size
        whole = _end_of_lines(self._file, size)
        if whole < size:
            os.truncate(self._file.fileno(), whole)
            os.fsync(self._file.fileno())
            self.notes.append(f"a torn line at the end of {self.path} was cut: {size - whole} bytes")
        return whole

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read(path: str | os.PathLike[str], since: int = 0) -> Iterator[Change]:
    """The changes after that id that there are now, in order."""
    for line in lines(path, since):
        yield Change.of_line(line)


def follow(path: str | os.PathLike[str], wait: Callable[[], object], since: int = 0) -> Iterator[Change]:
    """The changes after that id, and those to come.  `wait` is called when there is none; what it raises ends this."""
    for line in lines(path, since, wait):
        yield Change.of_line(line)


def lines(path: str | os.PathLike[str], since: int = 0, wait: Callable[[], object] | None = None) -> Iterator[bytes]:
    """The lines of the changes after that id, whole ones only; with `wait`, also those to come."""
    name = os.fspath(path)
    while not os.path.exists(name):
        if wait is None:
            return
        wait()
    with open(name, "rb") as file:
        at, is_past = place(file, since, name), False
        while True:
            file.seek(at)
            line = file.readline()
            if line.endswith(b"\n"):
                at += len(line)
                if is_past or _id_of(line, name) > since:  # ids may have been given as seen that are still to come
                    is_past = True
                    yield line
            elif wait is None:
                return
            else:  # the end, or a line that is being written: it is read from its beginning again
                wait()


def place(file: BinaryIO, since: int, name: str) -> int:
    """Where the first line after that id begins.  O(log n)."""
    low, high = 0, _end_of_lines(file, os.fstat(file.fileno()).st_size)
    while low < high:  # every line that begins before low is of an id up to `since`, none from high on is
        middle = (low + high) // 2
        begin = _line_begin(file, middle, low)
        file.seek(begin)
        line = file.readline()
        if _id_of(line, name) <= since:
            low = begin + len(line)
        else:
            high = begin
    return low


def _line_begin(file: BinaryIO, at: int, least: int) -> int:
    """Where the line begins that the byte at a place is of."""
    while at > least:
        begin = max(least, at - _BLOCK_BYTES)
        file.seek(begin)
        found = file.read(at - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        at = begin
    return least


def _end_of_lines(file: BinaryIO, size: int) -> int:
    """Where the last whole line ends."""
    return _line_begin(file, size, 0)


def _last_line(file: BinaryIO, size: int) -> bytes:
    file.seek(_line_begin(file, size - 1, 0))
    return file.readline()


def _id_of(line: bytes, path: str) -> int:
    try:
        return int(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError):
        begin = line[:60].decode(errors="replace")
        raise DataError(f"is damaged: no change stands in the line {begin!r}; take that line out", path) from None


def _write(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
