"""Scrapy keeps a site fresh: a frontier decides what it fetches, and links become pages of the frontier.

The site is a living web on this machine.  In a project of yours the settings stand in settings.py, and `scrapy crawl`
runs it until you stop it; this one stops when it has seen every page.

Prints:

    20 pages found by following links, and fetched
    0 requests that robots.txt forbids

Stop it in the middle, and start it again: with a folder that stays, it goes on where it was.
"""

import tempfile

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import CloseSpider

from recrawl.livingweb import HostPlan, LivingWeb, Poisson

PAGES = 20


class Docs(scrapy.Spider):
    """Items of every page, and all its links."""

    name = "docs"

    def __init__(self, **given: str) -> None:
        super().__init__(**given)
        self.seen: set[str] = set()

    def parse(self, response):
        """Called for pages that are new, or have changed; a 304 does not come here."""
        yield {"url": response.url, "title": response.css("title::text").get()}
        yield from response.follow_all(css="a")
        self.seen.add(response.url)
        if len(self.seen) > PAGES:  # the front page is not counted
            raise CloseSpider("all seen")


with tempfile.TemporaryDirectory() as folder, LivingWeb([HostPlan("docs", Poisson(PAGES), disallow=("/x/",))]) as web:
    settings = {
        "ADDONS": {"recrawl.scrapy.Addon": 500},
        "RECRAWL_DATA": folder,
        "RECRAWL_RATE": "20/s",
        "RECRAWL_GAP": 0.05,
        "RECRAWL_DISCOVER": True,  # what the spider yields, and what it starts with, is for the frontier
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": "docsbot/1.0",
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
    }
    process = AsyncCrawlerProcess(settings)
    process.crawl(Docs, start_urls=list(web.urls.values()))
    process.start()
    score = web.score("docsbot")
print(f"{score.first} pages found by following links, and fetched")
print(f"{score.disallowed} requests that robots.txt forbids")
