"""What is sent, what is taken, and what comes of it, over real sockets."""

import asyncio
import gzip
from itertools import pairwise

import pytest

from recrawl.clock import SystemClock
from recrawl.errors import InputError
from recrawl.fetch import Fetcher, Gate, Hop, Limits
from tests.fetch.raw_server import AGENT, QUICK, RawServer, fetched, fetching, ok, routes, sending


def test_an_answer_has_all_that_a_crawler_and_an_archive_want():
    packed = gzip.compress(b"hello")
    lines = (
        'ETag: W/"a"',
        "last-modified: Thu, 01 Jan 1970 00:00:00 GMT",
        "Content-Type: text/html",
        "X-a: 1",
        "x-A: 2",
    )
    server = sending(ok(packed, "Content-Encoding: gzip", *lines))
    got = fetched(server, "/a%20b?q=%C3%A4&r='x'")
    assert (got.status, got.error, got.body, got.raw) == (200, "", b"hello", packed)
    assert got.url == got.final_url == server.url("/a%20b?q=%C3%A4&r=%27x%27")
    assert (got.etag, got.last_modified) == ('W/"a"', "Thu, 01 Jan 1970 00:00:00 GMT")
    assert (got.content_type, got.ip, got.hops, got.moved_to) == ("text/html", "127.0.0.1", (), None)
    assert got.headers[-2:] == (("X-a", "1"), ("x-A", "2"))
    assert got.header("x-a") == "1"
    assert got.header("x-b") is None
    assert got.response_head + packed == ok(packed, "Content-Encoding: gzip", *lines)
    assert got.on_wire == len(got.response_head) + len(packed)
    assert [got.request_head] == server.heads
    assert 0.0 < got.seconds < 5.0
    assert abs(got.started - SystemClock().wall()) < 60.0


def test_nothing_is_sent_that_need_not_be():
    server = sending(ok(b""))
    fetched(server)
    assert server.heads[0].decode().split("\r\n") == [
        "GET / HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"User-Agent: {AGENT}",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Encoding: gzip, deflate, br",
        "",
        "",
    ]


def test_validators_are_sent_word_for_word():
    server = sending(b'HTTP/1.1 304 Not Modified\r\nETag: "b"\r\n\r\n', close=False)
    got = fetched(server, etag='W/"a, b"', last_modified="yesterday  or so")
    assert (got.status, got.body, got.etag) == (304, b"", '"b"')
    assert got.request_head == server.heads[0]
    assert b'\r\nIf-None-Match: W/"a, b"\r\nIf-Modified-Since: yesterday  or so\r\n' in server.heads[0]


def test_validators_are_not_sent_when_asked_not_to():
    server = sending(ok(b""))
    fetched(server, etag='"a"', last_modified="x", conditional=False)
    assert b"If-" not in server.heads[0]


@pytest.mark.parametrize("etag", ['"\udc80"', '"a\r\nX: y"', '"\x00"'])
def test_validators_that_cannot_be_sent_are_not(etag):
    server = sending(ok(b"hello"))
    got = fetched(server, etag=etag)
    assert got.status == 200
    assert b"If-" not in server.heads[0]


def test_non_ascii_validators_are_sent_as_they_came():
    """Header values are read as UTF-8, and so they are sent."""
    server = routes({"/": ok(b"x", 'ETag: "\u00e4"')})

    async def main():
        async with fetching(server) as fetcher:
            first = await fetcher.fetch(server.url())
            return await fetcher.fetch(server.url(), etag=first.etag)

    got = asyncio.run(main())
    assert 'If-None-Match: "\u00e4"\r\n'.encode() in server.heads[1]
    assert got.request_head == server.heads[1]


@pytest.mark.parametrize("answer", ["304 Not Modified", "206 Partial Content"])
def test_what_nobody_asked_for_is_no_answer(answer):
    assert fetched(sending(f"HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n".encode())).error == "bad-response"


@pytest.mark.parametrize("status", [200, 203, 204, 400, 401, 403, 404, 410, 418, 429, 451, 500, 503, 599, 999])
def test_every_status_is_an_answer(status):
    got = fetched(sending(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode()))
    assert (got.status, got.error) == (status, "")


def test_temporary_redirects_are_followed():
    server = routes({
        "/a": ok(b"moved", "Location: /b", status="302 Found"),
        "/b": ok(b"moved", "Location: c", status="307 Temporary Redirect"),
        "/c": ok(b"hello"),
    })  # fmt: skip
    got = fetched(server, "/a", etag='"a"')
    assert (got.url, got.final_url, got.status, got.body) == (server.url("/a"), server.url("/c"), 200, b"hello")
    assert got.hops == (Hop(server.url("/a"), 302, server.url("/b")), Hop(server.url("/b"), 307, server.url("/c")))
    assert got.moved_to is None
    assert server.connections == 1
    assert all(b'If-None-Match: "a"' in head for head in server.heads)


