"""Bodies of requests: there as a whole before anything is done with them, not too large, not too late, of a known type.

A door in front of the application.  Whoever says that a body is too large is refused before it comes, and whoever does
not go on sending is refused after a time, so that nobody holds memory or a connection for nothing.  All bodies together
have only so much memory: half of a large one costs its sender nothing, and there may be thousands of connections.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from litestar.types import ASGIApp

from recrawl.server.problems import FAILED, REJECTED, TYPE, document

MOST_BYTES = 32 << 20
MOST_TOGETHER = 256 << 20
"""Bytes of all bodies that have come, as a whole or in part, and are not yet answered."""
FREE_BYTES = 16 << 10
"""Of each body, which do not count: small calls are answered whoever holds all the rest."""
LONGEST_S = 60.0
"""Seconds in which a body has to be there."""
STOPPING_S = 2.0
"""The same from the moment on at which the service is told to stop."""
WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
LINES = ("application/x-ndjson", "application/ndjson", "application/jsonl")
JSON = "application/json"
BROKEN_OFF = "the body must be as long as its content-length says, or in chunks as HTTP has them; it breaks off before"


class Patience:
    """How long bodies are waited for: less once the service is stopping."""

    def __init__(self) -> None:
        self.ends = False
        self._limits: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def wait(self, seconds: float) -> AsyncIterator[None]:
        """Raise TimeoutError where the block takes longer."""
        async with asyncio.timeout(min(seconds, STOPPING_S) if self.ends else seconds) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)

    def stop(self) -> None:
        """The service is stopping; to be called in the event loop."""
        self.ends = True
        soon = asyncio.get_running_loop().time() + STOPPING_S
        for limit in self._limits:
            if (limit.when() or 0.0) > soon:
                limit.reschedule(soon)


class NoRoomError(Exception):
    """All bodies together are too large by now."""


class Room:
    """Memory for all bodies together.

    >>> room = Room(most=100)
    >>> with room.share() as one, room.share() as other:
    ...     one.hold(FREE_BYTES + 100)
    ...     other.hold(FREE_BYTES)
    >>> room.left
    100
    """

    def __init__(self, most: int = MOST_TOGETHER) -> None:
        self.left = most

    @contextmanager
    def share(self) -> "Iterator[Share]":
        """What one body takes, until the block ends."""
        share = Share(self)
        try:
            yield share
        finally:
            self.left += share.held


class Share:
    """What one body has taken of the room."""

    def __init__(self, room: Room) -> None:
        self._room, self.held = room, 0

    def hold(self, size: int) -> None:
        """The body has so many bytes by now.  Raises NoRoomError where that is too many."""
        more = max(size - FREE_BYTES, 0) - self.held
        if more > self._room.left:
            raise NoRoomError
        self._room.left -= more
        self.held += more


class Bodies:
    """Stands in front of an application; bodies of calls are JSON, or lines of it, in UTF-8 and not packed."""

    def __init__(self, app: ASGIApp, patience: Patience) -> None:
        self._app, self._patience, self._room = app, patience, Room(MOST_TOGETHER)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Wait for the body and pass it on, or say why not."""
        if scope["type"] != "http" or scope["method"] not in WITH_BODY:
            await self._app(scope, receive, send)
        elif declared(scope) > MOST_BYTES:
            await refuse(send, 413, "too large", f"the body must be at most {MOST_BYTES:,} bytes")
        elif scope["path"].startswith("/v1/") and (why := _unreadable(scope)):
            await refuse(send, 415, "unknown type", why)
        else:
            with self._room.share() as share:  # until it is answered: what is made of a body is no smaller
                await self._read(scope, receive, send, share)

    async def _read(self, scope: Any, receive: Any, send: Any, share: Share) -> None:
        try:
            async with self._patience.wait(LONGEST_S):
                body = await whole_body(receive, share=share)
        except TimeoutError:
            if self._patience.ends:
                await refuse(
                    send, 503, "not possible now", "the service is stopping; ask again when it is back", FAILED
                )
                return
            await refuse(send, 408, "too late", f"the body must be there after {LONGEST_S:g} seconds", FAILED)
            return
        except NoRoomError:
            why = "the bodies of other requests take all the memory that there is for them; ask again in a second"
            await refuse(send, 503, "not possible now", why, FAILED, retry_after_s=1)
            return
        if body is None:
            await refuse(send, 400, "bad request", BROKEN_OFF)
            return
        if len(body) > MOST_BYTES:
            await refuse(send, 413, "too large", f"the body must be at most {MOST_BYTES:,} bytes")
            return
        await self._app(scope, given(body, receive), send)


async def whole_body(receive: Any, most: int = MOST_BYTES, share: Share | None = None) -> bytes | None:
    """All of it, or a little more than may be; None where it breaks off, as where nobody is there any more."""
    pieces, size, more = [], 0, True
    while more and size <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        size, more = size + len(pieces[-1]), message.get("more_body", False)
        if share is not None:
            share.hold(size)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def given(body: bytes, receive: Any) -> Any:
    """What an application receives: a body that is there, and then what else happens."""
    first = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def again() -> Any:
        found = next(first, None)
        return await receive() if found is None else found

    return again


def content_type(scope: Any) -> str:
    """What the body is said to be, without parameters; empty where nothing is said.

    >>> content_type({"headers": [(b"content-type", b"Application/JSON; charset=utf-8")]})
    'application/json'
    """
    return _header(scope, b"content-type").partition(";")[0].strip().lower()


def charset(scope: Any) -> str:
    """How characters are said to be encoded; empty where nothing is said.

    >>> charset({"headers": [(b"content-type", b'application/json; version=1; CharSet="UTF-8"')]})
    'utf-8'
    """
    for parameter in _header(scope, b"content-type").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower()
    return ""


def _header(scope: Any, wanted: bytes) -> str:
    for name, value in scope["headers"]:
        if name == wanted:
            text: str = value.decode("latin-1")
            return text
    return ""


def _unreadable(scope: Any) -> str:
    """Why a body cannot be read, by what is said of it; empty where it can."""
    if not _is_known(content_type(scope)):
        return f"content-type must be {JSON}, or {LINES[0]} for lines of it"
    if (said := charset(scope)) not in ("", "utf-8", "utf8"):
        return f"the charset must be utf-8, got {said!r:.40}"
    if (said := _header(scope, b"content-encoding").strip().lower()) not in ("", "identity"):
        return f"content-encoding must be identity, got {said!r:.40}; send the body as it is"
    return ""


def _is_known(kind: str) -> bool:
    return kind in ("", JSON, *LINES) or (kind.startswith("application/") and kind.endswith("+json"))


def declared(scope: Any) -> int:
    """The bytes that are said to come; the server has seen to it that it is a number."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value)
    return 0


async def refuse(
    send: Any, status: int, title: str, why: str, outcome: str = REJECTED, retry_after_s: int | None = None
) -> None:
    """Answer by a problem document."""
    headers = [(b"content-type", TYPE.encode())]
    if retry_after_s is not None:
        headers.append((b"retry-after", b"%d" % retry_after_s))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": document(status, title, why, outcome)})
