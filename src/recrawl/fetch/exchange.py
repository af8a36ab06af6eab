"""One request and its answer, by aiohttp: what is noted on the way, and what aiohttp must not do by itself."""

from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import WeakSet

import aiohttp

from recrawl.fetch.faults import BrokenConnectionError

if TYPE_CHECKING:
    import asyncio

    from aiohttp.connector import Connection

    from recrawl.fetch.politeness import Turn


class Exchange:
    """What is known of a request while it is on its way."""

    __slots__ = ("ip", "reused", "sent", "turn")

    def __init__(self) -> None:
        self.turn: Turn | None = None
        self.ip = ""
        self.sent = False
        self.reused = False

    def asked(self) -> None:
        """The request was sent."""
        self.sent = True
        if self.turn is not None:
            self.turn.asked()

    def answered(self) -> None:
        """The answer began, or there will be none."""
        if self.turn is not None:
            self.turn.answered()


CURRENT: ContextVar[Exchange] = ContextVar("recrawl_exchange")
"""The exchange of the running task: aiohttp makes the answer's object itself, and there is no other way to it."""

_USED: WeakSet[object] = WeakSet()


class Answer(aiohttp.ClientResponse):
    """An answer that notes who gave it, and that tells the gate when."""

    async def start(self, connection: "Connection") -> aiohttp.ClientResponse:
        """The request was sent: wait for the head of the answer.

        aiohttp sends a request once more by itself where a connection broke.  That would be a request which passed no
        gate, so such errors are made into one that it does not know.
        """
        exchange = CURRENT.get()
        exchange.reused = _known(connection)
        exchange.ip = _peer(connection)
        exchange.asked()
        try:
            return await super().start(connection)
        except aiohttp.ServerTimeoutError:
            raise
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
            raise BrokenConnectionError(str(error)) from error
        finally:
            exchange.answered()


class Watch:
    """Wakes who reads a body when its connection is gone.

    aiohttp does so itself, but for bodies with a malformed chunk: there the reader would wait until its time is over.
    """

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        connection = answer.connection
        protocol = None if connection is None else connection.protocol
        self._content = answer.content
        self._closed = None if protocol is None else protocol.closed
        if self._closed is not None:
            self._closed.add_done_callback(self._wake)
        elif protocol is not None:
            self._wake()

    def stop(self) -> None:
        """The body came to its end, or to another one."""
        if self._closed is not None:
            self._closed.remove_done_callback(self._wake)

    def _wake(self, _: object = None) -> None:
        if not self._content.is_eof() and self._content.exception() is None:
            self._content.set_exception(aiohttp.ClientPayloadError("the body is malformed"))


def _known(connection: "Connection") -> bool:
    """Whether a request was sent on this connection before."""
    protocol = connection.protocol
    if protocol in _USED:
        return True
    _USED.add(protocol)
    if protocol is not None and protocol.closed is not None:
        protocol.closed.add_done_callback(_retrieve)
    return False


def _retrieve(closed: "asyncio.Future[None]") -> None:
    """Look at how a connection ended: asyncio complains of errors that nobody looked at."""
    if not closed.cancelled():
        closed.exception()


def _peer(connection: "Connection") -> str:
    transport = connection.transport
    name = None if transport is None else transport.get_extra_info("peername")
    return str(name[0]) if name else ""
