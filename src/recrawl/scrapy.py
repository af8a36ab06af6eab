"""A feed for Scrapy: `ADDONS = {"recrawl.scrapy.Addon": 500}`; docs/scrapy.md has the rest."""

from recrawl.errors import MissingExtraError

try:
    from scrapy.utils.asyncio import run_in_thread, sleep  # noqa: F401 (older versions have no such functions)
except ImportError as error:
    raise MissingExtraError("the feed for Scrapy", "scrapy") from error

from recrawl.integrations.scrapy import Addon, DownloaderMiddleware, SpiderMiddleware

__all__ = ["Addon", "DownloaderMiddleware", "SpiderMiddleware"]
