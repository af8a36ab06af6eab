"""What a host sends behind an answer is no part of the next one on the same connection."""

import asyncio

import pytest

from recrawl.fetch import Fetcher
from tests.fetch.raw_server import AGENT, QUICK, RawServer, fetching, ok


@pytest.mark.parametrize(
    "left",
    [
        b"HTTP/1.1 200 OK\r\nX-Swallow: ",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n",
        b"HTTP/1.1 2",
        b"HTT",
    ],
)
def test_half_a_head_behind_an_answer_is_no_part_of_the_next(left):
    answers = {"/one": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc" + left,
               "/two": b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"}  # fmt: skip

    async def answer(path, writer, _):
        writer.write(answers[path])

    async def both():
        async with RawServer(answer) as server, Fetcher(AGENT, limits=QUICK, allow_private=True) as fetcher:
            return await fetcher.fetch(server.url("/one")), await fetcher.fetch(server.url("/two"))

    one, two = asyncio.run(both())
    assert (one.status, one.body, one.error) == (200, b"abc", "")
    assert (two.status, two.body, two.error) == (404, b"gone", "")


def test_what_is_left_on_a_connection_is_no_answer_to_the_next_request():
    async def answer(path, writer, k):
        writer.write(ok(path.encode()) + ok(b"smuggled"))

    server = RawServer(answer)

    async def main():
        async with fetching(server) as fetcher:
            return [(await fetcher.fetch(server.url(path))).body for path in ("/a", "/b", "/c")]

    assert asyncio.run(main()) == [b"/a", b"/b", b"/c"]
