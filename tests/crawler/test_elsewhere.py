"""Sites, sitemaps and pages that live elsewhere than where they are looked for, and sites that are left."""

import asyncio

from recrawl import Frontier
from recrawl.clock import ManualClock
from recrawl.crawler import Crawler, Settings
from recrawl.crawler.counts import Counts
from recrawl.crawler.scope import Scope
from recrawl.crawler.sources.sources import Sources
from recrawl.fetch.fetched import Fetched
from recrawl.store import MemoryShelf, Shelf
from tests.crawler.running import LIMIT_S
from tests.crawler.site import site


def crawled(url, until, **more):
    """Crawl until `until(counts)` is so; how often what happened."""
    usual = {"sites": (url,), "rate": None, "gap": 0.02, "allow_private": True}
    crawler = Crawler(
        Settings(**{**usual, **more}), on_status=lambda _: until(crawler.counts) and crawler.stop("seen enough")
    )
    asyncio.run(asyncio.wait_for(crawler.run(), LIMIT_S))
    return crawler.counts


def test_a_sitemap_on_a_host_of_its_own_is_not_read_whenever_the_pages_host_waits():
    answers = {"/": (200, b"hello")}
    with site(answers) as url:
        there = url.replace("127.0.0.1", "localhost")
        answers["/robots.txt"] = 200, f"Sitemap: {there}sitemap.xml".encode()
        answers["/sitemap.xml"] = 200, f"<urlset><url><loc>{url}</loc></url></urlset>".encode()
        counts = crawled(url, lambda counts: counts.get("requests", "pages") >= 20)
    assert counts.get("sources", "sitemaps read") == 1


def test_a_sitemap_that_is_read_before_the_site_is_known_to_live_elsewhere_is_read_again():
    clock, there = ManualClock(1e9), "https://www.a.example/"
    frontier, scope = Frontier(clock=clock, gap=0.0), Scope(["https://a.example/"])
    sources = Sources(frontier, MemoryShelf(), scope, Counts(), clock.wall)
    body = f"<urlset><url><loc>{there}page</loc></url></urlset>".encode()

    def read():
        (page,) = frontier.lease(1)
        source = sources.registry.get(page.url)
        sources.came(source, Fetched(page.url, page.url, 200, body=body))
        frontier.complete([page.token], status=200)
        sources.set_interval(source)
        return f"{there}page" in frontier

    sources.told([f"{there}sitemap.xml"], "robots", "sitemap")
    clock.advance(1.0)
    assert not read()
    scope.widen(there)
    sources.widened()
    clock.advance(1.0)
    assert read()


def test_a_site_that_is_added_later_finds_its_pages_in_a_sitemap_that_was_read_before(tmp_path):
    answers = {"/a/": (200, b"a"), "/b/": (200, b"b"), "/b/page": (200, b"page")}
    with site(answers) as url:
        answers["/robots.txt"] = 200, f"Sitemap: {url}sitemap.xml".encode()
        answers["/sitemap.xml"] = 200, f"<urlset><url><loc>{url}b/page</loc></url></urlset>".encode()
        kept = {"data": str(tmp_path / "data")}
        first = crawled(f"{url}a/", lambda counts: counts.get("sources", "sitemaps read") > 0, **kept)
        both = (f"{url}a/", f"{url}b/")
        then = crawled(url, lambda counts: counts.get("told", "new") >= 2, sites=both, **kept)
    assert (first.get("pages", "found"), then.get("pages", "found")) == (0, 1)


def test_a_site_that_is_not_named_any_more_is_not_asked(tmp_path):
    answers = {"/a/": (200, b"a"), "/b/": (200, b"b")}
    with site(answers) as url:
        kept = {"data": str(tmp_path / "data"), "gap": 0.0}
        both = (f"{url}a/", f"{url}b/")
        crawled(url, lambda counts: counts.get("told", "new") >= 2, sites=both, **kept)
        answers["/b/"] = 200, b"another"
        then = crawled(f"{url}a/", lambda counts: counts.get("requests", "pages") >= 20, **kept)
    assert then.get("faults", "left-out") == 1
    assert then.get("told", "changed") == 0


def test_where_a_page_went_is_kept(tmp_path):
    answers = {"/": (200, b"hello"), "/page": (301, b"/page/"), "/page/": (200, b"page")}
    with site(answers) as url:
        (tmp_path / "urls.txt").write_text(f"{url}page")
        more = {"urls": str(tmp_path / "urls.txt"), "contact": "me@a.example", "data": str(tmp_path / "data")}
        crawled(url, lambda counts: counts.get("told", "new") >= 2, **more)
    with Shelf(tmp_path / "data" / "shelf", read_only=True) as shelf:
        assert shelf.get("moved", f"{url}page") == f"{url}page/".encode()