@pytest.mark.parametrize("status", ["301 Moved Permanently", "308 Permanent Redirect"])
def test_permanent_redirects_are_said_and_not_followed(status):
    server = routes({"/a": ok(b"moved", "Location: /b", status=status)})
    got = fetched(server, "/a")
    assert (got.status, got.moved_to, got.final_url, got.body) == (
        int(status[:3]), server.url("/b"), server.url("/a"), b"moved",
    )  # fmt: skip
    assert len(server.heads) == 1


def test_all_redirects_are_followed_when_asked_so():
    server = routes({"/a": ok(b"", "Location: /b", status="301 X"), "/b": ok(b"hello")})
    got = fetched(server, "/a", follow="all")
    assert (got.status, got.final_url) == (200, server.url("/b"))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (ok(b"", "Location: /a", status="302 X"), "redirect-loop"),
        (ok(b"", "Location: /a", status="301 X"), "redirect-loop"),
        (ok(b"", status="302 X"), "bad-redirect"),
        (ok(b"", "Location: ftp://example.org/", status="302 X"), "bad-redirect"),
        (ok(b"", "Location: http://127.0.0.1:25/", status="302 X"), "port-refused"),
    ],
)
def test_redirects_that_lead_nowhere(answer, error):
    got = fetched(routes({"/a": answer}), "/a")
    assert (got.status, got.error, got.moved_to) == (None, error, None)


def test_endless_redirects_end():
    async def answer(path, writer, k):
        writer.write(ok(b"", f"Location: /{int(path[1:]) + 1}", status="302 X"))

    server = RawServer(answer)
    got = fetched(server, "/0")
    assert (got.error, len(server.heads), len(got.hops)) == ("too-many-redirects", 6, 5)


def test_a_redirect_counts_though_its_body_is_broken():
    async def answer(path, writer, k):
        if path == "/b":
            writer.write(ok(b"hello"))
            return True
        writer.write(b"HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Encoding: br\r\nContent-Length: 100\r\n\r\nabc")
        return False

    got = fetched(RawServer(answer), "/a")
    assert (got.status, got.body, len(got.hops)) == (200, b"hello", 1)


def test_a_hop_may_be_forbidden():
    server = routes({"/a": ok(b"", "Location: /b", status="302 X")})
    asked = []

    async def check(url):
        asked.append(url)
        return False

    got = fetched(server, "/a", check=check)
    assert (got.error, got.status, asked, len(server.heads)) == ("robots", None, [server.url("/b")], 1)


def test_secrets_stay_with_their_origin():
    """Another port is another origin."""

    async def main():
        async with routes({"/b": ok(b"")}) as other:
            server = routes({
                "/a": ok(b"", "Location: /x", "Set-Cookie: a=b", status="302 X"),
                "/x": ok(b"", f"Location: {other.url('/b')}", status="302 X"),
            })  # fmt: skip
            async with fetching(server) as fetcher:
                secrets = [("Authorization", "Basic x"), ("cookie", "c=d"), ("X-Own", "e")]
                got = await fetcher.fetch(server.url("/a"), headers=secrets)
                await fetcher.fetch(server.url("/x"), follow="none")
                return got, server.heads, other.heads

    got, at_home, abroad = asyncio.run(main())
    assert got.status == 200
    assert all(b"Authorization: Basic x\r\ncookie: c=d\r\nX-Own: e\r\n" in head for head in at_home[:2])
    assert b"ookie" not in at_home[2]  # cookies are not kept at all
    assert b"uthorization" not in abroad[0]
    assert b"ookie" not in abroad[0]


def test_retry_after_in_both_forms():
    assert fetched(sending(ok(b"", "Retry-After: 120", status="429 X"))).retry_after == 120.0
    date = "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT"
    assert fetched(sending(ok(b"", date, status="503 X"))).retry_after > 1e9
    assert fetched(sending(ok(b"", "Retry-After: soon", status="503 X"))).retry_after is None


def test_a_post():
    server = routes({"/a": ok(b"", "Location: /b", status="307 X"), "/b": ok(b"done", status="202 Accepted")})
    form = [("Content-Type", "application/x-www-form-urlencoded")]
    got = fetched(server, "/a", post=b"hub.mode=subscribe", headers=form, follow="all")
    assert (got.status, server.bodies) == (202, [b"hub.mode=subscribe"] * 2)
    assert got.request_head == server.heads[1]


def test_connections_are_kept():
    server = routes({"/": ok(b"hello")})

    async def main():
        async with fetching(server) as fetcher:
            for _ in range(10):
                assert (await fetcher.fetch(server.url())).body == b"hello"

    asyncio.run(main())
    assert (len(server.heads), server.connections) == (10, 1)


