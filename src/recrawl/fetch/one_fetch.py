"""One fetch on its way: requests, answers and redirects, until there is a status or a fault."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import aiohttp
from yarl import URL

from recrawl import clock as clocks
from recrawl.fetch import retry_after
from recrawl.fetch.addresses import allowed_port, literal, public
from recrawl.fetch.decoding import Decoder, decoder_for
from recrawl.fetch.exchange import CURRENT, Exchange, Watch
from recrawl.fetch.faults import WEB_ERRORS, BrokenConnectionError, FaultError, named, without_traces
from recrawl.fetch.fetched import Fetched
from recrawl.fetch.redirects import REDIRECTS, Chain

if TYPE_CHECKING:
    from recrawl.fetch.limits import Limits
    from recrawl.fetch.politeness import Gate
    from recrawl.fetch.request import Request

Check = Callable[[str], Awaitable[bool]]

REDIRECT_BYTES = 64 * 1024
"""Of the body of a redirect."""


@lru_cache(maxsize=16)  # the first request of a fetch has the same one as all others
def _timeout(total: float, connect: float, idle: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=total, sock_connect=connect, sock_read=idle)


class OneFetch:
    """One fetch on its way: its redirects, and what came last."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        request: "Request",
        chain: Chain,
        limits: "Limits",
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
        except WEB_ERRORS as error:
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
        with suppress(FaultError, *WEB_ERRORS):
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
        watch = None if content.is_eof() else Watch(answer)
        try:
            while piece := await content.readany():
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    raise FaultError("too-large", f"more than {most} bytes")
                if decoder is not None:
                    decoder.feed(piece, self._unpacked)
        except WEB_ERRORS:
            self._rescue(content, decoder)
            raise
        finally:
            if watch is not None:
                watch.stop()
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
