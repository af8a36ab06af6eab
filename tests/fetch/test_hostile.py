"""Every fault of the web has a name, and ends in time, with little memory."""

import asyncio
import gzip
import itertools
import socket
import ssl
import struct
import tracemalloc
from collections import Counter
from random import Random

import brotli
import pytest

from recrawl.clock import seconds
from recrawl.fetch import FAULTS, Fetcher, Limits
from tests.fetch.raw_server import AGENT, QUICK, RawServer, fetched, fetching, ok, sending

SHORT = Limits(total=0.8, idle=0.4, connect=0.8, body_bytes=1 << 20, raw_bytes=1 << 20)


def endless(begin, piece):
    """Sends until the other side has enough."""

    async def answer(path, writer, k):
        writer.write(begin)
        while True:
            writer.write(piece)
            await writer.drain()

    return RawServer(answer)


def silent_after(begin):
    async def answer(path, writer, k):
        writer.write(begin)
        await asyncio.Event().wait()

    return RawServer(answer)


def dripping(begin, drop=b"x", wait=0.02):
    async def answer(path, writer, k):
        writer.write(begin)
        while True:
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(wait)

    return RawServer(answer)


def resetting(data):
    async def answer(path, writer, k):
        writer.write(data)
        await writer.drain()
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
        return False

    return RawServer(answer)


