"""Writes WARC files.

Theory of operation
-------------------
1. Each record is a gzip member of its own.  The records of one exchange are handed to the system in one write before
   `append` returns: a killed process loses none of them.  `sync` has them on the disk, for who must survive a loss of
   power; the writer does so by itself every few megabytes, and when a file is full.
2. Only the last file changes.  It ends with its first record beyond `max_bytes`, and is never touched again.
3. On opening, a tail that is no whole record is cut from the last file, and writing goes on there.
4. One process at a time has a folder: the folder itself is locked, and the system drops the lock with the process.
5. A response that says "not modified", or has the same payload as the one before, becomes a *revisit* record, which
   refers to the record that has the payload.
"""

import fcntl
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from recrawl.clock import SystemClock
from recrawl.errors import InputError, InUseError
from recrawl.files.whole import sync_folder
from recrawl.outputs.warc import files, http_head, records
from recrawl.outputs.warc.member import member
from recrawl.outputs.warc.records import Field
from recrawl.store.room import room_for

SYNC_BYTES = 16 << 20
TRUNCATED = ("", "length", "time", "disconnect", "unspecified")


class Clock(Protocol):
    """Says when a file began."""

    def wall(self) -> float:
        """Seconds since 1970."""


@dataclass(frozen=True)
class Original:
    """The record that holds a payload, as later ones refer to it.  Keep it with the page."""

    url: str
    date: str
    digest: str
    """Of the payload as it was transferred, still content-encoded."""
    record: str
    """The record's id."""


class Written(NamedTuple):
    """Where an exchange was written to."""

    file: str
    """The name of the file, without its folder."""
    offset: int
    """Of the response or revisit record."""
    kind: str
    """response or revisit."""
    original: Original | None
    """The record that holds the payload now: to be given back as `before` next time.  None where none does."""


