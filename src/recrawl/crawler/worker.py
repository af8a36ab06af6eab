"""One leased page, from robots.txt to what came of it."""

from collections.abc import Callable
from random import Random
from typing import Protocol

from recrawl.crawler.results import Result
from recrawl.crawler.robots_cache import Known, RobotsCache
from recrawl.crawler.settings import NAME, Settings
from recrawl.fetch.client import Fetcher
from recrawl.fetch.fetched import Fetched
from recrawl.fetch.limits import Limits
from recrawl.fetch.politeness import Gate
from recrawl.frontier.answers import LeasedPage
from recrawl.signals import robots
from recrawl.urls import host_of

MOST_WAIT = 604_800.0
"""Seconds: a host that asks to be left alone for longer is asked after that."""
SOURCE_BYTES = 52_428_800
"""The longest sitemap, unpacked, by its protocol."""


class Clock(Protocol):
    """Where time comes from; see recrawl.clock."""

    def wall(self) -> float:
        """Seconds since 1970."""

    def monotonic(self) -> float:
        """Seconds since some moment; only goes forward."""

    def real(self, seconds: float) -> float:
        """How many of the machine's seconds that is."""


class Worker:
    """Fetches pages as robots.txt allows, politely, and with what the server needs to say "not modified"."""

    def __init__(
        self,
        settings: Settings,
        fetcher: Fetcher,
        gate: Gate,
        rules: RobotsCache,
        clock: Clock,
        rng: Random,
        is_source: Callable[[str], bool],
        wants: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._fetcher, self._gate, self._rules, self._clock, self._rng = fetcher, gate, rules, clock, rng
        self._is_source, self._wants = is_source, wants
        self._trusting = 1.0 - 1.0 / settings.unconditional_every
        self._real = clock.real(1.0)
        self._patience = settings.lease / self._real / 2.0
        self._agent = settings.agent.partition("/")[0].strip() or NAME
        limits = fetcher.limits
        self._source_limits = Limits(
            total=limits.total,
            idle=limits.idle,
            connect=limits.connect,
            body_bytes=max(SOURCE_BYTES, limits.body_bytes),
            raw_bytes=max(SOURCE_BYTES, limits.raw_bytes),
            header_bytes=limits.header_bytes,
            redirects=limits.redirects,
        )

    def permits(self, known: Known, url: str) -> bool:
        """Whether the rules let this crawler fetch a URL."""
        return known.robots.allowed(self._agent, url)

    def delay(self, known: Known) -> float | None:
        """The Crawl-delay that is asked of this crawler."""
        return known.robots.crawl_delay(self._agent)

    async def page(self, page: LeasedPage) -> Result:
        """What came of a page."""
        now = self._clock.wall()
        if not self._wants(page.url):
            return Result(page.url, page.token, page.first, now, None, "left-out")
        known = self._rules.at_hand(page.url, now)
        if known is None:
            known = await self._rules.of(page.url)
            now = self._clock.wall()
        if not self.permits(known, page.url):
            refused = "robots" if known.reachable else "robots-unreachable"
            return Result(page.url, page.token, page.first, now, None, refused, max(known.again - now, 0.0))
        held = self._gate.wait(host_of(page.url))
        if held > self._patience:
            return Result(page.url, page.token, page.first, now, None, "host-asked-to-wait", held)
        fetched = await self._fetcher.fetch(
            page.url,
            etag=page.validators.etag,
            last_modified=page.validators.last_modified,
            conditional=self._rng.random() < self._trusting,
            check=self._may,
            limits=self._source_limits if self._is_source(page.url) else None,
            normal=True,
        )
        self._mind(fetched)
        # The moment it was asked for: waiting for politeness came before that.
        at = self._clock.wall() - fetched.seconds / self._real
        return Result(page.url, page.token, page.first, at, fetched)

    async def robots(self, url: str) -> Fetched:
        """A robots.txt."""
        limits = self._fetcher.limits
        small = Limits(
            total=limits.total,
            idle=limits.idle,
            connect=limits.connect,
            body_bytes=2 * robots.MOST_BYTES,
            raw_bytes=2 * robots.MOST_BYTES,
            header_bytes=limits.header_bytes,
            redirects=5,
        )
        fetched = await self._fetcher.fetch(url, conditional=False, follow="all", limits=small)
        self._mind(fetched)
        return fetched

    async def _may(self, url: str) -> bool:
        return self.permits(await self._rules.of(url), url)

    def _mind(self, fetched: Fetched) -> None:
        """A host that asks for time gets it, from all that ask it for anything."""
        if fetched.retry_after and fetched.status in (429, 503):
            until = self._clock.wall() + min(fetched.retry_after, MOST_WAIT)
            self._gate.hold(host_of(fetched.final_url), until)
