"""`Addon`: the one line of settings that brings all the others."""

import logging

from scrapy.settings import BaseSettings

from recrawl.integrations.scrapy.downloading import DownloaderMiddleware
from recrawl.integrations.scrapy.feed import SpiderMiddleware
from recrawl.integrations.scrapy.options import IN_FLIGHT, Options

OUTERMOST = 0
"""The spider middleware sees items and requests after all others: what it counts is what reaches the pipelines."""
BEFORE_REDIRECTS = 610
"""Answers pass the downloader middlewares from the highest number down; RedirectMiddleware has 600."""


class Addon:
    """For Scrapy's ADDONS.

    Delays and limits by host become those of the frontier, over what the project's settings say (a new project has
    DOWNLOAD_DELAY = 1); `custom_settings` of a spider and the command line are stronger.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Put the middlewares in place, and what would be in the frontier's way out of it."""
        options = Options.read(settings)
        if (numba := logging.getLogger("numba")).level == logging.NOTSET:
            numba.setLevel(logging.WARNING)  # Scrapy logs at DEBUG, and then compiling says thousands of lines
        settings.set_in_component_priority_dict("SPIDER_MIDDLEWARES", SpiderMiddleware, OUTERMOST)
        settings.set_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", DownloaderMiddleware, BEFORE_REDIRECTS)
        settings.set("CONCURRENT_REQUESTS", IN_FLIGHT, "addon")
        # The gap once more, where requests leave: the frontier knows nothing of robots.txt and of redirects followed.
        settings.set("DOWNLOAD_DELAY", options.gap, "project")
        settings.set("DOWNLOAD_DELAY_JITTER", 0.0, "project")
        settings.set("CONCURRENT_REQUESTS_PER_DOMAIN", options.max_in_flight, "project")
        settings.set("AUTOTHROTTLE_ENABLED", False, "project")
        settings.set("HTTPCACHE_ENABLED", False, "project")
