"""What is still being sent when a request is answered already: it is read and dropped, for a while.

A request may be refused before its body is there: no token, too large, a wrong type.  If the connection were closed at
once, its sender would be told that it broke, often before it has read the answer, and would not know why.
"""

import asyncio
from contextlib import suppress
from typing import Any

from litestar.types import ASGIApp

from recrawl.server.bodies import STOPPING_S, WITH_BODY

LONGEST_S = STOPPING_S
"""Seconds for which the rest is read; 25 MB come in that time at 100 Mbit/s."""


class Rest:
    """Stands in front of an application, and lets the senders of bodies read its answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on, and then read what the application did not."""
        if scope["type"] != "http" or scope["method"] not in WITH_BODY:
            await self._app(scope, receive, send)
            return
        more = True

        async def noted() -> Any:
            nonlocal more
            message = await receive()
            more = message.get("more_body", False)
            return message

        await self._app(scope, noted, send)
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_S):
                while more:
                    await noted()
