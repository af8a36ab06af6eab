"""The faults of `recrawl.livingweb.faults`, done: each function answers one of them in place of the healthy answer."""

import asyncio
import socket
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any

from recrawl.livingweb import bodies
from recrawl.livingweb.dates import http_date
from recrawl.livingweb.wire.answer import Answer, Script
from recrawl.livingweb.wire.visit import Visit

if TYPE_CHECKING:
    from recrawl.livingweb.wire.connection import Connection

HTML = "Content-Type: text/html; charset=utf-8\r\n"
LEADS = {
    "private": (
        "http://127.0.0.2:9/",
        "http://localhost:9200/_search",
        "http://[::1]:22/",
        "http://[::ffff:127.0.0.1]:25/",
        "http://0x7f.1:6379/",
        "http://2130706433:11211/",
        "http://127.0.0.1.:9/",
        "file:///etc/passwd",
    ),
    "intranet": (
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://192.168.1.1/admin",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[64:ff9b::a00:1]/",
    ),
}
"""Where faults lead that lead to addresses which are not public, in turn."""
BOMB_BYTES = 256 << 20
_PATIENCE_S = 600.0
"""After this even the most patient crawler is let go."""
_VIA = {"moved": "/moved", "elsewhere": "/now", "loop": "/loop", "chain": "/chain"}

Elsewhere = Callable[[Visit, int], str]


def via(path: str) -> tuple[str, str, int]:
    """What a redirect of ours leads to: the address without the prefix, the fault that uses it, and the step.

    >>> via("/moved/a.html"), via("/chain/3/a.html"), via("/a.html")
    (('/a.html', 'moved', 0), ('/a.html', 'chain', 3), ('/a.html', '', 0))
    """
    for fault, prefix in _VIA.items():
        if path.startswith(prefix + "/"):
            rest = path[len(prefix) :]
            if fault != "chain":
                return rest, fault, 0
            step, _, rest = rest[1:].partition("/")
            if step.isdecimal() and step.isascii() and len(step) < 10:
                return f"/{rest}", fault, int(step)
    return path, "", 0


class Misbehaving:
    """Does faults; remembers only which pages failed last, for those that fail every other time."""

    def __init__(self, start: float, elsewhere: Elsewhere) -> None:
        self._start, self._elsewhere = start, elsewhere
        self._failed: set[str] = set()
        self._count = 0

    def answer(self, fault: str, visit: Visit, healthy: Answer, path: str, came: str, step: int) -> Answer:
        """The answer to a visit of a page with a fault; `came` and `step`: by which redirect of ours, see `via`."""
        self._count += 1
        if came and came != fault:
            out = Answer(404, HTML, bodies.missing(visit.path, 0))
        elif fault in _VIA:
            out = _redirected(fault, visit, healthy, path, came, step)
        elif fault in _STATUSES:
            out = Answer(_STATUSES[fault], HTML, bodies.missing(path, 0))
        elif fault in _SCRIPTS:
            status, script = _SCRIPTS[fault](healthy)
            out = Answer(status, script=script)
            if fault == "slow":
                out.version = healthy.version
        else:
            out = self._by_circumstance(fault, visit, healthy, path)
        if out is not healthy:
            out.kind, out.page, out.fault = healthy.kind, healthy.page, fault
        return out

    def _by_circumstance(self, fault: str, visit: Visit, healthy: Answer, path: str) -> Answer:
        """Faults that depend on who asks, when, or what was before."""
        if fault == "unavailable":
            later = http_date(self._start + visit.now + 3600.0)
            return Answer(503, f"{HTML}Retry-After: {later}\r\n", b"later\n")
        if fault == "too-many":
            return Answer(429, f"{HTML}Retry-After: 600\r\n", b"too many\n")
        if fault == "soft-404":
            return Answer(200, HTML, bodies.missing(path, self._count))
        if fault in LEADS:
            return _to(302, LEADS[fault][self._count % len(LEADS[fault])])
        if fault == "across":
            return _to(301, self._elsewhere(visit, healthy.page))
        if fault == "flaky":
            return self._every_other(visit, healthy)
        if fault == "impatient":
            delay = visit.host.plan.crawl_delay or 1.0
            if visit.gap < delay:
                return Answer(429, f"{HTML}Retry-After: {int(delay) + 1}\r\n", b"too soon\n")
        return healthy

    def _every_other(self, visit: Visit, healthy: Answer) -> Answer:
        mark = f"{visit.host.index}{visit.path}"
        if mark in self._failed:
            self._failed.remove(mark)
            return healthy
        self._failed.add(mark)
        return Answer(503, f"{HTML}Retry-After: 60\r\n", b"in a minute\n")


_STATUSES = {"not-found": 404, "gone": 410, "error": 500}


def _to(status: int, location: str) -> Answer:
    return Answer(status, f"{HTML}Location: {location}\r\n", b"elsewhere\n")


def _redirected(fault: str, visit: Visit, healthy: Answer, path: str, came: str, step: int) -> Answer:
    if fault == "chain":
        return _to(302, f"{visit.base}/chain/{step + 1}{path}")
    if fault == "loop":
        return _to(302, f"{visit.base}{path}" if came else f"{visit.base}/loop{path}")
    return healthy if came else _to(301 if fault == "moved" else 302, f"{visit.base}{_VIA[fault]}{path}")


# What follows writes to the wire by hand.  A script that closes or aborts has not sent a whole answer.


