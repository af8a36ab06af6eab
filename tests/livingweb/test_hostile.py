"""A web in which a fifth of the hosts is hostile serves the others all the same."""

import asyncio

import aiohttp

from recrawl.livingweb import LivingWeb, hostile
from recrawl.livingweb.faults import FAULTS
from recrawl.livingweb.resolver import aiohttp_resolver

INSIDE = [name for name, fault in FAULTS.items() if not fault.outside]


async def crawl(urls):
    """Each URL once, 64 at a time, whatever comes; no redirect is followed and at most 1 MB is read."""
    gate = asyncio.Semaphore(64)
    limits = aiohttp.ClientTimeout(total=5.0)
    connector = aiohttp.TCPConnector(resolver=aiohttp_resolver(), limit=0)
    async with aiohttp.ClientSession(
        connector=connector, timeout=limits, headers={"User-Agent": "mybot/1"}, auto_decompress=False
    ) as session:

        async def fetch(url):
            async with gate:
                try:
                    async with session.get(url, allow_redirects=False) as answer:
                        read = 0
                        async for some in answer.content.iter_chunked(65536):
                            read += len(some)
                            if read > 1_000_000:
                                return
                except (aiohttp.ClientError, TimeoutError):
                    return

        await asyncio.gather(*map(fetch, urls))


def test_healthy_hosts_do_not_suffer():
    with LivingWeb(hostile(5 * len(INSIDE), 2), scale=1.0) as web:
        asyncio.run(crawl(list(web.page_urls())))
        score = web.score("mybot")
        healthy = [plan.name for plan in web.settings.plans if not plan.faults]
        pages = web.world.weights.sum()
    assert len(healthy) == 4 * len(INSIDE)
    assert sum(name in score.by_host for name in healthy) == len(healthy)
    assert score.first >= 2 * len(healthy)
    assert score.fresh_now > 2 * len(healthy) / pages - 0.01
    # those that do nothing bad to a first request are no faults yet
    assert score.faults.keys() == set(INSIDE) - {"returns", "impatient"} | (score.faults.keys() & {"impatient"})
