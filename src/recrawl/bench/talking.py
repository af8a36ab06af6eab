"""A lean client of the service: HTTP/1.1 on sockets kept open, bodies made beforehand, each answer timed."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from recrawl.clock import seconds

JSON, LINES = "application/json", "application/x-ndjson"
LONGEST = 64 << 20
"""Bytes that an answer may have."""


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: bytes

    def json(self) -> Any:
        """The body of an answer that is as it should be."""
        if self.status != 200:
            raise RuntimeError(f"the service answered {self.status}: {self.body[:500]!r}")
        return json.loads(self.body)


class Timing(NamedTuple):
    """A request: what it was, when it began and when it was answered, in seconds of the machine's clock."""

    name: str
    begun: float
    ended: float


def post(path: str, body: bytes, kind: str = JSON, *headers: str) -> bytes:
    """A request as it goes over the wire."""
    lines = [f"POST {path} HTTP/1.1", "host: localhost", f"content-type: {kind}", f"content-length: {len(body)}"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def get(path: str) -> bytes:
    """The same without a body."""
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()


def encoded(**fields: Any) -> bytes:
    """A body."""
    return json.dumps(fields, separators=(",", ":")).encode()


class Connection:
    """One connection; one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timings: list[Timing]) -> None:
        self._reader, self._writer, self._timings = reader, writer, timings

    async def ask(self, name: str, request: bytes) -> Answer:
        """Send a request, wait for the whole answer, and note how long it took."""
        begun = seconds()
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        at = head.lower().index(b"content-length:") + len(b"content-length:")
        body = await self._reader.readexactly(int(head[at : head.index(b"\r\n", at)]))
        self._timings.append(Timing(name, begun, seconds()))
        return Answer(int(head[9:12]), body)

    def close(self) -> None:
        """No more of it."""
        self._writer.close()


class Connections:
    """Several connections to one service, as a context."""

    def __init__(self, host: str, port: int, n: int) -> None:
        self._address, self._n = (host, port), n
        self.timings: list[Timing] = []
        self._open: list[Connection] = []

    async def __aenter__(self) -> Sequence[Connection]:
        for _ in range(self._n):
            self._open.append(Connection(*await asyncio.open_connection(*self._address, limit=LONGEST), self.timings))
        return self._open

    async def __aexit__(self, *_: object) -> None:
        for connection in self._open:
            connection.close()