def _head(headers: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{headers}\r\n".encode("latin-1")


def _once(data: bytes, reset: bool = False) -> Script:
    """Some bytes, and then the end: a proper one or a reset."""

    async def script(connection: "Connection") -> None:
        if data:
            connection.write(data)
            await connection.drain()
        if reset:
            linger = struct.pack("ii", 1, 0)
            connection.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            connection.transport.abort()
        else:
            connection.transport.close()

    return script


def _endless(head: bytes, piece: Callable[[int], bytes]) -> Script:
    """Pieces without an end, as fast as they are read; but others are let in between."""

    async def script(connection: "Connection") -> None:
        connection.write(head)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                for number in count():
                    await connection.drain()
                    connection.write(piece(number))
                    await asyncio.sleep(0.001)
        connection.transport.abort()

    return script


def _slow(healthy: Answer) -> tuple[int, Script]:
    async def script(connection: "Connection") -> None:
        body = healthy.body
        validators = "".join(
            f"{line}\r\n" for line in healthy.headers.split("\r\n") if line.startswith(("ETag", "Last-Modified"))
        )
        if healthy.status == 304:
            connection.write(f"HTTP/1.1 304 Not Modified\r\n{validators}Connection: close\r\n\r\n".encode("latin-1"))
            return
        encoded = "Content-Encoding: gzip\r\n" if "Content-Encoding" in healthy.headers else ""
        connection.write(_head(f"{validators}{encoded}Content-Length: {len(body)}\r\nConnection: close\r\n"))
        step = max(1, -(-len(body) // 20))
        for at in range(0, len(body), step):
            await asyncio.sleep(0.05)
            connection.write(body[at : at + step])
            await connection.drain()

    return healthy.status, script


async def _silence(connection: "Connection") -> None:
    await asyncio.sleep(_PATIENCE_S)
    connection.transport.close()


def _body(healthy: Answer) -> bytes:
    return healthy.body or b"nothing\n" * 100


def _length(times: float, reset: bool = False, part: float = 1.0) -> Callable[[Answer], tuple[int, Script]]:
    """Content-Length is so many times the truth, and only a part of the body comes."""

    def made(healthy: Answer) -> tuple[int, Script]:
        body = _body(healthy)
        head = _head(f"Content-Length: {int(len(body) * times)}\r\n")
        return 200, _once(head + body[: int(len(body) * part)], reset)

    return made


def _chunk(tail: bytes) -> Callable[[Answer], tuple[int, Script]]:
    def made(healthy: Answer) -> tuple[int, Script]:
        body = _body(healthy)
        return 200, _once(_head("Transfer-Encoding: chunked\r\n") + b"%x\r\n%b\r\n" % (len(body), body) + tail)

    return made


def _encoded(encoding: str, payload: Callable[[Answer], bytes]) -> Callable[[Answer], tuple[int, Script]]:
    def made(healthy: Answer) -> tuple[int, Script]:
        body = payload(healthy)
        return 200, _once(_head(f"Content-Encoding: {encoding}\r\nContent-Length: {len(body)}\r\n") + body)

    return made


@lru_cache(1)
def gzip_bomb() -> bytes:
    """Zeros; the same compressed block over and over, as each begins anew."""
    block, blocks = bytes(1 << 20), BOMB_BYTES >> 20
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(block) + deflate.flush(zlib.Z_FULL_FLUSH)
    crc = 0
    for _ in range(blocks):
        crc = zlib.crc32(block, crc)
    end = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" + packed * blocks + end + struct.pack("<II", crc, BOMB_BYTES)


@lru_cache(1)
def brotli_bomb() -> bytes:
    """Zeros again."""
    brotli: Any = import_module("brotli")  # it has no types
    packer, block = brotli.Compressor(quality=3), bytes(1 << 20)
    return b"".join([*(packer.process(block) for _ in range(BOMB_BYTES >> 20)), packer.finish()])


def prepare(faults: set[str]) -> None:
    """Make what takes a moment now rather than while others wait."""
    if "gzip-bomb" in faults:
        gzip_bomb()
    if "brotli-bomb" in faults:
        brotli_bomb()


_FILLER = b"%x\r\n%b\r\n" % (65536, b"and so on " * 6553 + b"......")
_LONG = b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * (1 << 20) + b"\r\nContent-Length: 2\r\n\r\nok"

_SCRIPTS: dict[str, Callable[[Answer], tuple[int, Script]]] = {
    "slow": _slow,
    "silent": lambda _: (0, _silence),
    "reset": _length(1.0, reset=True, part=0.5),
    "reset-early": lambda _: (0, _once(b"", reset=True)),
    "truncated": _length(2.0),
    "too-long": _length(0.5),
    "broken-chunk": _chunk(b"no number\r\nand more\r\n0\r\n\r\n"),
    "cut-chunk": _chunk(b"400\r\nnot all of it"),
    "bad-gzip": _encoded("gzip", _body),
    "no-http": lambda _: (0, _once(b"\x16\x03\x01 this is no HTTP at all\r\n\r\n")),
    "gzip-bomb": _encoded("gzip", lambda _: gzip_bomb()),
    "brotli-bomb": _encoded("br", lambda _: brotli_bomb()),
    "endless-body": lambda _: (200, _endless(_head("Transfer-Encoding: chunked\r\n"), lambda _: _FILLER)),
    "endless-headers": lambda _: (
        0,
        _endless(b"HTTP/1.1 200 OK\r\n", lambda number: b"X-Filler-%d: %b\r\n" % (number, b"x" * 8000)),
    ),
    "long-header": lambda _: (200, _once(_LONG)),
}
