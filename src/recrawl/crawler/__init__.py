"""The running crawler: finds pages, hears signals, fetches what is leased, hands results over."""

from recrawl.crawler.crawler import Crawler, crawl
from recrawl.crawler.settings import Settings
from recrawl.crawler.status import Status

__all__ = ["Crawler", "Settings", "Status", "crawl"]
