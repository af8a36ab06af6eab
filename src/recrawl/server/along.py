"""The service along a crawl: the same server, on the frontier that a crawler in this process uses."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from recrawl.frontier import Frontier
from recrawl.server.app import Folder
from recrawl.server.serving import Service, tell
from recrawl.server.tokens import Tokens


def along(listen: str, folder: Folder, at: Callable[[str], None]) -> Callable[[Frontier], Coroutine[Any, Any, None]]:
    """What a crawler runs beside the crawl; `at` is told where the service is."""

    async def serve(frontier: Frontier) -> None:
        service = Service(lambda: frontier, lambda _: None, listen, None if folder is None else Tokens(folder))
        running = asyncio.ensure_future(service.run())
        telling = asyncio.ensure_future(tell(service, at))
        try:
            await asyncio.shield(running)
        finally:  # the crawl ends: so does this, before the frontier is closed
            telling.cancel()
            service.stop()
            await running

    return serve
