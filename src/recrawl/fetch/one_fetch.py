"""One fetch on its way: requests, answers and redirects, until there is a status or a fault."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import aiohttp
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from recrawl import clock as clocks
from recrawl.fetch.addresses import allowed_by, allowed_port, literal
from recrawl.fetch.decoding import Decoder, decoder_for
from recrawl.fetch.faults import WEB_ERRORS, BrokenConnectionError, FaultError, named, without_traces
from recrawl.fetch.fetched import Fetched
from recrawl.fetch.redirects import REDIRECTS, Chain
from recrawl.signals.http_dates import retry_after
from recrawl.urls import origin_of

if TYPE_CHECKING:
    from aiohttp.http_parser import RawResponseMessage

    from recrawl.fetch.connections import Connections
    from recrawl.fetch.limits import Limits
    from recrawl.fetch.politeness import Gate, Turn
    from recrawl.fetch.request import Request

Check = Callable[[str], Awaitable[bool]]

REDIRECT_BYTES = 64 * 1024
"""Of the body of a redirect."""
_NO_FIELDS: Mapping[str, str] = CIMultiDictProxy(CIMultiDict())


@lru_cache(maxsize=8192)
def _refused(origin: str, allow_private: bool) -> tuple[str, str]:
    """The fault, and what is to be said of it, where an origin can be refused before anybody waits for anything."""
    url = URL(f"{origin}/", encoded=True)
    if not allowed_port(url.port or 0):
        return "port-refused", str(url.port)
    host = url.raw_host or ""  # normalised: an address of IPv4 ends in a digit
    address = literal(host) if ":" in host or host[-1:].isdigit() else None
    if address is not None and not allowed_by(allow_private)(address):
        return "address-refused", str(address)
    return "", ""


@lru_cache(maxsize=1024)
def _name(raw: bytes) -> str:
    """The name of a header: there are few, and all answers have them."""
    return raw.decode("utf-8", "surrogateescape")


@lru_cache(maxsize=256)
def _first_line(version: tuple[int, int], status: int, reason: str) -> bytes:
    line = f"HTTP/{version[0]}.{version[1]} {status} {reason or ''}\r\n"
    return line.encode("utf-8", "surrogateescape")


class OneFetch:
    """One fetch on its way: its redirects, and what came last."""

    def __init__(
        self,
        connections: "Connections",
        request: "Request",
        chain: Chain,
        limits: "Limits",
        gate: "Gate | None",
        allow_private: bool,
    ) -> None:
        self.request = request
        self._connections, self._chain, self._limits, self._gate = connections, chain, limits, gate
        self._allow_private = allow_private
        self._asked_for = chain.url
        self._seconds = 0.0
        self._on_wire = 0
        self._clear()

    def _clear(self) -> None:
        self._status: int | None = None
        self._reply_head = b""
        self._headers: tuple[tuple[str, str], ...] = ()
        self._fields: Mapping[str, str] = _NO_FIELDS
        self._request_head = b""
        self._pieces: list[bytes] = []
        self._unpacked: list[bytes] = []
        self._plain = True
        self._ip = ""
        self._sent = self._reused = False

    async def run(self, check: Check | None) -> FaultError | None:
        """Ask, and follow redirects as far as they go; gives the fault it ended with."""
        try:
            while True:
                before = self._chain.url
                await self._ask()
                if self._status not in REDIRECTS:
                    return None
                place = self._chain.after(self._status, self._values("location"))
                if place is None:
                    return None
                if check is not None and not await check(place):
                    return FaultError("robots", place)
                self.request.moves(before, place)
        except FaultError as fault:
            return without_traces(fault)

    async def _ask(self) -> None:
        """One request to where the chain is now, and one more where a kept connection turns out to be closed."""
        origin = origin_of(self._chain.url)
        fault, detail = _refused(origin, self._allow_private)
        if fault:
            raise FaultError(fault, detail)
        again = await self._once(origin, may_repeat=True)
        if again:
            await self._once(origin, may_repeat=False)

    async def _once(self, origin: str, *, may_repeat: bool) -> bool:
        """A request and its answer; True where it should be sent again."""
        if self._pieces or self._sent:
            self._clear()
        room, turn = self._connections.room, None
        if self._gate is not None:
            turn = await self._gate.enter(self._chain.url)
        elif room is not None:
            await room.acquire()
        began = clocks.seconds()
        try:
            await self._exchange(origin, turn)
        except (BrokenConnectionError, aiohttp.ClientConnectionResetError) as error:
            if may_repeat and (self._reused or not self._sent):
                return True
            raise named(error) from error
        except WEB_ERRORS as error:
            raise named(error) from error
        finally:
            self._seconds += clocks.seconds() - began
            self._on_wire += len(self._reply_head) + sum(map(len, self._pieces))
            if turn is not None:
                turn.leave()
            elif room is not None:
                room.release()
        return False

    async def _exchange(self, origin: str, turn: "Turn | None") -> None:
        limits, connections = self._limits, self._connections
        left = limits.total - self._seconds
        if left <= 0.0:
            raise FaultError("timeout")
        self._request_head = self.request.head(origin, self._chain.url[len(origin) :])
        line = connections.kept(origin)
        if line is None:
            began = clocks.seconds()
            line = await connections.dialled(origin, left, limits)
            left = max(left - (clocks.seconds() - began), 0.0)
        whole = False
        try:
            self._reused, self._ip = line.used, line.ip
            connections.watch(line, left, limits.idle)
            line.ask(self._request_head + (self.request.body or b""), connections.header_bytes)
            self._sent = True
            if turn is not None:
                turn.asked()
            try:
                head, body = await line.answer()
            finally:
                if turn is not None:
                    turn.answered()
            self._take_head(head)
            if head.code in REDIRECTS:
                await self._read_away(body)
            else:
                await self._read(body, limits.raw_bytes)
            whole = True
        finally:
            connections.done(origin, line, whole=whole)

    def _take_head(self, head: "RawResponseMessage") -> None:
        self._fields, raw = head.headers, head.raw_headers
        self._reply_head = b"%b%b\r\n\r\n" % (
            _first_line(head.version, head.code, head.reason),
            b"\r\n".join(map(b": ".join, raw)),
        )
        self._headers = tuple([(_name(name), value.decode("utf-8", "surrogateescape")) for name, value in raw])
        if len(self._reply_head) > self._limits.header_bytes:
            raise FaultError("headers-too-large", f"{len(self._reply_head)} bytes")
        # RFC 9110: 206 is for who asked for a range, which no fetch does; a part must not pass for the page.
        if head.code in (101, 206) or (head.code == 304 and not self.request.conditional):
            raise FaultError("bad-response", f"status {head.code} was not asked for")
        self._status = head.code

    async def _read_away(self, body: aiohttp.StreamReader) -> None:
        """The body of a redirect: read so that the connection can be used again; what is wrong with it is no matter."""
        with suppress(FaultError, *WEB_ERRORS):
            await self._read(body, min(self._limits.raw_bytes, REDIRECT_BYTES))

    async def _read(self, body: aiohttp.StreamReader, most: int) -> None:
        """The body, piece by piece, unpacked on the way."""
        length = self._fields.get("Content-Length", "")
        if length.isdigit() and int(length) > most and self._status not in (204, 304):
            raise FaultError("too-large", f"{length} bytes announced")
        codings = self._values("Content-Encoding")
        decoder = decoder_for(", ".join(codings), self._limits.body_bytes) if codings else None
        self._plain = decoder is None
        if decoder is None:
            most = min(most, self._limits.body_bytes)
        size = 0
        pieces = self._pieces
        if decoder is None and body.is_eof() and body.exception() is None:  # all of it came with the head, as is usual
            pieces.append(piece := body.read_nowait())
            if len(piece) > most:
                raise FaultError("too-large", f"more than {most} bytes")
            return
        try:
            while piece := await body.readany():
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    raise FaultError("too-large", f"more than {most} bytes")
                if decoder is not None:
                    decoder.feed(piece, self._unpacked)
        except WEB_ERRORS:
            self._rescue(body, decoder)
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
        return [value for key, value in self._headers if key.lower() == name.lower()] if name in self._fields else []

    def result(self, fault: FaultError | None, started: float, now: Callable[[], float]) -> Fetched:
        """All of it, in its final form."""
        if fault is not None and fault.name == "bomb":
            self._pieces, self._unpacked = [], []
        raw = b"".join(self._pieces)
        fields = self._fields
        wait = fields.get("Retry-After", "")
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
            retry_after=retry_after(wait, now()) if wait else None,
            etag=fields.get("ETag", ""),
            last_modified=fields.get("Last-Modified", ""),
            content_type=fields.get("Content-Type", ""),
            ip=self._ip,
            started=started,
            seconds=self._seconds,
            on_wire=self._on_wire,
            detail="" if fault is None else fault.detail,
        )
