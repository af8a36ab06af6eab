"""One connection: a request at a time, and its answer, read by aiohttp's protocol and parser.

aiohttp's own client is passed by.  It makes a request, an answer, a connection and four timers for each page, and that
is more work than all that a crawler does with a page that has not changed.
"""

import math
from asyncio import AbstractEventLoop
from typing import TYPE_CHECKING

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.helpers import TimerNoop

from recrawl.fetch.faults import BrokenConnectionError

if TYPE_CHECKING:
    from aiohttp.http_parser import RawResponseMessage

MOST_HEADERS = 200
"""Of one answer."""
_NO_TIMER = TimerNoop()


class Line(ResponseHandler):
    """One connection.  Its times are those of the event loop."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        super().__init__(loop=loop)
        self.connection: aiohttp.connector.Connection | None = None
        self.ip = ""
        self.used = False
        """Whether a request was sent on it before."""
        self.kept_since = 0.0
        self.until = math.inf
        """When the answer must be there."""
        self.idle = math.inf
        """Seconds between two pieces of an answer."""
        self._heard = 0.0

    @property
    def due(self) -> float:
        """When it is over with the answer, if nothing comes until then."""
        return min(self.until, self._heard + self.idle)

    @property
    def fit(self) -> bool:
        """Whether one more request may be sent on it."""
        transport = self.transport
        return transport is not None and not transport.is_closing() and not self.should_close

    def is_between_answers(self) -> bool:
        """Whether the parser is where an answer begins.

        Bytes behind an answer may be half of a head, which would take the beginning of the next answer for its own.
        Two empty lines make such a head whole, or malformed; between answers the parser passes over them.
        """
        if self._parser is None:
            return True
        try:
            heads, upgraded, rest = self._parser.feed_data(b"\r\n\r\n")
        except Exception:  # whatever a parser makes of bytes that nobody asked for
            return False
        return not heads and not upgraded and not rest

    def ask(self, data: bytes, header_bytes: int) -> None:
        """Send a request."""
        transport = self.transport
        if transport is None or transport.is_closing():
            raise aiohttp.ClientConnectionResetError("the connection was closed")
        self._heard = self._loop.time()
        if self._parser is None:  # one reads all answers of a connection: to make another for each takes time
            field = header_bytes // 4
            self.set_response_params(
                timer=_NO_TIMER,
                read_until_eof=True,
                auto_decompress=False,
                max_line_size=field,
                max_field_size=field,
                max_headers=MOST_HEADERS,
            )
        transport.write(data)

    async def answer(self) -> "tuple[RawResponseMessage, aiohttp.StreamReader]":
        """Wait for the head of the answer, and give it with the body, of which something may have come."""
        try:
            while True:
                head, body = await self.read()
                if not 100 <= head.code <= 199 or head.code == 101:
                    return head, body
                self.idle = math.inf  # a server that says "continue" is at work: only the whole time counts
        except aiohttp.ServerTimeoutError:
            raise
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
            raise BrokenConnectionError(str(error)) from error

    def give_up(self, now: float) -> None:
        """Time is over: who reads is told so."""
        over = TimeoutError() if now >= self.until else aiohttp.SocketTimeoutError(f"nothing in {self.idle:g} seconds")
        body = self._payload
        self.set_exception(over)
        if body is not None and body.exception() is None:
            body.set_exception(over)

    # -- called by the transport and by who reads ----------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Something came."""
        self._heard = self._loop.time()
        super().data_received(data)

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Who reads a body says this at each piece.  Parsing nothing takes time, too."""
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Wake who reads a body.

        aiohttp does so itself, but for bodies with a malformed chunk: there the reader would wait until its time is
        over.
        """
        body = self._payload
        super().connection_lost(exc)
        if body is not None and not body.is_eof() and body.exception() is None:
            body.set_exception(aiohttp.ClientPayloadError("the body is malformed"))
