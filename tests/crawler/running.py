"""A crawler in a living web, for tests: it runs until something is so, or the time is up."""

import asyncio
from contextlib import suppress

from recrawl.crawler import Crawler, Settings
from recrawl.livingweb.resolver import aiohttp_resolver

LIMIT_S = 60.0
"""For a busy machine, and a first run that compiles kernels."""


def settings_for(web, **more):
    usual = {"sites": tuple(web.urls.values()), "rate": None, "gap": 0.0, "max_in_flight": 4, "allow_private": True}
    return Settings(**{**usual, **more})


def crawled(web, until=None, **more):
    """Run a crawler until `until(status)` is true, or until it ends by itself; it, and its last status."""
    options = {name: more.pop(name) for name in ("clock", "seed", "prepare") if name in more}
    crawler = Crawler(settings_for(web, **more), resolver=aiohttp_resolver(), on_status=None, **options)
    seen = []

    async def run():
        running = asyncio.ensure_future(crawler.run())
        async with asyncio.timeout(LIMIT_S):
            while not running.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(running), 0.05)
                if until is not None and not running.done() and crawler.counts is not None and until(crawler):
                    crawler.stop("seen enough")
            return await running

    status = asyncio.run(run())
    seen.append(status)
    return crawler, status
