"""A spider whose pipeline notes each page in a file, durably, before the item counts as scraped."""

import json
import os
from pathlib import Path
from typing import ClassVar

import scrapy
from scrapy.exceptions import CloseSpider
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.defer import deferred_from_coro


class Noting:
    """Appends a line for each item, and brings it to the disk."""

    def __init__(self, path):
        self._path = Path(path)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.settings["NOTES"])

    def process_item(self, item):
        with self._path.open("a") as file:
            print(json.dumps(item), file=file, flush=True)
            os.fsync(file.fileno())
        print(item["url"], flush=True)
        return item


class Counting(MemoryStatsCollector):
    """Ends the crawl after as many outcomes as the setting OUTCOMES says."""

    def inc_value(self, key, count=1, start=0, **more):
        super().inc_value(key, count, start, **more)
        crawler = self._crawler
        if key == "recrawl/outcomes" and self.get_value(key) == crawler.settings.getint("OUTCOMES"):
            deferred_from_coro(crawler.engine.close_spider_async(reason="enough"))


class NotingSpider(scrapy.Spider):
    name = "noting"
    custom_settings: ClassVar = {
        "ADDONS": {"recrawl.scrapy.Addon": 500},
        "ITEM_PIPELINES": {Noting: 100},
        "STATS_CLASS": Counting,
        "USER_AGENT": "mybot/1.0",
        "ROBOTSTXT_OBEY": True,
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, until=None, raises="", **more):
        """`until` so many different pages are noted, or for ever; callbacks of URLs that end with `raises` do so."""
        super().__init__(**more)
        self.until, self.raises = int(until or 0), raises
        self.seen = set()

    def parse(self, response):
        if self.raises and response.url.endswith(self.raises):
            raise ValueError("a bug of the spider")
        notes = Path(self.settings["NOTES"])
        if not self.seen and notes.exists():
            self.seen = {json.loads(line)["url"] for line in notes.read_text().splitlines()}
        self.seen.add(response.url)
        yield {"url": response.url, "first": response.meta["recrawl_first"]}
        if self.until and len(self.seen) >= self.until:
            raise CloseSpider("all are noted")