def got(server, **more):
    before = seconds()
    result = fetched(server, fetcher={"limits": SHORT}, **more)
    assert seconds() - before < 5.0
    assert result.error == "" or (result.error in FAULTS and result.status is None and result.detail)
    return result


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("server", "error"),
    [
        # bodies that end too soon
        (sending(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), "truncated"),
        (sending(CHUNKED + b"5\r\nhello\r\n"), "truncated"),
        (sending(CHUNKED + b"a\r\nhello"), "truncated"),
        (sending(CHUNKED), "truncated"),
        (sending(ok(gzip.compress(b"hello" * 50)[:-12], "Content-Encoding: gzip")), "truncated"),
        # broken framing
        (sending(CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n"), "bad-response"),
        (sending(CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n"), "bad-response"),
        (sending(CHUNKED + b"ffffffffffffffffff\r\nhello"), "bad-response"),
        (sending(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"), "bad-response"),
        (sending(b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nhello"), "bad-response"),
        (sending(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello"), "bad-response"),
        # no HTTP at all
        (sending(b"<html>hello</html>"), "bad-response"),
        (sending(b"SSH-2.0-OpenSSH_9.9\r\n"), "bad-response"),
        (sending(b"220 mail.example ESMTP\r\n"), "bad-response"),
        (sending(b"HTTP/1.1 abc OK\r\n\r\n"), "bad-response"),
        (sending(b"HTTP/1.1 200 OK\r\n\x00: x\r\n\r\n"), "bad-response"),
        (sending(b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n"), "bad-response"),
        (sending(b"\x16\x03\x01\x02\x00" * 100), "bad-response"),
        (sending(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), "bad-response"),
        # a part that nobody asked for
        (sending(ok(b"hello", "Content-Range: bytes 0-4/99", status="206 Partial Content")), "bad-response"),
        (sending(ok(b"hello", status="206 Partial Content")), "bad-response"),
        # connections that break
        (sending(b""), "reset"),
        (sending(b"HTTP/1.1 200 OK\r\nContent-Le"), "reset"),
        (resetting(b""), "reset"),
        (resetting(b"HTTP/1.1 200 OK\r\nX: "), "reset"),
        (resetting(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), "reset"),
        (resetting(CHUNKED + b"5\r\nhello\r\n"), "reset"),
        # headers without end
        (endless(b"HTTP/1.1 200 OK\r\n", b"X-Header: " + b"y" * 1000 + b"\r\n"), "headers-too-large"),
        (endless(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 50), "headers-too-large"),
        (endless(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 10_000), "headers-too-large"),
        (endless(b"HTTP/1.1 200 OK\r\n", b"y" * 10_000), "headers-too-large"),
        (endless(b"HTTP/1.1 200 ", b"y" * 10_000), "headers-too-large"),
        (sending(ok(b"", *(f"X-{k}: {'y' * 9000}" for k in range(10)))), "headers-too-large"),
        # bodies without end
        (endless(b"HTTP/1.1 200 OK\r\n\r\n", b"y" * 10_000), "too-large"),
        (endless(CHUNKED, b"1000\r\n" + b"y" * 4096 + b"\r\n"), "too-large"),
        (sending(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", close=False), "too-large"),
        # bombs
        (sending(ok(gzip.compress(bytes(30 << 20)), "Content-Encoding: gzip")), "bomb"),
        (sending(ok(brotli.compress(bytes(30 << 20)), "Content-Encoding: br")), "bomb"),
        (sending(ok(gzip.compress(gzip.compress(bytes(30 << 20))), "Content-Encoding: gzip, gzip")), "bomb"),
        # encodings
        (sending(ok(b"\xff" * 50, "Content-Encoding: br")), "bad-encoding"),
        (sending(ok(b"hello", "Content-Encoding: zstd")), "bad-encoding"),
        (sending(ok(b"\x1f\x8b\xff\xff\xff" * 5, "Content-Encoding: gzip")), "bad-encoding"),
        # silence and slowness
        (silent_after(b""), "idle"),
        (silent_after(b"HTTP/1.1 200 OK\r\nX:"), "idle"),
        (silent_after(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), "idle"),
        (silent_after(b"HTTP/1.1 100 Continue\r\n\r\n"), "timeout"),
        (dripping(b"HTTP/1.1 200 OK\r\nX: "), "timeout"),
        (dripping(b"HTTP/1.1 200 OK\r\n\r\n"), "timeout"),
        (dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "timeout"),
    ],
)  # fmt: skip
def test_faults_by_name(server, error):
    assert got(server).error == error


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\nhello", b"hello"),  # ends with the connection
        (b"HTTP/1.0 200 OK\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok(b"hello"), b"hello"),
        (ok(b"hello") + ok(b"smuggled"), b"hello"),
        (CHUNKED + b"5;x=y\r\nhello\r\n0\r\nTrailer: z\r\n\r\n", b"hello"),
        (CHUNKED + b"0\r\n\r\n", b""),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (ok(b"hello", "Content-Encoding: gzip"), b"hello"),
        (ok(b"hello", "Content-Encoding: utf-8"), b"hello"),
        (ok(b"hello", "X: \xff\xfe"), b"hello"),
    ],
)
def test_odd_answers_are_taken(data, body):
    answer = got(sending(data))
    assert (answer.error, answer.body) == ("", body)


def test_a_body_longer_than_it_says():
    """Taken as far as it says; where the rest comes in the same packet, aiohttp refuses all of it."""
    answer = got(sending(ok(b"hello") + b"rubbish"))
    assert (answer.error, answer.body) in (("", b"hello"), ("bad-response", b""))


@pytest.mark.parametrize(
    "server",
    [
        sending(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
        sending(CHUNKED + b"5\r\nhello\r\n"),
        silent_after(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
    ],
)
def test_what_came_before_the_break_is_kept(server):
    answer = got(server)
    assert (answer.status, answer.raw, answer.body) == (None, b"hello", b"hello")
    assert answer.response_head.startswith(b"HTTP/1.1 200 OK\r\n")


def broken_later(begin, rest):
    """Sends the rest when the beginning was read."""

    async def answer(path, writer, k):
        writer.write(begin)
        await writer.drain()
        for _ in range(20):
            await asyncio.sleep(0)
        writer.write(rest)
        return False

    return RawServer(answer)


def test_chunks_that_break_later():
    answer = got(broken_later(CHUNKED + b"5\r\nhello\r\n", b"zz\r\nworld\r\n"))
    assert (answer.error, answer.body) == ("bad-response", b"hello")


def test_what_came_before_the_break_is_kept_unpacked():
    packed = gzip.compress(bytes(range(256)) * 100)
    answer = got(sending(ok(packed, "Content-Encoding: gzip")[:-20]))
    assert answer.error == "truncated"
    assert answer.raw == packed[:-20]
    assert (bytes(range(256)) * 100).startswith(answer.body)
    assert len(answer.body) > 200


def test_a_connection_that_is_refused():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens

        async def main():
            async with Fetcher(AGENT, limits=SHORT, allow_private=True) as fetcher:
                return await fetcher.fetch(f"http://127.0.0.1:{taken.getsockname()[1]}/")

        assert asyncio.run(main()).error == "connect"


def test_a_server_that_speaks_no_tls():
    async def main():
        async def serve(reader, writer):
            writer.write(b"hello" * 100)
            await reader.read()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, Fetcher(AGENT, limits=QUICK, allow_private=True) as fetcher:
            return await fetcher.fetch(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")

    assert asyncio.run(main()).error == "tls"


def test_a_handshake_that_takes_too_long():
    async def main():
        async with sending(b"") as server, Fetcher(AGENT, limits=Limits(connect=0.2), allow_private=True) as fetcher:
            return await fetcher.fetch(server.url().replace("http:", "https:"))

    assert asyncio.run(main()).error == "connect"


def test_a_certificate_nobody_vouches_for(tmp_path):
    pem = tmp_path / "own.pem"
    pem.write_text(OWN_CERTIFICATE, encoding="ascii")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)

    async def main():
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
        async with server, Fetcher(AGENT, limits=QUICK, allow_private=True) as fetcher:
            return await fetcher.fetch(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")

    assert asyncio.run(main()).error == "tls"


SEEDS = (
    ok(b"hello", "ETag: x", "Content-Type: text/html"),
    CHUNKED + b"5\r\nhello\r\n3;a=b\r\nabc\r\n0\r\nA: b\r\n\r\n",
    ok(gzip.compress(b"hello" * 9, mtime=0), "Content-Encoding: gzip"),
    ok(brotli.compress(b"hello" * 9), "Content-Encoding: br", "Retry-After: 5"),
    b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok(b"hello", "Location: /b", status="302 Found"),
)


def mutated(random):
    """An answer with some bytes changed, dropped, doubled or cut off; in one piece or in two."""
    data = bytearray(random.choice(SEEDS))
    for _ in range(random.randrange(4)):
        k = random.randrange(len(data))
        kind = random.randrange(4)
        if kind == 0:
            data[k] = random.randrange(256)
        elif kind == 1:
            del data[k : k + random.randrange(1, 9)]
        elif kind == 2:
            data[k:k] = data[k : k + random.randrange(1, 30)]
        else:
            data[k:k] = random.choice(
                (b"\r\n", b"\x00", b"\xff", b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n")
            )
        if not data:
            break
    return bytes(data), random.randrange(len(data) + 1)


def test_nothing_that_comes_raises_or_hangs():
    """400 mutated answers, from a fixed seed; each ends with a status or a fault that is known."""
    random = Random(15)

    async def answer(path, writer, k):
        data, cut = mutated(random)
        writer.write(data[:cut])
        await writer.drain()
        for _ in range(random.randrange(8)):
            await asyncio.sleep(0)
        writer.write(data[cut:])
        return random.random() < 0.2

    server = RawServer(answer)

    async def main():
        limits = Limits(total=0.4, idle=0.2, connect=1.0)
        async with fetching(server, limits=limits) as fetcher:
            urls = (server.url(f"/{k}") for k in range(400))
            room = asyncio.Semaphore(20)

            async def one(url):
                async with room:
                    return await fetcher.fetch(url)

            return await asyncio.gather(*map(one, urls))

    answers = asyncio.run(asyncio.wait_for(main(), 60))
    errors = Counter(answer.error for answer in answers)
    assert errors.keys() <= {"", *FAULTS}
    assert all((answer.status is None) == bool(answer.error) for answer in answers)
    assert len(errors) >= 5


def test_memory_stays_flat_through_all_of_it():
    """Rounds of endless headers, endless bodies and bombs: the last takes no more than the first."""
    bomb = ok(gzip.compress(bytes(30 << 20)), "Content-Encoding: gzip")

    async def answer(path, writer, k):
        if path == "/bomb":
            writer.write(bomb)
            return
        writer.write(b"HTTP/1.1 200 OK\r\n" + (b"\r\n" if path == "/body" else b""))
        for n in itertools.count():
            writer.write(b"X-%d: " % n + b"y" * 4000 + b"\r\n")
            await writer.drain()

    server = RawServer(answer)
    errors, sizes = [], []

    async def main():
        async with fetching(server, limits=SHORT) as fetcher:
            for _ in range(10):
                answers = [await fetcher.fetch(server.url(path)) for path in ("/bomb", "/body", "/head")]
                errors.extend(answer.error for answer in answers)
                del answers
                sizes.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        asyncio.run(main())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert errors == ["bomb", "too-large", "headers-too-large"] * 10
    assert peak < 16 << 20
    assert sizes[-1] < sizes[1] + (1 << 18)


OWN_CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglX1yI2EsXVFIhJJ4
/KtgSKN0z55qDm3nYk11AilcwuGhRANCAASmvlzDKPxni7I19WBXnt5Wq1LKsxfy
d75S/pdD/ui3YBs0Lda0YsDSmWzP0dkAyQRQuL6/hZYX+9tEUOXxbj7/
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUUlxMHZKfFiSoeiuHgL34/UytTS8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTExODA0NDU1OFoYDzIxMjYxMDI1
MDQ0NTU4WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASmvlzDKPxni7I19WBXnt5Wq1LKsxfyd75S/pdD/ui3YBs0Lda0YsDS
mWzP0dkAyQRQuL6/hZYX+9tEUOXxbj7/o1MwUTAdBgNVHQ4EFgQUE092ViD/wmM8
yjU696mVOZXzzo4wHwYDVR0jBBgwFoAUE092ViD/wmM8yjU696mVOZXzzo4wDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA2beO6/hf/fXDreoIHt5Z
wIt5D6tpzxf2WfN8o5+NBu4CIQDTr7HnbnjHmQf6gaTzrque92LCNY12KgwbFXDf
GMHW9A==
-----END CERTIFICATE-----
"""
