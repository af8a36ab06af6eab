"""A service in a thread, on a free port of loopback, and a client with an event loop that tests call like any other."""

import asyncio
import inspect
import socket
import threading

from recrawl.client import AsyncClient
from recrawl.server.serving import Service


class Served:
    """A frontier behind real sockets; it is closed with the service."""

    def __init__(self, frontier, tokens=None):
        self._service = Service(lambda: frontier, lambda given: given.close(), "127.0.0.1:0", tokens)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self):
        return self._service.url

    def _run(self):
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._service.run())

    def __enter__(self):
        self._thread.start()
        answers(self.url)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._service.stop)
        self._thread.join()


def answers(url, patience_s=60.0):
    """Wait until somebody accepts connections there."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    tick = threading.Event()
    for _ in range(int(patience_s / 0.02)):
        try:
            socket.create_connection((host, int(port)), timeout=patience_s).close()
        except ConnectionRefusedError:
            tick.wait(0.02)
        else:
            return
    raise AssertionError(f"nobody answers at {url}")


class Awaited:
    """An `AsyncClient` whose answers are awaited in a thread, so that it can be called like a `Client`."""

    def __init__(self, url, **options):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.client = AsyncClient(url, **options)

    def __getattr__(self, name):
        found = getattr(self.client, name)
        if inspect.isawaitable(found):  # rate and statistics
            return self.done(found)
        return lambda *args, **options: self.done(found(*args, **options))

    def done(self, awaitable):
        async def awaited():
            return await awaitable

        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result()

    def close(self):
        if not self._loop.is_closed():
            self.done(self.client.close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
