"""The server that listens for IndexNow pings and WebSub deliveries: requests in, answers out, news passed on.

What requests mean is read by `recrawl.signals.indexnow` and `websub`; here are the sockets.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Self

from aiohttp import web

from recrawl.crawler.counts import Counts
from recrawl.crawler.listening.heard import Pinged, Pushed
from recrawl.crawler.listening.keys import Keys
from recrawl.crawler.listening.subscriptions import Subscriptions
from recrawl.errors import InputError
from recrawl.signals import indexnow, websub

A_MINUTE = 60.0
MOST_A_MINUTE = 60
"""Pings of one host that are taken in a minute."""


class Listener:
    """Listens on `address`; `ours(url)` is whether a page belongs to the crawl, `pass_on` takes what was heard."""

    def __init__(
        self,
        address: str,
        keys: Keys,
        subscriptions: Subscriptions | None,
        ours: Callable[[str], bool],
        pass_on: Callable[[Pinged | Pushed], None],
        now: Callable[[], float],
        counts: Counts,
    ) -> None:
        self._host, self._port = split(address)
        self._keys, self._subscriptions, self._ours = keys, subscriptions, ours
        self._pass_on, self._now, self._counts = pass_on, now, counts
        self._pings: Counter[str] = Counter()
        self._minute = 0
        self._checks: set[asyncio.Task[None]] = set()
        self._runner: web.AppRunner | None = None
        self.address = address
        """Where it listens, with the port that it was given."""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=indexnow.MOST_BYTES)
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
        for task in tuple(self._checks):
            task.cancel()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        path = request.path
        if path.startswith("/websub/") and self._subscriptions is not None:
            return await self._websub(request, path.removeprefix("/websub/"))
        body = await request.read() if request.can_read_body else b""
        headers = list(request.headers.items())
        found = indexnow.answer(request.method, path, request.query_string, headers, body)
        if isinstance(found, indexnow.Ask):
            found = self._ping(found)
        self._counts.add("indexnow", f"answered {found.status}")
        return web.Response(status=found.status, text=found.text, headers=dict(found.headers))

    def _ping(self, ask: indexnow.Ask) -> indexnow.Answer:
        urls = tuple(url for url in ask.urls if self._ours(url))
        if not urls:
            return indexnow.Answer(422, f"{ask.host} is not crawled here")
        if self._too_many(ask.host) or (not self._keys.good(ask) and self._keys.busy(ask)):
            return indexnow.too_many(A_MINUTE)
        if self._keys.good(ask):
            self._pass_on(Pinged(urls))
            return indexnow.received()
        if self._keys.bad(ask):
            return indexnow.judged(ask, None, b"")
        task = asyncio.create_task(self._check(ask, urls))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)
        return indexnow.pending()

    async def _check(self, ask: indexnow.Ask, urls: tuple[str, ...]) -> None:
        good = await self._keys.check(ask)
        self._counts.add("indexnow", "keys right" if good else "keys wrong")
        if good:
            self._pass_on(Pinged(urls))

    def _too_many(self, host: str) -> bool:
        minute = int(self._now() // A_MINUTE)
        if minute != self._minute:
            self._minute, self._pings = minute, Counter()
        self._pings[host] += 1
        return self._pings[host] > MOST_A_MINUTE

    async def _websub(self, request: web.Request, name: str) -> web.Response:
        assert self._subscriptions is not None
        subscription = self._subscriptions.get(name)
        if subscription is None:
            return web.Response(status=404)
        if request.method == "GET":
            answer = websub.verification(request.query_string, {subscription.topic: "subscribe"})
            await self._subscriptions.confirmed(subscription, answer)
            return web.Response(status=answer.status, body=answer.body, headers={"Content-Type": answer.content_type})
        if request.method != "POST":
            return web.Response(status=405, headers={"Allow": "GET, POST"})
        body = await request.read()
        headers = list(request.headers.items())
        delivered = websub.delivery(body, headers, subscription.secret, active=subscription.until > self._now())
        self._counts.add("websub", "deliveries" if delivered.genuine else "deliveries not believed")
        if delivered.genuine:
            self._pass_on(Pushed(subscription.topic, body))
        return web.Response(status=delivered.status)


def split(address: str) -> tuple[str, int]:
    """Host and port.

    >>> split("127.0.0.1:8080"), split("[::1]:80"), split(":9000")
    (('127.0.0.1', 8080), ('::1', 80), ('0.0.0.0', 9000))
    """
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise InputError(f"listen must be HOST:PORT, such as 127.0.0.1:8080, got {address!r:.80}", argument="listen")
    return host.strip("[]") or "0.0.0.0", int(port)
