"""What bodies of requests may take, one by one and all together."""

import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from recrawl.server import bodies
from recrawl.server.bodies import FREE_BYTES, NoRoomError, Room
from recrawl.server.hearing import Wanted
from tests.server.live import ask, post, serving

MB = 1 << 20
HEAD = "POST {} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n"


def sent(url, size, of, path="/v1/signals"):
    """A connection over which part of a body was sent."""
    where = urlsplit(url)
    line = socket.create_connection((where.hostname, where.port), timeout=60.0)
    line.sendall(HEAD.format(path, of).encode() + b" " * size)
    return line


def test_all_bodies_together_have_so_much_room_and_small_ones_always_have_some(monkeypatch):
    monkeypatch.setattr(bodies, "MOST_TOGETHER", 4 * MB)
    with serving() as url, ExitStack() as stack:
        held = [stack.enter_context(sent(url, MB, 2 * MB)) for _ in range(3)]
        last = stack.enter_context(sent(url, 2 * MB - 1, 2 * MB))
        answer = last.recv(4096)
        assert answer.startswith(b"HTTP/1.1 503")
        assert b"retry-after: 1" in answer
        assert b'"outcome":"failed"' in answer
        assert post(url, "/v1/pages", {"urls": ["https://a.example/"]})["new"] == 1
        for line in held:
            line.close()
        urls = [f"https://a.example/{k:0100}" for k in range(25_000)]  # 3 MB, once the others have gone
        for _ in range(1000):
            status, _, got = ask(url, "POST", "/v1/signals", {"urls": urls})
            if status != 503:
                break
        assert (status, len(got["unknown"])) == (200, 25_000)


def test_what_a_body_took_is_there_again_when_it_is_answered_or_refused():
    room = Room(100)
    with room.share() as one:
        one.hold(FREE_BYTES + 60)
        one.hold(FREE_BYTES + 70)
        assert room.left == 30
        with room.share() as other:
            other.hold(FREE_BYTES + 10)
            with pytest.raises(NoRoomError):
                other.hold(FREE_BYTES + 31)
        assert room.left == 30
    assert room.left == 100


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=UTF-8", "application/x; charset=utf8"])
def test_what_is_said_of_a_body_and_true_is_no_hindrance(kind):
    headers = {"Content-Type": kind.replace("/x;", "/x-ndjson;"), "Content-Encoding": "identity"}
    with serving() as url:
        assert ask(url, "POST", "/v1/pages", {"urls": []} if "/json" in kind else b"", headers)[0] == 200


def test_what_a_stranger_breaks_off_is_a_problem():
    hears = Wanted(indexnow=True, contact="me@example.org")
    with serving(hears=hears) as url, sent(url, 35, 100, "/indexnow") as line:
        line.shutdown(socket.SHUT_WR)
        assert line.recv(4096).startswith(b"HTTP/1.1 400")