def test_a_kept_connection_that_was_closed_is_no_fault_and_asking_again_passes_the_gate():
    async def answer(path, writer, k):
        if k == 1:
            return False  # the second request on a connection is not answered
        writer.write(ok(b"hello"))
        return True

    server = RawServer(answer)
    passed = []

    class Counting(Gate):
        async def enter(self, url):
            passed.append(url)
            return await super().enter(url)

    gate = Counting(SystemClock(), None, 0.0, 1)

    async def main():
        async with fetching(server, gate=gate) as fetcher:
            return [(await fetcher.fetch(server.url())).status for _ in range(3)]

    assert asyncio.run(main()) == [200, 200, 200]
    assert len(passed) == len(server.heads) == 5
    assert gate.in_flight == 0


def test_a_new_connection_that_breaks_is_a_fault_and_is_not_tried_again():
    async def answer(path, writer, k):
        return False

    server = RawServer(answer)
    assert fetched(server).error == "reset"
    assert len(server.heads) == 1


def test_every_hop_passes_the_gate_and_leaves_it():
    server = routes({"/a": ok(b"", "Location: /b", status="302 X"), "/b": ok(b"hello")})
    log = []

    class Logging(Gate):
        async def enter(self, url):
            turn = await super().enter(url)
            log.append((self.in_flight, url))
            return turn

    gate = Logging(SystemClock(), None, 0.0, 1)
    fetched(server, "/a", fetcher={"gate": gate})
    a, b = server.url("/a"), server.url("/b")
    assert log == [(1, a), (1, b)]
    assert gate.in_flight == 0


def test_gaps_hold_as_the_host_sees_them():
    """On the server's side, over connections that are made anew for each request."""
    times = []

    async def answer(path, writer, k):
        times.append(asyncio.get_running_loop().time())
        writer.write(ok(b"hello"))
        return False

    server = RawServer(answer)
    gate = Gate(SystemClock(), None, 0.05, 1)

    async def main():
        async with fetching(server, gate=gate) as fetcher:
            await asyncio.gather(*(fetcher.fetch(server.url(f"/{k}")) for k in range(8)))

    asyncio.run(main())
    assert len(times) == 8
    assert min(after - before for before, after in pairwise(times)) >= 0.05


def test_the_gate_is_left_when_a_fetch_is_cancelled():
    gate = Gate(SystemClock(), None, 0.0, 1)
    here = asyncio.Event()

    async def answer(path, writer, k):
        here.set()
        await asyncio.Event().wait()

    server = RawServer(answer)

    async def main():
        async with fetching(server, gate=gate) as fetcher:
            task = asyncio.create_task(fetcher.fetch(server.url()))
            await here.wait()
            assert gate.in_flight == 1
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert gate.in_flight == 0

    asyncio.run(main())


def test_the_answer_to_a_cancelled_fetch_is_not_taken_for_another_ones():
    asked, go = asyncio.Event(), asyncio.Event()

    async def answer(path, writer, k):
        if path == "/late":
            asked.set()
            await go.wait()
        writer.write(ok(path.encode()))

    server = RawServer(answer)

    async def main():
        async with fetching(server) as fetcher:
            await fetcher.fetch(server.url("/first"))
            task = asyncio.create_task(fetcher.fetch(server.url("/late")))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            go.set()
            return (await fetcher.fetch(server.url("/next"))).body

    assert asyncio.run(main()) == b"/next"


@pytest.mark.parametrize("agent", ["", "  ", None, "a\r\nb", "\udc80"])
def test_a_user_agent_must_say_something(agent):
    with pytest.raises(InputError, match="user_agent must be one line of text that names the crawler and a contact"):
        Fetcher(agent)


@pytest.mark.parametrize(
    "headers", [[("Host", "x")], [("User-Agent", "x")], [("a b", "x")], [("X", "a\r\nb")], [("Range", "x")]]
)
def test_headers_are_checked(headers):
    async def main():
        async with Fetcher(AGENT) as fetcher:
            await fetcher.fetch("http://example.org/", headers=headers)

    with pytest.raises(InputError, match="headers must have"):
        asyncio.run(main())


def test_what_is_no_url_is_the_callers_fault():
    async def main():
        async with Fetcher(AGENT) as fetcher:
            await fetcher.fetch("ftp://example.org/")

    with pytest.raises(InputError, match="url must begin with http"):
        asyncio.run(main())


def test_a_fetcher_must_be_open():
    with pytest.raises(InputError, match="must be open"):
        asyncio.run(Fetcher(AGENT).fetch("http://example.org/"))


@pytest.mark.parametrize(
    "wrong", [{"total": 0.0}, {"idle": -1.0}, {"connect": float("inf")}, {"body_bytes": -1}, {"header_bytes": 10}]
)
def test_limits_are_checked(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Limits(**wrong)


def test_a_fetch_may_have_limits_of_its_own():
    got = fetched(sending(ok(b"x" * 1000)), limits=Limits(total=QUICK.total, body_bytes=999))
    assert got.error == "too-large"
