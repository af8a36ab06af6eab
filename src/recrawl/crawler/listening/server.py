"""The crawler's own server for IndexNow pings and WebSub deliveries; ear.py says what is answered."""

from types import TracebackType
from typing import Self

from aiohttp import web

from recrawl.crawler.listening.ear import MOST_BYTES, Ear
from recrawl.errors import InputError


class Listener:
    """Listens on `address`."""

    def __init__(self, address: str, ear: Ear) -> None:
        self._host, self._port = split(address)
        self._ear = ear
        self._runner: web.AppRunner | None = None
        self.address = address
        """Where it listens, with the port that it was given."""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self._port)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            reason = error.strerror or str(error)
            raise InputError(
                f"listen must be an address that is free, got {self.address}: {reason}", "listen"
            ) from None
        host, port, *_ = self._runner.addresses[0]
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ear.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.read() if request.can_read_body else b""
        headers = list(request.headers.items())
        reply = await self._ear.answer(request.method, request.path, request.query_string, headers, body)
        return web.Response(status=reply.status, body=reply.body, headers=dict(reply.headers))


def split(address: str) -> tuple[str, int]:
    """Host and port.

    >>> split("127.0.0.1:8080"), split("[::1]:80"), split(":9000")
    (('127.0.0.1', 8080), ('::1', 80), ('0.0.0.0', 9000))
    """
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise InputError(f"listen must be HOST:PORT, such as 127.0.0.1:8080, got {address!r:.80}", argument="listen")
    return host.strip("[]") or "0.0.0.0", int(port)
