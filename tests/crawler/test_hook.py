"""Where a crawl posts its changes: to addresses that its operator has written down, and to names of the public web."""

import asyncio
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

import pytest

from recrawl.crawler.counts import Counts
from recrawl.crawler.settings import Settings
from recrawl.crawler.telling import Telling
from recrawl.errors import InputError
from recrawl.outputs.changes import Change, Feed
from recrawl.store import MemoryShelf


class Kept:
    """A feed with one change that nobody was told of."""

    def __init__(self, folder):
        self.shelf, self.feed = MemoryShelf(), Feed(folder / "changes.ndjson")
        self.feed.append([Change("https://a.example/", 0.0, "new")])


@pytest.fixture
def receiver():
    taken = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port, taken
    server.shutdown()
    thread.join()
    server.server_close()


def told(folder, taken, **settings):
    """Tell of a change until it is taken or has failed; what is counted of failures."""
    kept, counts = Kept(folder), Counts()
    telling = Telling(Settings(**settings), kept, None, None, None, counts, Random(0))

    async def main():
        hook = asyncio.create_task(telling.hook())
        while not taken and not counts.group("hooks"):
            await asyncio.sleep(0.005)
        hook.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hook

    asyncio.run(asyncio.wait_for(main(), 30))
    kept.feed.close()
    return " ".join(counts.group("hooks"))


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f.1", "localhost"])
def test_an_address_of_ones_own_that_the_operator_has_written_is_told(tmp_path, receiver, host):
    port, taken = receiver
    assert told(tmp_path, taken, on_change=f"http://{host}:{port}/") == ""
    assert len(taken) == 1


def leads_to(monkeypatch, address):
    """Have all names be at an address."""
    plain = socket.getaddrinfo

    def getaddrinfo(host, port, *more, **named):
        return plain(address if host == "hooks.example" else host, port, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_a_name_must_not_lead_inside(tmp_path, receiver, monkeypatch):
    port, taken = receiver
    leads_to(monkeypatch, "127.0.0.1")
    assert "no address of hooks.example may be spoken to" in told(
        tmp_path, taken, on_change=f"http://hooks.example:{port}/"
    )
    assert taken == []


def test_unless_private_addresses_are_allowed(tmp_path, receiver, monkeypatch):
    port, taken = receiver
    leads_to(monkeypatch, "127.0.0.1")
    assert told(tmp_path, taken, on_change=f"http://hooks.example:{port}/", allow_private=True) == ""
    assert len(taken) == 1


def test_a_name_of_a_metadata_service_is_refused_in_every_case(tmp_path, monkeypatch):
    leads_to(monkeypatch, "169.254.169.254")
    said = told(tmp_path, [], on_change="http://hooks.example/", allow_private=True)
    assert "may be spoken to" in said


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "http://[fd00:ec2::254]/x", "http://0xa9fea9fe/"])
def test_an_address_of_one_is_refused_at_the_start(url):
    for allowed in (False, True):
        settings = Settings(sites=("https://a.example/",), contact="me@a.example", on_change=url, allow_private=allowed)
        with pytest.raises(InputError, match="on_change must be an address to post to"):
            settings.check_ready()


def test_an_address_that_is_none_is_refused_at_the_start():
    with pytest.raises(InputError, match="url must"):
        Settings(sites=("https://a.example/",), contact="me@a.example", on_change="http://").check_ready()
