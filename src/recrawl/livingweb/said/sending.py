"""Requests that the living web itself makes: pings and deliveries.  To loopback addresses, and to no other."""

import asyncio
from urllib.parse import urlsplit

from recrawl.errors import InputError

_LIMIT_S = 10.0
_MOST = 1 << 20


def target(argument: str, url: str) -> tuple[str, int, str, str]:
    """Address, port, authority and target of a URL on loopback; refuses all others.

    >>> target("endpoint", "http://127.0.0.1:8080/indexnow")
    ('127.0.0.1', 8080, '127.0.0.1:8080', '/indexnow')
    """
    rule = f"{argument} must be a URL such as http://127.0.0.1:8080/path: the living web speaks to loopback only"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
    except ValueError as error:
        raise InputError(f"{rule}, got {url[:100]!r}", argument=argument) from error
    numbers = host.split(".")
    loopback = len(numbers) == 4 and numbers[0] == "127" and all(n.isdecimal() and int(n) < 256 for n in numbers)
    named = host == "localhost" or host.endswith(".localhost")
    if parts.scheme != "http" or not (loopback or named) or any(c <= " " for c in url):
        raise InputError(f"{rule}, got {url[:100]!r}", argument=argument)
    query = f"?{parts.query}" if parts.query else ""
    return ("127.0.0.1" if named else host), port, parts.netloc, (parts.path or "/") + query


async def send(method: str, url: str, headers: str = "", body: bytes = b"") -> tuple[int, bytes]:
    """Status and body of the answer; 0 where there is none in time."""
    address, port, authority, path = target("url", url)
    try:
        async with asyncio.timeout(_LIMIT_S):
            reader, writer = await asyncio.open_connection(address, port)
            try:
                head = (
                    f"{method} {path} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: recrawl-livingweb/1\r\n"
                    f"Content-Length: {len(body)}\r\nConnection: close\r\n{headers}\r\n"
                )
                writer.write(head.encode("latin-1") + body)
                await writer.drain()
                return _read(await _all(reader))
            finally:
                writer.close()
    except (OSError, TimeoutError, ValueError):
        return 0, b""


async def _all(reader: asyncio.StreamReader) -> bytes:
    got = b""
    while len(got) < _MOST:
        some = await reader.read(65536)
        if not some:
            break
        got += some
    return got


def _read(got: bytes) -> tuple[int, bytes]:
    head, _, body = got.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        whole = b""
        while body:
            size, _, body = body.partition(b"\r\n")
            length = int(size.partition(b";")[0] or b"0", 16)
            whole, body = whole + body[:length], body[length + 2 :]
            if not length:
                break
        body = whole
    return int(head.split(b" ", 2)[1]), body
