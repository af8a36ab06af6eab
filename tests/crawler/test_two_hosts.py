"""A site whose sitemap, or the site itself, is on another host than its address says."""

import asyncio

from recrawl.crawler import Crawler, Settings
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
    assert 1 <= counts.get("sources", "sitemaps read") <= 2  # before its interval is known it may be offered once more
