"""Strangers at the service's open doors: IndexNow pings and WebSub deliveries, over real sockets."""

import asyncio
import io
import json
import re
import socket
import time
from urllib.parse import parse_qs, quote

import aiohttp
import pytest
from aiohttp import web

from recrawl.crawler.listening import ear
from recrawl.errors import InputError
from recrawl.frontier import Frontier
from recrawl.server.hearing import MOST_A_SECOND, MOST_BYTES, Wanted
from tests.server.live import ask, get, post, serving

KEY = "abcdef123456"


@pytest.fixture
def site():
    """A site with a key, a feed and a hub, in a thread; its URL, and what the hub was asked."""
    import threading

    asked, loop, found, ready = [], asyncio.new_event_loop(), {}, threading.Event()

    async def hub(request):
        asked.append({name: values[0] for name, values in parse_qs((await request.read()).decode()).items()})
        return web.Response(status=202)

    def says(text, kind="text/plain"):
        async def answer(request):
            return web.Response(text=text.replace("BASE", f"http://{request.host}"), content_type=kind)

        return answer

    async def begin():
        feed = '<feed><link rel="hub" href="BASE/hub"/><link rel="self" href="BASE/feed"/></feed>'
        app = web.Application()
        app.add_routes(
            [
                web.get(f"/{KEY}.txt", says(KEY)),
                web.get("/feed", says(feed, "application/atom+xml")),
                web.post("/hub", hub),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        found["url"] = f"http://127.0.0.1:{runner.addresses[0][1]}"
        ready.set()
        return runner

    def run():
        runner = loop.run_until_complete(begin())
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(30.0)
    yield found["url"], asked
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


def until(condition):
    deadline = time.monotonic() + 30.0
    while not (found := condition()):
        assert time.monotonic() < deadline
    return found


def signals(url):
    return {source["name"]: source["signals"] for source in get(url, "/v1/sources")["sources"]}


def test_a_ping_with_a_right_key_is_a_signal_of_pages_that_are_kept_here(site):
    base, _ = site
    frontier = Frontier()
    frontier.add([f"{base}/a", f"{base}/b"])
    with serving(frontier, hears=Wanted(indexnow=True, contact="me@example.org", allow_private=True)) as url:

        def ping(page, key=KEY):
            return ask(url, "GET", f"/IndexNow?url={quote(page, safe='')}&key={key}", headers={"Host": "ours.example"})[
                0
            ]

        assert ping(f"{base}/a") == 202
        until(lambda: signals(url).get("indexnow") == 1)
        assert ping(f"{base}/b") == 200
        assert ping(f"{base}/unknown") == 422
        assert ping(f"{base}/a", "wrongwrong") == 202
        until(lambda: ping(f"{base}/a", "wrongwrong") == 403)
        assert until(lambda: signals(url).get("indexnow") == 2)


HEARS = Wanted(indexnow=True, contact="me@example.org", allow_private=True)


def pinged(url, page, key):
    """The answer to a ping, which is repeated where all strangers together were too many."""
    path = f"/indexnow?url={quote(page, safe='')}&key={key}"
    return until(lambda: (got := ask(url, "GET", path))[1]["retry-after"] != "1" and got[0])


def test_who_has_no_key_cannot_use_up_what_a_host_may_send(site, monkeypatch):
    monkeypatch.setattr(ear, "MOST_A_MINUTE", 5)
    base, _ = site
    frontier = Frontier()
    frontier.add([f"{base}/a"])
    with serving(frontier, hears=HEARS) as url:
        until(lambda: pinged(url, f"{base}/a", KEY) == 200)
        until(lambda: pinged(url, f"{base}/a", "wrongwrong") == 403)
        assert {pinged(url, f"{base}/a", "wrongwrong") for _ in range(15)} == {403}
        assert pinged(url, f"{base}/a", KEY) == 200
        many = [pinged(url, f"{base}/a", KEY) for _ in range(15)]  # a minute may end meanwhile
        assert 429 in many


def test_keys_that_are_not_known_are_looked_at_so_often_and_no_more(site, monkeypatch):
    monkeypatch.setattr(ear, "MOST_A_MINUTE", 5)
    base, _ = site
    frontier = Frontier()
    frontier.add([f"{base}/a"])

    def judged(key):
        """What is said of a key in the end: it is wrong, or not looked at."""
        first = pinged(url, f"{base}/a", key)
        return first if first == 429 else until(lambda: (got := pinged(url, f"{base}/a", key)) == 403 and got)

    with serving(frontier, hears=HEARS) as url:
        until(lambda: pinged(url, f"{base}/a", KEY) == 200)
        got = [judged(f"wrong-key-{k}") for k in range(12)]  # a minute may end meanwhile
        assert (got[0], 429 in got) == (403, True)
        assert pinged(url, f"{base}/a", KEY) == 200


def test_large_pings_hold_nobody_up(site):
    base, _ = site
    frontier = Frontier()
    frontier.add([f"{base}/a"])
    urls = [f"{base}/{'x' * 300}{k}" for k in range(10_000)]
    large_body = json.dumps({"host": base[7:], "key": KEY, "urlList": urls}).encode()
    many = b'{"key": "abcdef123456", "urlList": [' + b"[]," * 1_000_000 + b"[]]}"

    async def scene(url):
        async with aiohttp.ClientSession() as session:

            async def sent(body):
                try:
                    async with session.post(f"{url}/indexnow", data=io.BytesIO(body)) as answer:
                        return answer.status
                except aiohttp.ClientError:  # it was refused, and closed before all of it was sent
                    return 429

            large = asyncio.ensure_future(sent(large_body))
            longest, pings = 0.0, 0
            while not large.done() or pings < 20:
                begun = time.perf_counter()
                async with session.get(f"{url}/healthz") as answer:
                    assert answer.status == 200
                longest, pings = max(longest, time.perf_counter() - begun), pings + 1
            while (nonsense := await sent(many)) == 429:  # a large one counts as many, for a second
                pass
            return await large, nonsense, longest

    with serving(frontier, hears=HEARS) as url:
        status, nonsense, longest = asyncio.run(scene(url))
    assert (status, nonsense) == (422, 400)
    assert longest < 0.2  # to read it takes 0.3 s of computing


def test_a_feed_is_subscribed_to_and_deliveries_are_signals(site, tmp_path):
    base, asked = site
    frontier = Frontier()
    frontier.add([f"{base}/news", f"{base}/feed"])
    hears = Wanted(public_url="http://127.0.0.1:1", contact="me@example.org", allow_private=True)
    with serving(frontier, hears=hears, folder=tmp_path) as url:
        assert post(url, "/v1/subscriptions", {"topic": f"{base}/feed"}) == {
            "topic": f"{base}/feed",
            "hub": f"{base}/hub",
        }
        form = until(lambda: asked and asked[0])
        callback = "/websub/" + re.sub(r".*/", "", form["hub.callback"])
        question = f"{callback}?hub.mode=subscribe&hub.topic={quote(form['hub.topic'], safe='')}&hub.challenge=c1"
        status, _, text = ask(url, "GET", question, headers={"Host": "ours.example"})
        assert (status, text) == (200, b"c1")
        assert get(url, "/v1/subscriptions")["active"] == 1
        entry = f'<feed><entry><id>1</id><link href="{base}/news"/></entry></feed>'.encode()
        assert ask(url, "POST", callback, entry, {"Content-Type": "application/atom+xml"})[0] == 200
        until(lambda: signals(url).get("websub") == 2)  # for the page of the entry, and for the topic
        assert ask(url, "POST", "/websub/guessed", entry)[0] == 404
    with serving(frontier, hears=hears, folder=tmp_path) as url:  # it is kept
        assert get(url, "/v1/subscriptions") == {
            "subscriptions": [{"topic": f"{base}/feed", "hub": f"{base}/hub"}],
            "active": 1,
        }


def test_a_feed_without_a_hub_is_refused(site):
    base, _ = site
    hears = Wanted(public_url="http://127.0.0.1:1", contact="me@example.org", allow_private=True)
    with serving(hears=hears) as url:
        status, _, got = ask(url, "POST", "/v1/subscriptions", {"topic": f"{base}/{KEY}.txt"})
        assert (status, got["argument"]) == (400, "topic")
        assert "it names no hub" in got["detail"]
        status, _, got = ask(url, "POST", "/v1/subscriptions", {"topic": "ftp://a.example/"})
        assert (status, got["outcome"]) == (400, "rejected")


def test_private_addresses_are_not_asked_for_keys(site):
    base, _ = site
    frontier = Frontier()
    frontier.add([f"{base}/a"])
    with serving(frontier, hears=Wanted(indexnow=True, contact="me@example.org")) as url:
        page = f"/indexnow?url={quote(f'{base}/a', safe='')}&key={KEY}"
        until(lambda: ask(url, "GET", page)[0] == 403)
        assert signals(url) == {}


def test_strangers_together_are_answered_so_often_and_no_more():
    async def flood(url):
        async with aiohttp.ClientSession() as session:

            async def one():
                async with session.get(f"{url}/indexnow") as answer:
                    return answer.status

            return await asyncio.gather(*(one() for _ in range(3 * MOST_A_SECOND)))

    with serving(hears=Wanted(indexnow=True, contact="me@example.org")) as url:
        got = asyncio.run(flood(url))
        assert got.count(429) >= MOST_A_SECOND - 1  # it may take a moment of the next second
        assert get(url, "/healthz") == {"status": "ok"}


def test_doors_are_shut_unless_asked_for():
    with serving() as url:
        assert ask(url, "GET", "/indexnow?url=https://a.example/&key=abcdefgh")[0] == 404
        assert ask(url, "POST", "/websub/x", b"")[0] == 404


def test_who_hears_strangers_says_whom_to_ask():
    with pytest.raises(InputError, match="give --contact"):
        Wanted(indexnow=True).check()
    Wanted().check()


@pytest.mark.parametrize(
    "url",
    ["nonsense", "frontier.example.org", "ftp://a.example", "https://", "https://a.example:x/", "https://a.example/?x"],
)
def test_who_is_to_be_reached_by_hubs_says_where(url):
    with pytest.raises(InputError, match="public_url must be how hubs reach this server"):
        Wanted(public_url=url, contact="me@example.org").check()


def test_bodies_of_strangers_are_bounded():
    head = f"POST /indexnow HTTP/1.1\r\nHost: x\r\nContent-Length: {MOST_BYTES + 1}\r\n\r\n".encode()
    with serving(hears=Wanted(indexnow=True, contact="me@example.org")) as url:
        line = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=30.0)
        line.sendall(head)
        got = line.recv(100)
        line.close()
    assert got.startswith(b"HTTP/1.1 413")
