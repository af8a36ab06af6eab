"""What is still being sent when a request is answered already: it is read and dropped, for a while.

A request may be refused before its body is there: no token, too large, a wrong type.  If the connection were closed at
once, its sender would be told that it broke, often before it has read the answer, and would not know why.

Whoever asks first whether to send (`Expect: 100-continue`) reads the answer and sends nothing, so there the connection
is closed at once; what else came on it would be taken for the body.
"""

import asyncio
from contextlib import suppress
from typing import Any

from litestar.types import ASGIApp

from recrawl.server.bodies import WITH_BODY

LONGEST_S = 2.0
"""Seconds for which the rest is read; 25 MB come in that time at 100 Mbit/s."""


class Rest:
    """Stands in front of an application, and lets those who send bodies to it read its answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._ends = False
        self._limits: set[asyncio.Timeout] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on, and then read what the application did not."""
        if scope["type"] != "http" or scope["method"] not in WITH_BODY:
            await self._app(scope, receive, send)
            return
        asks_first, more = any(name == b"expect" for name, _ in scope["headers"]), True

        async def noted() -> Any:
            nonlocal more
            message = await receive()
            more = message.get("more_body", False)
            return message

        async def last(message: Any) -> None:
            if more and message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        await self._app(scope, noted, last if asks_first else send)
        if not more or asks_first or self._ends:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_S) as limit:
                self._limits.add(limit)
                try:
                    while more:
                        await noted()
                finally:
                    self._limits.discard(limit)

    def stop(self) -> None:
        """The service is stopping: nothing more is read for nothing.  To be called in the event loop."""
        self._ends = True
        for limit in self._limits:
            limit.reschedule(asyncio.get_running_loop().time())
