"""The rivals over real HTTP: rules that name the next page, and one request each time the budget has added up to one.

They are better off than the crawlers these rules come from.  They know all pages, ask for no robots.txt and no sitemap,
and make good every request that the machine was too late for.
"""

import asyncio
from collections.abc import Callable, Sequence
from hashlib import blake2b

from recrawl.clock import ScaledClock
from recrawl.demo.settings import DAY, EQUAL, NUTCH, STORMCRAWLER
from recrawl.fetch.client import Fetcher
from recrawl.policies.nutch import Nutch
from recrawl.policies.rule import Rule
from recrawl.policies.stormcrawler import StormCrawler
from recrawl.policies.uniform import RoundRobin

MOST_AT_ONCE = 16
"""Requests of one rival under way."""


def rule_of(agent: str, pages: int) -> Rule:
    """The rule of a rival, with its constants as shipped; a unit of time is a day."""
    rules: dict[str, Callable[[int], Rule]] = {EQUAL: RoundRobin, NUTCH: Nutch, STORMCRAWLER: StormCrawler}
    return rules[agent](pages)


class Rival:
    """One rival with its copies."""

    def __init__(self, fetcher: Fetcher, urls: Sequence[str], rule: Rule, clock: ScaledClock) -> None:
        self._fetcher, self._urls, self._rule, self._clock = fetcher, urls, rule, clock
        self._etags = [""] * len(urls)
        self._digests = [b""] * len(urls)
        self._fetched = [0.0] * len(urls)
        self._room = asyncio.Semaphore(MOST_AT_ONCE)
        self.requests = 0

    async def fill(self) -> None:
        """Fetch every page once."""
        async with asyncio.TaskGroup() as group:
            for page in range(len(self._urls)):
                await self._room.acquire()
                group.create_task(self._fetch(page))

    async def run(self, rate: float, days: float) -> None:
        """One request each time that `rate` a day adds up to one more, until so many days are over."""
        async with asyncio.TaskGroup() as group:
            for k in range(1, int(rate * days + 1e-9) + 1):
                wait = self._clock.real(k / rate * DAY - self._clock.monotonic())
                if wait > 0.0:
                    await asyncio.sleep(wait)
                await self._room.acquire()
                page = self._rule.next(self._now())
                if page < 0:  # all are under way
                    self._room.release()
                    continue
                group.create_task(self._crawl(page))

    async def _crawl(self, page: int) -> None:
        before = self._fetched[page]
        changed = await self._fetch(page)
        now = self._fetched[page] = self._now()
        self._rule.crawled(page, now, now - before, 0, changed)

    async def _fetch(self, page: int) -> bool:
        """Fetch a page; whether it is another than the copy."""
        try:
            self.requests += 1
            got = await self._fetcher.fetch(self._urls[page], etag=self._etags[page])
        finally:
            self._room.release()
        if got.status != 200:
            return False
        digest = blake2b(got.body, digest_size=16).digest()
        changed = digest != self._digests[page]
        self._etags[page], self._digests[page] = got.etag, digest
        return changed

    def _now(self) -> float:
        return self._clock.monotonic() / DAY
