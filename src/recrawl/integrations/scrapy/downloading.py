"""`DownloaderMiddleware`: what a leased page needs on its way to the downloader and back."""

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from recrawl.integrations.scrapy.feed import SpiderMiddleware
from recrawl.integrations.scrapy.outcomes import PERMANENT, target
from recrawl.urls import host_of


class DownloaderMiddleware:
    """Politeness by the frontier's hosts, no page whose lease has expired, and permanent redirects not followed."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """As Scrapy makes it."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Send it in the slot of its host, as frontiers name hosts, if it is not leased or its lease still holds."""
        if not request.url.startswith("http"):
            return
        feed = self._crawler.get_spider_middleware(SpiderMiddleware)
        if feed is None or not feed.owns(request):
            request.meta.setdefault("download_slot", host_of(request.url))
            return
        if not feed.holds(request):
            raise IgnoreRequest("its lease has expired")
        request.meta["download_slot"] = host_of(request.url)  # redirects to other hosts keep the slot they had

    def process_response(self, request: Request, response: Response) -> Response:
        """A page that has moved for good is told to have moved; the frontier hands out its new URL when it is due."""
        feed = self._crawler.get_spider_middleware(SpiderMiddleware)
        first = not request.meta.get("redirect_urls")
        if feed is not None and first and response.status in PERMANENT and feed.owns(request) and target(response):
            request.meta["dont_redirect"] = True
        return response
