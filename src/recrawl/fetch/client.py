"""One polite fetch: a URL in, what came of it out.

Nothing the web does raises here: every fault has a name, in `Fetched.error`.  Only wrong arguments raise, and
cancellation goes through.
"""

from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from aiohttp.abc import AbstractResolver

from recrawl import clock as clocks
from recrawl.errors import InputError
from recrawl.fetch.connections import Connections
from recrawl.fetch.fetched import Fetched
from recrawl.fetch.limits import Limits
from recrawl.fetch.names import SystemResolver
from recrawl.fetch.one_fetch import Check, OneFetch
from recrawl.fetch.redirects import Chain, Follow
from recrawl.fetch.request import Request, checked_headers, checked_user_agent, standing
from recrawl.fetch.sockets import connector
from recrawl.urls import normalise

if TYPE_CHECKING:
    from recrawl.fetch.politeness import Clock, Gate


class Fetcher:
    """Fetches pages; an async context manager, to be used in one event loop.

    user_agent: truthful, with a contact, such as "examplebot/1.0 (+https://example.org/bot)"
    limits: of each fetch; see Limits
    allow_private: reach this machine and private networks, too; for tests and one's own network
    resolver: looks names up, by aiohttp's interface; the system's by default
    connections: open at a time, where there is no gate; a gate has its own limit
    gate: every request passes it, redirects too
    clock: for `Fetched.started` and for dates in Retry-After
    """

    def __init__(
        self,
        user_agent: str,
        *,
        limits: Limits | None = None,
        allow_private: bool = False,
        resolver: AbstractResolver | None = None,
        connections: int = 64,
        gate: "Gate | None" = None,
        clock: "Clock | None" = None,
    ) -> None:
        self.user_agent = checked_user_agent(user_agent)
        self._always = standing(self.user_agent)
        self.limits = Limits() if limits is None else limits
        self._allow_private = allow_private
        self._resolver = resolver
        self._connections = connections
        self._gate = gate
        self._clock = clocks.SystemClock() if clock is None else clock
        self._session: Connections | None = None

    async def __aenter__(self) -> Self:
        self._names = SystemResolver()
        self._session = Connections(
            connector(self.limits.connect, allow_private=self._allow_private, resolver=self._resolver or self._names),
            # A request that entered the gate must not wait again: it would reach its host late.
            self._connections if self._gate is None else 0,
            self.limits.header_bytes,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            await self._names.close()
            self._session = None

    async def fetch(
        self,
        url: str,
        *,
        etag: str = "",
        last_modified: str = "",
        conditional: bool = True,
        follow: Follow = "temporary",
        headers: Iterable[tuple[str, str]] = (),
        post: bytes | None = None,
        check: Check | None = None,
        limits: Limits | None = None,
        normal: bool = False,
    ) -> Fetched:
        """Fetch a URL once.

        etag, last_modified: of the copy at hand, as they were received; sent unless `conditional` is False
        follow: "temporary" follows 302, 303 and 307 and says where 301 and 308 lead; "all" follows all, "none" none
        headers: more of them.  Authorization and Cookie are sent to the first origin only
        post: sent by POST instead of GET; give a Content-Type in `headers`
        check: asked before each redirect is followed; False ends the fetch with the fault "robots"
        limits: instead of the Fetcher's own (header_bytes stays as it was)
        normal: the URL is in its one spelling, as those of a frontier are, and need not be spelled anew
        """
        fetch = OneFetch(
            self._open_session(),
            Request(self._always, checked_headers(headers), post),
            Chain(url if normal else normalise(url), follow, (limits or self.limits).redirects, post=post is not None),
            limits or self.limits,
            self._gate,
            self._allow_private,
        )
        if conditional:
            fetch.request.validators(etag, last_modified)
        started = self._clock.wall()
        error = await fetch.run(check)
        return fetch.result(error, started, self._clock.wall)

    def _open_session(self) -> Connections:
        if self._session is None:
            raise InputError("a Fetcher must be open to fetch; use it as `async with Fetcher(...) as fetcher:`")
        return self._session
