"""Connections that are open: kept for the next request to their host, watched while they are asked, and dialled.

1. aiohttp's connector dials: names, addresses, TLS.  What it has dialled is kept here and not there.
2. One timer watches all that are asked, set for the first whose time can be over.  That is later than it seemed for
   each one that was heard since, so it rarely fires for nothing, and a request that is answered costs no timer at all.
3. Another one closes what nobody has asked for long.
"""

import asyncio
import math
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import aiohttp
from yarl import URL

from recrawl.fetch.exchange import Line

if TYPE_CHECKING:
    from recrawl.fetch.limits import Limits

KEEP_ALIVE = 30.0
"""Seconds an idle connection is kept for the next request to its host."""


class Connections:
    """Lines by origin.  `limit` is how many may be asked at a time, 0 for any number."""

    def __init__(self, connector: aiohttp.TCPConnector, limit: int, header_bytes: int) -> None:
        self.connector = connector
        self.header_bytes = header_bytes
        self._loop = asyncio.get_running_loop()
        connector._factory = partial(Line, loop=self._loop)  # type: ignore[assignment]
        self.room = asyncio.Semaphore(limit) if limit else None
        self._idle: dict[str, deque[Line]] = {}
        self._asked: set[Line] = set()
        self._watch: asyncio.TimerHandle | None = None
        self._watch_at = math.inf
        self._broom: asyncio.TimerHandle | None = None

    def kept(self, origin: str) -> Line | None:
        """A line that is open to an origin.  O(1), spread over all calls."""
        lines = self._idle.get(origin)
        while lines:
            line = lines.popleft()
            if line.fit and line.is_between_answers():
                return line
            self.hang_up(line)
        return None

    async def dialled(self, origin: str, seconds: float, limits: "Limits") -> Line:
        """A new line, within some seconds."""
        request = aiohttp.ClientRequest("GET", URL(f"{origin}/", encoded=True), loop=self._loop)
        async with asyncio.timeout(seconds):
            try:
                connection = await self.connector.connect(
                    request, [], aiohttp.ClientTimeout(sock_connect=limits.connect)
                )
            except TimeoutError as error:
                raise aiohttp.ConnectionTimeoutError(f"no connection to {origin}") from error
        line = connection.protocol
        assert isinstance(line, Line)
        line.connection = connection
        place = None if line.transport is None else line.transport.get_extra_info("peername")
        line.ip = str(place[0]) if place else ""
        return line

    def watch(self, line: Line, seconds: float, idle: float) -> None:
        """A line is about to be asked: have it given up in time."""
        now = self._loop.time()
        line.until, line.idle = now + seconds, idle
        self._asked.add(line)
        if now + min(seconds, idle) < self._watch_at:
            self._set_watch(now + min(seconds, idle))

    def done(self, origin: str, line: Line, *, whole: bool) -> None:
        """A line was asked: it is kept if it is good for more.  An answer that is not whole may still come over it."""
        self._asked.discard(line)
        line.used = True
        if not whole or not line.fit or self.connector.closed:
            self.hang_up(line)
            return
        line.kept_since = self._loop.time()
        lines = self._idle.get(origin)
        if lines is None:
            lines = self._idle[origin] = deque()
        lines.append(line)
        if self._broom is None:
            self._broom = self._loop.call_later(KEEP_ALIVE, self._sweep)

    def hang_up(self, line: Line) -> None:
        """Close a line."""
        if line.connection is not None:
            line.connection.close()

    async def close(self) -> None:
        """Close all of them."""
        for timer in (self._watch, self._broom):
            if timer is not None:
                timer.cancel()
        for line in (*self._all_idle(), *self._asked):
            self.hang_up(line)
        self._idle.clear()
        await self.connector.close()

    # -- timers --------------------------------------------------------------------------------------------------------

    def _set_watch(self, at: float) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._watch_at = at
        self._watch = self._loop.call_at(at, self._look)

    def _look(self) -> None:
        """Give up whose time is over."""
        self._watch, self._watch_at = None, math.inf
        now = self._loop.time()
        for line in [line for line in self._asked if line.due <= now]:
            self._asked.discard(line)
            line.give_up(now)
        if self._asked:
            self._set_watch(min(line.due for line in self._asked))

    def _sweep(self) -> None:
        """Close what nobody asked for long."""
        before = self._loop.time() - KEEP_ALIVE
        for origin, lines in tuple(self._idle.items()):
            while lines and lines[0].kept_since <= before:
                self.hang_up(lines.popleft())
            if not lines:
                del self._idle[origin]
        self._broom = self._loop.call_later(KEEP_ALIVE / 2.0, self._sweep) if self._idle else None

    def _all_idle(self) -> Iterator[Line]:
        for lines in self._idle.values():
            yield from lines
