"""The dashboard on a small server: for tests, and to look at it (python -m tests.server.serving 8701 lively)."""

import asyncio
import sys
import threading

from aiohttp import web

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier
from recrawl.server.dashboard import CONTENT_SECURITY_POLICY, INDEX, STATIC
from recrawl.server.views import VIEWS
from tests.server.lively import NOW, lively

HEADERS = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "X-Content-Type-Options": "nosniff"}


def app_of(frontier: Frontier) -> web.Application:
    """Static files and views, as the service has them."""

    async def index(_: web.Request) -> web.FileResponse:
        return web.FileResponse(INDEX, headers=HEADERS)

    async def view(request: web.Request) -> web.Response:
        function = VIEWS.get(request.match_info["name"])
        if function is None:
            return web.json_response({"title": "not found", "status": 404}, status=404)
        try:
            found = await asyncio.to_thread(function, frontier, dict(request.query))
        except InputError as error:
            return web.json_response({"title": "bad request", "detail": str(error), "status": 400}, status=400)
        return web.json_response(found, headers=HEADERS)

    app = web.Application()
    app.router.add_get("/", index)
    app.router.add_get("/v1/dashboard/{name}", view)
    app.router.add_static("/static/", STATIC)
    return app


class Serving:
    """A server in a thread, on a free port of loopback."""

    def __init__(self, frontier: Frontier, port: int = 0) -> None:
        self._loop = asyncio.new_event_loop()
        self._runner = web.AppRunner(app_of(frontier), handler_cancellation=True)
        self._port, self._ready = port, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._begin())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._runner.cleanup())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    async def _begin(self) -> None:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    def __enter__(self) -> "Serving":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


def main(port: str, kind: str = "lively") -> None:
    """Serve until interrupted."""
    if kind == "lively":
        frontier, clock, world = lively()
    elif kind == "empty":
        frontier, clock, world = Frontier(rate=1.0, clock=ManualClock(NOW)), ManualClock(NOW), None
    else:
        frontier, clock, world = Frontier.open(kind), ManualClock(NOW), None
    with Serving(frontier, int(port)) as server:
        print(server.url, flush=True)
        while True:
            threading.Event().wait(1.0)
            if world is not None:
                clock.advance(30.0)
                world.step(frontier, clock.wall(), 30.0)
                world.crawl(frontier, 50)


if __name__ == "__main__":
    main(*sys.argv[1:])
