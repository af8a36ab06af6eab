"""robots.txt, sitemaps, feeds, pings and the hub: what hosts say of their pages."""

import gzip
import hashlib
import hmac
import json
import queue
import re
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from recrawl.errors import InputError, RecrawlError
from recrawl.livingweb import FeedPlan, HostPlan, LivingWeb, PingPlan, Poisson, SitemapPlan, World
from recrawl.livingweb.plan import PINGS
from recrawl.livingweb.said.feeds import Feeds
from recrawl.livingweb.said.sitemaps import Sitemaps, signals
from tests.livingweb.talking import once

START = 1577836800.0  # 2020-01-01
DAY = 86400.0


def lastmods(plan, day, pages=200, a_day=0.1):
    """What the sitemap of such a plan says on a day: lastmod by page, and the world."""
    world = World((HostPlan("a", Poisson(pages, a_day), plan),), days=100.0)
    body, _ = Sitemaps(world, START).file(world.hosts[0], "/sitemap.xml", "http://a", day * DAY)
    found = re.findall(r"<loc>http://a(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?", body.decode())
    return dict(found), world


def test_an_exact_lastmod_is_that_of_the_last_change_before_the_build():
    import numpy as np

    got, world = lastmods(SitemapPlan(build_days=7.0), 20.0)
    host = world.hosts[0]
    for page in range(len(world)):
        changed = world.changed(page, world.version(page, 14.0 * DAY))
        expected = np.datetime64(int(START + changed), "s").item().strftime("%Y-%m-%dT%H:%M:%SZ")
        assert got[host.path(page)] == expected


def test_dates_midnights_builds_and_nothing():
    dates, _ = lastmods(SitemapPlan(lastmod="date"), 50.5)
    midnights, _ = lastmods(SitemapPlan(lastmod="midnight"), 50.5)
    builds, _ = lastmods(SitemapPlan(lastmod="build"), 50.5)
    nothing, _ = lastmods(SitemapPlan(lastmod="none"), 50.5)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for date in dates.values())
    assert {path: f"{date}T00:00:00Z" for path, date in dates.items()} == midnights
    assert set(builds.values()) == {"2020-02-20T00:00:00Z"}
    assert set(nothing.values()) == {""}


def test_some_are_dated_ahead_and_a_frozen_one_stands_still():
    ahead, _ = lastmods(SitemapPlan(lastmod="future"), 50.0)
    assert sum(date >= "2020-12" for date in ahead.values()) == len(ahead) // 10
    frozen = SitemapPlan(frozen_after=10.0)
    assert lastmods(frozen, 10.0)[0] == lastmods(frozen, 99.0)[0]


def test_the_signals_of_a_sitemap_are_what_reading_each_build_tells():
    plan = SitemapPlan(recall=0.5, precision=0.6, build_days=2.0)
    world = World((HostPlan("a", Poisson(20, 0.2), plan),), days=40.0)
    host, sitemaps, expected, before = world.hosts[0], Sitemaps(world, START), [], {}
    for build in range(21):
        text = sitemaps.file(host, "/sitemap.xml", "", build * 2.0 * DAY)[0].decode()
        now = dict(re.findall(r"<loc>(.*?)</loc><lastmod>(.*?)</lastmod>", text))
        expected += [(build * 2.0, host.find(path)) for path in now if before and now[path] > before[path]]
        before = now
    got = signals(world, host)
    assert list(zip(got.arrivals.tolist(), got.pages.tolist(), strict=True)) == sorted(expected)
    for page, arrival, true in zip(got.pages.tolist(), got.arrivals.tolist(), got.true.tolist(), strict=True):
        at = arrival * DAY
        assert true == (world.version(page, at) > world.version(page, at - 2.0 * DAY))


def test_missed_changes_and_false_bumps():
    exact, _ = lastmods(SitemapPlan(), 99.0)
    missing, _ = lastmods(SitemapPlan(recall=0.5), 99.0)
    false, _ = lastmods(SitemapPlan(precision=0.5), 99.0)
    assert sum(missing[path] < exact[path] for path in exact) > 20
    assert not any(missing[path] > exact[path] for path in exact)
    assert sum(false[path] > exact[path] for path in exact) > 20


@pytest.fixture(scope="module")
def web():
    plans = [
        HostPlan("plain", Poisson(30, 1.0), disallow=("/private/", "/docs/0/7"), crawl_delay=2.5, feed=FeedPlan(5)),
        HostPlan("index", Poisson(30, 1.0), SitemapPlan(parts=3, gzip=True)),
        *(HostPlan(kind, Poisson(3), robots=kind) for kind in ("absent", "unavailable", "moved", "huge", "html")),
        HostPlan("noisy", Poisson(3, 0.0), noise=True, etag="always new", last_modified="always new"),
        HostPlan("bare", Poisson(3, 0.0), etag="absent", last_modified="absent"),
        HostPlan("frozen", Poisson(3, 0.0), etag="frozen", last_modified="frozen"),
        HostPlan("chunked", Poisson(3, 0.0), chunked=True),
        HostPlan("packed", Poisson(3, 0.0), gzip=True),
    ]
    with LivingWeb(plans, scale=1e6) as web:
        yield web


