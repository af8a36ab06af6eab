"""`AsyncClient`: the frontier of a service, for event loops."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

import aiohttp
from yarl import URL

from recrawl.client import asking, telling
from recrawl.client.address import Address, headers
from recrawl.client.exchange import Answer, Call, Lost, Pause, Request, carried_out
from recrawl.client.methods import RETRIES, TIMEOUT_S, checked, described
from recrawl.client.pool import headers_of, reason
from recrawl.errors import RecrawlError

P = ParamSpec("P")
T = TypeVar("T")


def _awaits(call: Callable[P, Call[T]]) -> "Callable[Concatenate[AsyncClient, P], Awaitable[T]]":
    """A method that makes a call, and whose answer is to be awaited."""

    def method(self: "AsyncClient", /, *args: P.args, **options: P.kwargs) -> Awaitable[T]:
        return self._do(call(*args, **options))

    described(method, call)
    return method


class AsyncClient:
    """`recrawl.Client` for programs with an event loop: the same arguments, and answers that are awaited.

    `rate` and `statistics` are awaited, too, and have no parentheses: ``await client.rate``.
    """

    def __init__(
        self, url: str, token: str | None = None, *, timeout: float = TIMEOUT_S, retries: int = RETRIES
    ) -> None:
        self._timeout, self._retries = checked(timeout, retries)
        self._address = Address.of(url)
        self._headers = headers(token)
        self._chance = random.Random().random
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    add = _awaits(telling.add)
    forget = _awaits(telling.forget)
    signal = _awaits(telling.signal)
    request = _awaits(telling.request)
    lease = _awaits(telling.lease)
    complete = _awaits(telling.complete)
    give_back = _awaits(telling.give_back)
    set_rate = _awaits(telling.set_rate)
    set_host = _awaits(telling.set_host)
    page = _awaits(asking.page)
    pages = _awaits(asking.pages)
    hosts = _awaits(asking.hosts)
    sources = _awaits(asking.sources)
    freshness = _awaits(asking.freshness)

    @property
    def rate(self) -> Awaitable[float | None]:
        """Pages a second; None for no limit."""
        return self._do(asking.rate())

    @property
    def statistics(self) -> Awaitable[dict[str, int]]:
        """Counters since the beginning, and how many pages, hosts, leases and so on there are now."""
        return self._do(asking.statistics())

    async def close(self) -> None:
        """Close all connections.  What was leased stays leased: `give_back` ends that."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncClient of {self._address.url}>"

    async def _do(self, call: Call[T]) -> T:
        if self._closed:
            raise RecrawlError("the client is closed; make a new one")
        talk = carried_out(call, self._address.url, self._retries, self._chance)
        came: Answer | Lost | None = None
        try:
            while True:
                wanted = talk.send(came)
                if isinstance(wanted, Pause):
                    await asyncio.sleep(wanted.seconds)
                    came = None
                else:
                    came = await self._send(wanted)
        except StopIteration as end:
            answer: T = end.value
            return answer

    async def _send(self, request: Request) -> Answer | Lost:
        if self._session is None:  # here, where there is an event loop
            self._session = aiohttp.ClientSession(headers=self._headers)
        limit = self._timeout + request.wait
        try:
            async with self._session.request(
                request.method,
                URL(self._address.url + request.path, encoded=True),
                data=request.body,
                headers=headers_of(request),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=limit, sock_read=limit),
                allow_redirects=False,
            ) as response:
                return Answer(response.status, await response.read())
        except TimeoutError:
            return Lost(f"nothing was heard for {limit:g} s")
        except (aiohttp.ClientError, OSError) as error:
            return Lost(reason(error))
