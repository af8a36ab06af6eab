"""One polite fetch: a URL in, what came of it out.

Nothing the web does raises here: every fault has a name, in `Fetched.error`.  Only wrong arguments raise, and
cancellation goes through.
"""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Self

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from recrawl import clock as clocks
from recrawl.errors import InputError
from recrawl.fetch import retry_after
from recrawl.fetch.addresses import allowed_port, literal, public
from recrawl.fetch.decoding import Decoder, decoder_for
from recrawl.fetch.exchange import CURRENT, Answer, Exchange
from recrawl.fetch.faults import BrokenConnectionError, FaultError, named, without_traces
from recrawl.fetch.fetched import Fetched
from recrawl.fetch.limits import Limits
from recrawl.fetch.names import SystemResolver
from recrawl.fetch.redirects import REDIRECTS, Chain, Follow
from recrawl.fetch.request import Request, checked_headers, checked_user_agent, standing
from recrawl.fetch.sockets import connector
from recrawl.urls import normalise

if TYPE_CHECKING:
    from recrawl.fetch.politeness import Clock, Gate

Check = Callable[[str], Awaitable[bool]]

MOST_HEADERS = 200
"""Of one answer."""
REDIRECT_BYTES = 64 * 1024
"""Of the body of a redirect."""


class Fetcher:
    """Fetches pages; an async context manager, to be used in one event loop.

    user_agent: truthful, with a contact, such as "examplebot/1.0 (+https://example.org/bot)"
    limits: of each fetch; see Limits
    allow_private: reach addresses that are not public, too; for tests and one's own network
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
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        limits = self.limits
        self._names = SystemResolver()
        field = limits.header_bytes // 4
        self._session = aiohttp.ClientSession(
            connector=connector(
                # A request that entered the gate must not wait again: it would reach its host late.
                self._connections if self._gate is None else 0,
                limits.connect,
                allow_private=self._allow_private,
                resolver=self._resolver or self._names,
            ),
            headers=self._always,
            cookie_jar=aiohttp.DummyCookieJar(),
            response_class=Answer,
            auto_decompress=False,
            trust_env=False,
            max_line_size=field,
            max_field_size=field,
            max_headers=MOST_HEADERS,
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
    ) -> Fetched:
        """Fetch a URL once.

        etag, last_modified: of the copy at hand, as they were received; sent unless `conditional` is False
        follow: "temporary" follows 302, 303 and 307 and says where 301 and 308 lead; "all" follows all, "none" none
        headers: more of them.  Authorization and Cookie are sent to the first origin only
        post: sent by POST instead of GET; give a Content-Type in `headers`
        check: asked before each redirect is followed; False ends the fetch with the fault "robots"
        limits: instead of the Fetcher's own (header_bytes stays as it was)
        """
        fetch = _Fetch(
            self._open_session(),
            Request(self._always, checked_headers(headers), post),
            Chain(normalise(url), follow, (limits or self.limits).redirects, post=post is not None),
            limits or self.limits,
            self._gate,
            self._allow_private,
        )
        if conditional:
            fetch.request.validators(etag, last_modified)
        started = self._clock.wall()
        error = await fetch.run(check)
        return fetch.result(error, started, self._clock.wall())

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise InputError("a Fetcher must be open to fetch; use it as `async with Fetcher(...) as fetcher:`")
        return self._session


@lru_cache(maxsize=16)  # the first request of a fetch has the same one as all others
def _timeout(total: float, connect: float, idle: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=total, sock_connect=connect, sock_read=idle)


class _Fetch:
    """One fetch on its way: its redirects, and what came last."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        request: Request,
        chain: Chain,
        limits: Limits,
        gate: "Gate | None",
        allow_private: bool,
    ) -> None:
        self.request = request
        self._session, self._chain, self._limits, self._gate = session, chain, limits, gate
        self._allow_private = allow_private
        self._asked_for = chain.url
        self._seconds = 0.0
        self._on_wire = 0
        self._clear()

    def _clear(self) -> None:
        self._status: int | None = None
        self._reply_head = b""
        self._headers: tuple[tuple[str, str], ...] = ()
        self._lower: list[str] = []
        self._request_head = b""
        self._pieces: list[bytes] = []
        self._unpacked: list[bytes] = []
        self._plain = True
        self._ip = ""

    async def run(self, check: Check | None) -> FaultError | None:
        """Ask, and follow redirects as far as they go; gives the fault it ended with."""
        try:
            while True:
                before = self._chain.url
                await self._ask()
                place = self._chain.after(self._answered, self._values("location"))
                if place is None:
                    return None
                if check is not None and not await check(place):
                    return FaultError("robots", place)
                self.request.moves(before, place)
        except FaultError as fault:
            return without_traces(fault)

    @property
    def _answered(self) -> int:
        assert self._status is not None
        return self._status

    async def _ask(self) -> None:
        """One request to where the chain is now, and one more where a kept connection turns out to be closed."""
        url = URL(self._chain.url, encoded=True)
        self._refuse(url)
        again = await self._once(url, may_repeat=True)
        if again:
            await self._once(url, may_repeat=False)

    def _refuse(self, url: URL) -> None:
        """What can be refused before anybody waits for anything."""
        if not allowed_port(url.port or 0):
            raise FaultError("port-refused", str(url.port))
        if not self._allow_private:
            host = url.raw_host or ""  # normalised: an address of IPv4 ends in a digit
            address = literal(host) if ":" in host or host[-1:].isdigit() else None
            if address is not None and not public(address):
                raise FaultError("address-refused", str(address))

    async def _once(self, url: URL, *, may_repeat: bool) -> bool:
        """A request and its answer; True where it should be sent again."""
        self._clear()
        exchange = Exchange()
        if self._gate is not None:
            exchange.turn = await self._gate.enter(self._chain.url)
        began = clocks.seconds()
        token = CURRENT.set(exchange)
        try:
            await self._exchange(url)
        except (BrokenConnectionError, aiohttp.ClientConnectionResetError) as error:
            if may_repeat and (exchange.reused or not exchange.sent):
                return True
            raise named(error) from error
        except (aiohttp.ClientError, OSError, ValueError, TimeoutError) as error:
            raise named(error) from error
        finally:
            CURRENT.reset(token)
            self._ip = exchange.ip
            self._seconds += clocks.seconds() - began
            self._on_wire += len(self._reply_head) + sum(map(len, self._pieces))
            if exchange.turn is not None:
                exchange.turn.leave()
        return False

    async def _exchange(self, url: URL) -> None:
        left = self._limits.total - self._seconds
        if left <= 0.0:
            raise FaultError("timeout")
        self._request_head = self.request.head(url)
        answer = await self._session.request(
            self.request.method,
            url,
            headers=self.request.more or None,
            data=self.request.body,
            allow_redirects=False,
            timeout=_timeout(left, self._limits.connect, self._limits.idle),
        )
        try:
            self._take_head(answer)
            if answer.status in REDIRECTS:
                await self._read_away(answer)
            else:
                await self._read(answer, self._limits.raw_bytes)
        finally:
            if not answer.closed:  # the body was not read to its end: the connection is of no use
                answer.close()

    def _take_head(self, answer: aiohttp.ClientResponse) -> None:
        major, minor = answer.version or (1, 1)
        line = f"HTTP/{major}.{minor} {answer.status} {answer.reason or ''}\r\n"
        raw = answer.raw_headers
        self._reply_head = b"".join(
            (line.encode("utf-8", "surrogateescape"), *[b"%b: %b\r\n" % pair for pair in raw], b"\r\n")
        )
        self._headers = tuple(
            [(name.decode("utf-8", "surrogateescape"), value.decode("utf-8", "surrogateescape")) for name, value in raw]
        )
        self._lower = [name.lower() for name, _ in self._headers]
        if len(self._reply_head) > self._limits.header_bytes:
            raise FaultError("headers-too-large", f"{len(self._reply_head)} bytes")
        if answer.status == 101 or (answer.status == 304 and not self.request.conditional):
            raise FaultError("bad-response", f"status {answer.status} was not asked for")
        self._status = answer.status

    async def _read_away(self, answer: aiohttp.ClientResponse) -> None:
        """The body of a redirect: read so that the connection can be used again; what is wrong with it is no matter."""
        with suppress(FaultError, aiohttp.ClientError, OSError):
            await self._read(answer, min(self._limits.raw_bytes, REDIRECT_BYTES))

    async def _read(self, answer: aiohttp.ClientResponse, most: int) -> None:
        """The body, piece by piece, unpacked on the way."""
        announced = answer.content_length
        if announced is not None and announced > most and answer.status not in (204, 304):
            raise FaultError("too-large", f"{announced} bytes announced")
        codings = self._values("content-encoding")
        decoder = decoder_for(", ".join(codings), self._limits.body_bytes) if codings else None
        self._plain = decoder is None
        if decoder is None:
            most = min(most, self._limits.body_bytes)
        size = 0
        content, pieces = answer.content, self._pieces
        try:
            while piece := await content.readany():
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    raise FaultError("too-large", f"more than {most} bytes")
                if decoder is not None:
                    decoder.feed(piece, self._unpacked)
        except (aiohttp.ClientError, OSError):
            self._rescue(content, decoder)
            raise
        if decoder is not None:
            decoder.finish()

    def _rescue(self, content: aiohttp.StreamReader, decoder: Decoder | None) -> None:
        """What had come when the body broke, and was not read yet: a stream gives an error before it gives its data."""
        for piece in tuple(getattr(content, "_buffer", ())):
            self._pieces.append(piece)
            if decoder is not None:
                decoder.feed(piece, self._unpacked)

    def _values(self, name: str) -> list[str]:
        if name not in self._lower:
            return []
        return [value for key, (_, value) in zip(self._lower, self._headers, strict=True) if key == name]

    def _first(self, name: str) -> str:
        return self._headers[self._lower.index(name)][1] if name in self._lower else ""

    def result(self, fault: FaultError | None, started: float, now: float) -> Fetched:
        """All of it, in its final form."""
        if fault is not None and fault.name == "bomb":
            self._pieces, self._unpacked = [], []
        raw = b"".join(self._pieces)
        wait = self._first("retry-after")
        return Fetched(
            url=self._asked_for,
            final_url=self._chain.url,
            status=None if fault is not None else self._status,
            error="" if fault is None else fault.name,
            headers=self._headers,
            body=raw if self._plain else b"".join(self._unpacked),
            raw=raw,
            request_head=self._request_head,
            response_head=self._reply_head,
            hops=tuple(self._chain.hops),
            moved_to=self._chain.moved_to if fault is None else None,
            retry_after=retry_after.seconds(wait, now) if wait else None,
            etag=self._first("etag"),
            last_modified=self._first("last-modified"),
            content_type=self._first("content-type"),
            ip=self._ip,
            started=started,
            seconds=self._seconds,
            on_wire=self._on_wire,
            detail="" if fault is None else fault.detail,
        )