def test_robots(web):
    text = once(web.port, "/robots.txt", host="plain.localhost").body.decode()
    assert "Disallow: /private/\nDisallow: /docs/0/7\nCrawl-delay: 2.5\n" in text
    assert "Sitemap: http://plain.localhost/sitemap.xml" in text
    assert [once(web.port, "/robots.txt", host=kind).status for kind in ("absent", "unavailable", "moved")] == [
        404,
        503,
        301,
    ]
    assert once(web.port, "/robots2.txt", host="moved").body.startswith(b"User-agent")
    assert len(once(web.port, "/robots.txt", host="huge").body) > 512_000
    assert b"<html" in once(web.port, "/robots.txt", host="html").body


def test_what_is_disallowed_is_counted_and_not_listed(web):
    assert b"/docs/0/7.html" not in once(web.port, "/sitemap.xml", host="plain").body
    assert b"/private/trap" in once(web.port, "/docs/0/1.html", host="plain").body
    for path in ("/private/trap-1.html", "/docs/0/7.html", "/docs/0/8.html"):
        assert once(web.port, path, agent="rude", host="plain").status == 200
    assert web.score("rude").disallowed == 2


def test_a_sitemap_index_and_its_packed_parts(web):
    index = once(web.port, "/sitemap.xml", host="index.example").body.decode()
    parts = re.findall("<loc>http://index.example(/sitemap-[012].xml.gz)</loc>", index)
    assert len(parts) == 3
    texts = [gzip.decompress(once(web.port, part, host="index.example").body).decode() for part in parts]
    assert sum(text.count("<loc>") for text in texts) == 30
    assert once(web.port, "/sitemap-3.xml.gz", host="index").status == 404


def test_validators(web):
    page = "/docs/0/1.html"
    one, two = (once(web.port, page, host="noisy") for _ in range(2))
    assert one.headers["ETag"] != two.headers["ETag"]
    assert one.body != two.body
    strip = re.compile(rb"<footer>.*</footer>")
    assert strip.sub(b"", one.body) == strip.sub(b"", two.body)
    bare = once(web.port, page, host="bare").headers
    assert ("ETag" in bare, "Last-Modified" in bare) == (False, False)
    frozen = once(web.port, page, host="frozen").headers
    assert once(web.port, page, host="frozen", If_Modified_Since=frozen["Last-Modified"]).status == 304
    assert once(web.port, page, host="chunked").headers["Transfer-Encoding"] == "chunked"
    packed = once(web.port, page, host="packed", Accept_Encoding="gzip")
    assert b"Revision 0" in gzip.decompress(packed.body)
    assert b"Revision 0" in once(web.port, page, host="packed").body


def test_a_304_to_a_validator_that_lies_is_no_fresh_copy():
    plan = HostPlan("a", Poisson(1, 5.0), etag="frozen", last_modified="absent")
    with LivingWeb([plan], lasting=2.0, days=20.0) as web:
        tag = once(web.port, "/docs/0/0.html").headers["ETag"]
        while web.world.version(0, web.clock.monotonic()) < 5:
            once(web.port, "/docs/0/0.html", If_None_Match=tag)
        score = web.score("mybot")
    assert score.fresh_now == 0.0
    assert score.statuses["304"] > 0
    assert score.useful == 1


def test_a_feed_has_the_latest_changes():
    world = World((HostPlan("a", Poisson(30, 1.0), feed=FeedPlan(5)),), days=100.0)
    feeds, host = Feeds(world, START), world.hosts[0]
    entries = feeds.latest(host, 50.0 * DAY, 5)
    last = sorted(range(30), key=lambda page: -world.changed(page, world.version(page, 50.0 * DAY)))[:5]
    assert [entry.page for entry in entries] == last
    assert [entry.version for entry in entries] == [world.version(page, 50.0 * DAY) for page in last]
    assert feeds.latest(host, 50.0 * DAY, 5, after=entries[2].time) == entries[:2]


def test_feeds_over_http(web):
    atom, rss = (once(web.port, f"/feed.{kind}", host="plain") for kind in ("atom", "rss"))
    assert (atom.headers["Content-Type"], rss.headers["Content-Type"]) == (
        "application/atom+xml",
        "application/rss+xml",
    )
    assert 0 < atom.body.count(b"<entry>") <= 5
    assert 0 < rss.body.count(b"<item>") <= 5
    assert once(web.port, "/feed.atom", host="index").status == 404
    assert b'type="application/rss+xml"' in once(web.port, "/", host="plain").body


