"""The whole crawler over real HTTP, beside a bare aiohttp loop that fetches the same URLs and throws them away.

Both run in this process, by turns; the web they fetch from is another process.  Each turn of the crawler is a crawl of
its own, in a new folder: all pages are fetched for the first time, and then it goes on for as many requests, most of
which are answered by "not modified".
"""

import asyncio
import gc
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Any

import aiohttp

from recrawl import clock
from recrawl.crawler import Crawler, Settings
from recrawl.frontier import warm_up
from recrawl.livingweb import LivingWeb, many
from recrawl.livingweb.resolver import aiohttp_resolver

PAGES = 20_000
HOSTS = 1_000
CONNECTIONS = 64
TURNS = 3
LOOK_S = 0.02
"""The machine's seconds between two looks at how far the crawler is."""
PATIENCE_S = 300.0
"""The machine's seconds that a turn may take."""

NOTES = (
    f"{HOSTS:,} hosts, {CONNECTIONS} connections; median of {TURNS} turns each, in turn; the web is another process",
    "first copies: the same answers as the bare loop gets; again: the crawl goes on, pages are mostly not modified",
    "the whole crawler: frontier and shelf on the disk, robots.txt of each host, gate, comparison by main text,",
    "hand-over, feed of changes; no WARC; its requests for robots.txt take time and do not count as pages",
    "cpu: of all threads of the crawler's process, without the web's; other work on the machine does not count there",
    "share: pages a second, or pages a second of cpu, over those of the bare loop; goal: 0.6",
)


@dataclass(frozen=True)
class Turn:
    """How long some pages took."""

    pages: int
    seconds: float
    cpu: float


def run(pages: int | None) -> list[dict[str, Any]]:
    """The table."""
    m = pages or PAGES
    hosts = min(HOSTS, m)
    warm_up()
    with LivingWeb(many(hosts, math.ceil(m / hosts)), scale=1.0, days=1.0) as web, tempfile.TemporaryDirectory() as top:
        urls = list(web.page_urls())[:m]
        Random(0).shuffle(urls)  # else the bare loop would ask host after host
        turns = list(_turns(urls, top))
    return _rows(dict(zip(("bare loop", "first copies", "again"), zip(*turns, strict=True), strict=True)))


def _turns(urls: list[str], top: str) -> Iterator[tuple[Turn, Turn, Turn]]:
    listed = os.path.join(top, "urls.txt")
    with open(listed, "w", encoding="ascii") as file:
        file.write("\n".join(urls))
    for k in range(TURNS):
        gc.collect()
        gc.freeze()  # a bare loop by itself would have no kernels that Python's search for garbage goes through
        alone = asyncio.run(bare(urls))
        yield alone, *asyncio.run(whole(listed, len(urls), os.path.join(top, str(k))))


async def bare(urls: list[str]) -> Turn:
    """Fetch URLs over so many connections, and throw them away."""
    left = iter(urls)
    connector = aiohttp.TCPConnector(limit=CONNECTIONS, resolver=aiohttp_resolver())
    async with aiohttp.ClientSession(connector=connector, headers={"User-Agent": "bare/1.0"}) as session:

        async def fetch() -> None:
            for url in left:
                async with session.get(url) as answer:
                    await answer.read()

        begun, cpu = clock.seconds(), clock.cpu_seconds()
        async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
            for _ in range(CONNECTIONS):
                group.create_task(fetch())
        return Turn(len(urls), clock.seconds() - begun, clock.cpu_seconds() - cpu)


async def whole(listed: str, pages: int, folder: str) -> tuple[Turn, Turn]:
    """Crawl the URLs of a file: until all were handed over once, from the first request on, and then as many again."""
    settings = Settings(
        urls=listed,
        rate=None,
        gap=0.0,
        max_in_flight=4,
        connections=CONNECTIONS,
        data=folder,
        allow_private=True,
        user_agent="whole/1.0",
    )
    crawler = Crawler(settings, resolver=aiohttp_resolver())
    counts = crawler.counts
    running = asyncio.ensure_future(crawler.run())
    async with asyncio.timeout(PATIENCE_S):
        start = await _mark(running, lambda: counts.get("requests", "robots.txt") > 0)
        copied = await _mark(running, lambda: counts.get("outcomes", "first copies") >= pages)
        before = counts.get("requests", "pages")
        ended = await _mark(running, lambda: counts.get("requests", "pages") >= before + pages)
        again = counts.get("requests", "pages") - before
        crawler.stop("seen enough")
        await running
    return (
        Turn(pages, copied[0] - start[0], copied[1] - start[1]),
        Turn(again, ended[0] - copied[0], ended[1] - copied[1]),
    )


async def _mark(running: "asyncio.Future[Any]", reached: Callable[[], bool]) -> tuple[float, float]:
    """Wait until something is so; the time, and the computing time, then."""
    while not reached():
        if running.done():
            raise RuntimeError(f"the crawler ended before every page was fetched: {running.exception()}")
        await asyncio.wait([running], timeout=LOOK_S)
    return clock.seconds(), clock.cpu_seconds()


def _rows(turns: dict[str, tuple[Turn, ...]]) -> list[dict[str, Any]]:
    alone = turns["bare loop"]
    return [
        {
            "what": name,
            "pages": those[0].pages,
            "pages_a_second": median(turn.pages / turn.seconds for turn in those),
            "cpu_us_a_page": median(1e6 * turn.cpu / turn.pages for turn in those),
            "share": median(b.seconds / b.pages * t.pages / t.seconds for b, t in zip(alone, those, strict=True)),
            "share_by_cpu": median(b.cpu / b.pages * t.pages / t.cpu for b, t in zip(alone, those, strict=True)),
        }
        for name, those in turns.items()
    ]