class Writer:
    """Writes the exchanges of a crawl into WARC files of a folder, which is made where there is none."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        prefix: str = "recrawl",
        max_bytes: int = 1 << 30,
        software: str = "recrawl",
        clock: Clock | None = None,
        info: Mapping[str, str] | None = None,
        level: int = 6,
        ids: Callable[[], object] = uuid.uuid4,
    ) -> None:
        """`info`: more fields of the record that begins each file, such as operator and http-header-user-agent.

        `level` is of gzip, 1 to 9.
        """
        files.check_prefix(prefix)
        if max_bytes < 1:
            raise InputError(f"max_bytes must be positive, got {max_bytes}; 1 << 30 is usual", "max_bytes")
        self.folder = os.path.abspath(folder)
        self._prefix, self._max_bytes, self._software = prefix, max_bytes, software
        self._clock: Clock = clock or SystemClock()
        self._info, self._level, self._ids = dict(info or {}), level, ids
        self.notes: list[str] = []
        self._file: int | None = None
        self._number, self._name, self._size, self._unsynced = 0, "", 0, 0
        os.makedirs(self.folder, exist_ok=True)
        self._lock = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InUseError(self.folder, "") from None
            self._open_last()
        except BaseException:
            os.close(self._lock)
            raise

    def append(
        self,
        url: str,
        date: float,
        request_head: bytes,
        response_head: bytes,
        payload: bytes,
        *,
        decoded: bytes | None = None,
        ip: str = "",
        before: Original | None = None,
        truncated: str = "",
        metadata: Sequence[Field] = (),
    ) -> Written:
        """Write an exchange: the response or a revisit of `before`, the request, and metadata where there are some.

        `payload` is as it was transferred: without chunks, and still content-encoded.  `decoded` is the same without
        its content coding, and is stored in its place where the coding is one that not every reader knows, such as br.
        `date` is in seconds since 1970.  `truncated` says why the payload is not whole: length, time, disconnect or
        unspecified.  An empty `request_head` leaves the request out.

        Raises StoreFullError where there is no room; nothing of it is left then, and the call may be repeated.
        """
        if truncated not in TRUNCATED:
            raise InputError(f"truncated must be one of {', '.join(TRUNCATED[1:])}, got {truncated!r}", "truncated")
        when = records.date_of(date)
        is_decoded = decoded is not None and not http_head.is_for_all(response_head)
        payload = decoded if decoded is not None and is_decoded else payload
        head = _stored_head(response_head, payload, is_decoded)
        place: list[Field] = [("WARC-Target-URI", url)] + ([("WARC-IP-Address", ip)] if ip else [])
        identity, kind, data, original = self._answer(url, when, place, head, payload, before, truncated)
        data = self._packed(data)
        beside: list[Field] = [*place, ("WARC-Concurrent-To", f"<{identity}>")]
        if request_head:
            block = http_head.as_received(request_head)
            data += self._packed(records.record("request", self._id(), when, block, beside, records.REQUEST))
        if metadata:
            block = records.warc_fields(metadata)
            fields = [("WARC-Target-URI", url), ("WARC-Concurrent-To", f"<{identity}>")]
            data += self._packed(records.record("metadata", self._id(), when, block, fields, records.FIELDS))
        file, offset = self._write(data)
        return Written(file, offset, kind, original)

    def sync(self) -> None:
        """Have all that was appended on the disk."""
        if self._file is not None and self._unsynced:
            with room_for("more records", self.folder):
                os.fsync(self._file)
            self._unsynced = 0

    def close(self) -> None:
        """Sync, and let others open it."""
        if self._lock >= 0:
            try:
                self._end_file()
            finally:
                os.close(self._lock)
                self._lock = -1

    def _answer(
        self,
        url: str,
        when: str,
        place: list[Field],
        head: bytes,
        payload: bytes,
        before: Original | None,
        truncated: str,
    ) -> tuple[str, str, bytes, Original | None]:
        """The id, the kind and the bytes of the record of an answer, and where its payload is."""
        identity, is_304 = self._id(), http_head.status_of(head) == 304
        fields = [*place]
        if is_304 and before is not None:
            fields += _reference(before, records.NOT_MODIFIED)
            return identity, "revisit", self._revisit(identity, when, head, fields), before
        digest = records.digest(payload)
        if before is not None and payload and digest == before.digest and not truncated:
            fields += _reference(before, records.IDENTICAL)
            return identity, "revisit", self._revisit(identity, when, head, fields), before
        fields += [("WARC-Payload-Digest", digest)] + ([("WARC-Truncated", truncated)] if truncated else [])
        data = records.record("response", identity, when, head + payload, fields, records.RESPONSE)
        holds = bool(payload) and not truncated and not is_304
        return identity, "response", data, Original(url, when, digest, identity) if holds else None

    def _revisit(self, identity: str, when: str, head: bytes, fields: list[Field]) -> bytes:
        return records.record("revisit", identity, when, head, fields, records.RESPONSE)

    def _id(self) -> str:
        return f"urn:uuid:{self._ids()}"

    def _packed(self, record: bytes) -> bytes:
        return member(record, self._level)

    def _open_last(self) -> None:
        found = files.listed(self.folder, self._prefix)
        if not found:
            return
        self._number, self._name = found[-1]
        path = os.path.join(self.folder, self._name)
        size, whole = os.path.getsize(path), files.whole_bytes(path)
        if whole < size:
            os.truncate(path, whole)
            self.notes.append(f"a torn record at the end of {self._name} was cut: {size - whole:,} bytes")
        if whole < self._max_bytes:
            self._file, self._size = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC), whole
            os.fsync(self._file)

    def _write(self, data: bytes) -> tuple[str, int]:
        if self._lock < 0:
            raise InputError(f"{self.folder} is closed; open it again")
        with room_for("more records", self.folder):
            if self._file is not None and self._size >= self._max_bytes:
                self._end_file()
            if self._file is None:
                self._begin_file()
            if not self._size:  # new, or all of it was torn
                self._put(self._packed(self._warcinfo()))
            offset = self._size
            self._put(data)
        return self._name, offset

    def _put(self, data: bytes) -> None:
        assert self._file is not None, "no file is open"
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
        except BaseException:
            os.truncate(self._file, self._size)
            raise
        self._size += len(data)
        self._unsynced += len(data)
        if self._unsynced >= SYNC_BYTES:
            os.fsync(self._file)
            self._unsynced = 0

    def _begin_file(self) -> None:
        number, name = self._number + 1, files.name_of(self._prefix, self._number + 1, self._clock.wall())
        path = os.path.join(self.folder, name)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self._number, self._name, self._size = number, name, 0
        sync_folder(path)

    def _end_file(self) -> None:
        if self._file is not None:
            self.sync()
            os.close(self._file)
            self._file, self._size = None, 0

    def _warcinfo(self) -> bytes:
        usual = {
            "software": self._software,
            "format": "WARC File Format 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        }
        block = records.warc_fields({**usual, **self._info}.items())
        when = records.date_of(self._clock.wall())
        fields = [("WARC-Filename", self._name)]
        return records.record("warcinfo", self._id(), when, block, fields, records.FIELDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _stored_head(head: bytes, payload: bytes, is_decoded: bool) -> bytes:
    if http_head.status_of(head) == 304:  # its Content-Length, if any, is that of the payload it does not have
        return http_head.as_received(head)
    return http_head.as_stored(head, len(payload), is_decoded)


def _reference(before: Original, profile: str) -> list[Field]:
    return [
        ("WARC-Profile", profile),
        ("WARC-Refers-To", f"<{before.record}>"),
        ("WARC-Refers-To-Target-URI", before.url),
        ("WARC-Refers-To-Date", before.date),
        ("WARC-Payload-Digest", before.digest),
    ]