@contextmanager
def listener(answer):
    """A server that answers GET with what `answer` makes of the query, and puts every request into a queue."""
    heard = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            heard.put(("GET", self.path, dict(self.headers), b""))
            self._say(answer(query))

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.put(("POST", self.path, dict(self.headers), body))
            self._say("")

        def _say(self, text):
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            with suppress(ConnectionError):  # the web has ended meanwhile
                self.end_headers()
                self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], heard
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("style", PINGS)
def test_pings(style):
    with listener(lambda _: "") as (port, heard):
        plan = HostPlan("a", Poisson(3, 1.0), pings=PingPlan(f"http://127.0.0.1:{port}/indexnow", style=style))
        with LivingWeb([plan], lasting=5.0, days=10.0) as web:
            method, path, headers, body = heard.get(timeout=20)
            key = once(web.port, "/0123456789abcdef.txt").body
            urls = set(web.page_urls())
            base = web.base("a")
    assert key == b"0123456789abcdef"
    if style == "get":
        said = parse_qs(urlsplit(path).query)
        assert (method, said["key"]) == ("GET", ["0123456789abcdef"])
        assert set(said["url"]) <= urls
        return
    said = json.loads(body)
    assert set(said["urlList"]) <= urls
    assert headers["Content-Type"].startswith("text/plain" if style == "text/plain" else "application/json")
    host = base.removeprefix("http://")
    names = {"host as url": f"{base}/", "host without port": "127.0.0.1"}
    keys = {"bare key": f"{base}/{said['key']}", "https key": f"https://{host}/{said['key']}.txt"}
    assert said["host"] == names.get(style, host)
    assert said["keyLocation"] == keys.get(style, f"{base}/{said['key']}.txt")


def test_pings_go_to_loopback_only():
    plan = HostPlan("a", pings=PingPlan("http://192.0.2.1/indexnow"))
    with pytest.raises(InputError, match="loopback only"):
        LivingWeb([plan]).start()


def subscribe(web, callback, topic, **more):
    form = {"hub.mode": "subscribe", "hub.topic": topic, "hub.callback": callback, **more}
    return once(web.port, "/hub", host=urlsplit(topic).netloc, method="POST", body=urlencode(form))


@pytest.mark.parametrize(("signature", "kind"), [("sha1", "atom"), ("sha256", "rss"), ("sha512", "atom")])
def test_the_hub_verifies_and_delivers_what_changed_signed(signature, kind):
    plan = HostPlan("a", Poisson(3, 1.0), feed=FeedPlan(hub="fair", signature=signature))
    with (
        listener(lambda query: query["hub.challenge"]) as (port, heard),
        LivingWeb([plan], lasting=10.0, days=20.0) as web,
    ):
        topic = f"{web.base('a')}/feed.{kind}"
        link = once(web.port, f"/feed.{kind}", host=urlsplit(topic).netloc).headers["Link"]
        assert link == f'<{web.base("a")}/hub>; rel="hub", <{topic}>; rel="self"'
        answer = subscribe(web, f"http://127.0.0.1:{port}/cb?id=1", topic, **{"hub.secret": "s3"})
        assert answer.status == 202
        method, path, _, _ = heard.get(timeout=20)
        assert method == "GET"
        assert parse_qs(urlsplit(path).query)["hub.topic"] == [topic]
        method, path, headers, body = heard.get(timeout=20)
        assert (method, path) == ("POST", "/cb?id=1")
        expected = hmac.new(b"s3", body, getattr(hashlib, signature)).hexdigest()
        assert headers["X-Hub-Signature"] == f"{signature}={expected}"
        assert web.base("a").encode() in body
        assert web.sent()["subscribe verified"] == 1


def test_the_hub_takes_no_for_an_answer_and_refuses_what_is_wrong():
    plan = HostPlan("a", Poisson(3, 1.0), feed=FeedPlan(hub="silent"))
    with listener(lambda _: "no") as (port, heard), LivingWeb([plan], lasting=10.0) as web:
        topic = f"{web.base('a')}/feed.atom"
        assert subscribe(web, f"http://127.0.0.1:{port}/cb", topic).status == 202
        heard.get(timeout=20)
        assert subscribe(web, "http://192.0.2.1/cb", topic).status == 400
        assert subscribe(web, f"http://127.0.0.1:{port}/cb", f"{web.base('a')}/nothing").status == 400


def test_the_control_port_says_what_it_knows(web):
    with pytest.raises(RecrawlError, match="/-/score"):
        web._ask("/-/nothing")
    assert "rude" in [*web.agents(), "rude"]
