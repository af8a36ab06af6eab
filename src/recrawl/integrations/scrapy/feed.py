"""`SpiderMiddleware`: leased pages go in as start requests, and what came of them goes back; see __init__.py."""

import logging
from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError, HttpErrorMiddleware
from scrapy.utils.asyncio import run_in_thread, sleep
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import CancelledError
from twisted.python.failure import Failure

from recrawl.integrations.scrapy.desk import FAILURES, Desk, Lease
from recrawl.integrations.scrapy.options import Options
from recrawl.integrations.scrapy.outcomes import (
    FAILED,
    FIRST,
    GONE,
    LEASE,
    NOT_MODIFIED,
    Outcome,
    of_error,
    of_response,
    said,
)

logger = logging.getLogger(__name__)
TICK = 0.02
"""Seconds between two questions at least: what falls due meanwhile is leased together."""
OFTEN = 0.1
"""Waits up to this are mostly for gaps, whose end is not told: a frontier in this process is asked each tick."""
MOST_WAIT, MOST_PAUSE = 1.0, 30.0
"""Seconds slept at once, so that the end of the crawl is noticed; and after failures in a row."""
PAGE = "recrawl_page"
"""In `meta` of a request that a spider yields: whether it is a page for the frontier."""


ERRBACK = "recrawl_errback"
"""In `meta` of a leased request: the errback that the spider wants, which is called from ours."""


class NotModifiedError(IgnoreRequest):
    """A page is as it was, and its callback need not see that."""


class SpiderMiddleware:
    """One crawl's feed."""

    def __init__(self, crawler: Crawler, desk: Desk | None = None) -> None:
        self._crawler = crawler
        self._options = Options.read(crawler.settings)
        self._desk = Desk(self._options) if desk is None else desk
        self._most = crawler.settings.getint("CONCURRENT_REQUESTS") or 1000
        self._closed = self._flushing = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """As Scrapy makes it."""
        feed = cls(crawler)
        for handler, signal in (
            (feed.response_received, signals.response_received),
            (feed.request_dropped, signals.request_dropped),
            (feed.spider_error, signals.spider_error),
            (feed.item_done, signals.item_scraped),
            (feed.item_done, signals.item_dropped),
            (feed.item_error, signals.item_error),
            (feed.spider_closed, signals.spider_closed),
        ):
            crawler.signals.connect(handler, signal=signal)
        return feed

    # -- pages come in -------------------------------------------------------------------------------------------------

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """What the spider itself starts with, and then leased pages for as long as the crawl lasts."""
        await run_in_thread(self._desk.open)
        async for out in start:
            if (kept := self._sorted(out, None)) is not None:
                yield kept
        failures = 0
        while not self._closed:
            try:
                leases, wait = await self._leased()
                failures = 0
            except FAILURES as error:
                failures += 1
                leases, wait = [], min(2.0**failures, MOST_PAUSE)
                logger.warning("no pages from the frontier, asking again in %g s: %s", wait, error)
            for lease in leases:
                yield self._request(lease)
            try:
                await sleep(wait)
            except CancelledError:  # so reactors without asyncio end it, and take it for an error
                return

    async def _leased(self) -> tuple[list[Lease], float]:
        """Pages, as many as Scrapy could take and may be had now, and seconds to sleep."""
        room = self._room()
        if room <= 0:
            return [], TICK
        leases, wait = await run_in_thread(self._desk.lease, room)
        often = wait <= OFTEN and bool(self._options.data)
        return leases, TICK if often else min(max(wait, TICK), MOST_WAIT)

    def _room(self) -> int:
        """How many more pages Scrapy could take now."""
        engine = self._crawler.engine
        if engine is None or engine.paused or engine.needs_backout():
            return 0
        return self._most - self._desk.held()

    def _request(self, lease: Lease) -> Request:
        page = lease.page
        make = getattr(self._crawler.spider, "recrawl_request", None)
        request: Request = Request(page.url) if make is None else make(page)
        meta = {**request.meta, LEASE: page.token, FIRST: page.first}
        if request.errback is not None:
            meta[ERRBACK] = request.errback
        if not self._options.retry:
            meta.setdefault("dont_retry", True)
        request = request.replace(dont_filter=True, errback=self.errback, meta=meta)
        if self._options.conditional and not page.first:
            for name, value in (
                ("If-None-Match", page.validators.etag),
                ("If-Modified-Since", page.validators.last_modified),
            ):
                if value:
                    request.headers.setdefault(name, value)
        return request

    # -- whose a request is --------------------------------------------------------------------------------------------

    def owns(self, request: Request | None) -> bool:
        """Whether a request is a leased one, or its retry or redirect."""
        return request is not None and LEASE in request.meta and request.errback == self.errback

    def holds(self, request: Request) -> bool:
        """Whether the lease of a request was neither answered for nor has expired."""
        lease = self._lease(request)
        return lease is not None and not self._desk.expired(lease)

    def _lease(self, request: Request | None) -> Lease | None:
        return self._desk.find(request.meta[LEASE]) if request is not None and self.owns(request) else None

    # -- outcomes go back ----------------------------------------------------------------------------------------------

    def response_received(self, response: Response, request: Request) -> None:
        """There is an answer: what is no copy is told at once."""
        lease = self._lease(request)
        if lease is None:
            return
        outcome = of_response(lease.page.token, response)
        if outcome.is_copy:
            lease.outcome, lease.meta = outcome, request.meta
            return
        if outcome.moved_to is not None and not self._on_site(Request(outcome.moved_to)):
            outcome = Outcome(outcome.token, GONE)
        self._tell(outcome)

    def process_spider_input(self, response: Response) -> None:
        """A page that has not changed ends here, unless the callback wants to see it.

        Scrapy would take it for an error, call the errback and log it: that is what mostly happens to pages known.
        """
        if response.status != NOT_MODIFIED or not self.owns(response.request):
            return
        errors = self._crawler.get_spider_middleware(HttpErrorMiddleware)
        try:
            if errors is not None:
                errors.process_spider_input(response)
        except HttpError:
            raise NotModifiedError from None

    def errback(self, failure: Failure) -> Any:
        """There is none: a download failed, a middleware refused it, robots.txt forbids it."""
        if isinstance(failure.value, NotModifiedError):
            return None
        request: Request = failure.request  # type: ignore[attr-defined]
        if (lease := self._lease(request)) is not None:
            self._tell(of_error(lease.page.token, failure.value, request))
        theirs = request.meta.get(ERRBACK)
        return failure if theirs is None else theirs(failure)

    def request_dropped(self, request: Request) -> None:
        """A scheduler did not take it."""
        if (lease := self._lease(request)) is not None:
            self._tell(Outcome(lease.page.token, FAILED))

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Count items under way, and see the end of a callback."""
        lease = self._lease(response.request)
        again = False
        async for out in result:
            kept = self._sorted(out, lease)
            again = again or (isinstance(kept, Request) and self.owns(kept))
            if kept is not None:
                yield kept
        if lease is not None and not again:  # else the callback asked for another try
            lease.called = True
            self._settle(lease)

    def _sorted(self, out: Any, lease: Lease | None) -> Any:
        """What of a spider's output Scrapy goes on with."""
        if isinstance(out, Request):
            if self.owns(out):
                return out
            out.meta.pop(LEASE, None)  # of a page that it was made from
            out.meta.pop(FIRST, None)
            return None if self._is_page(out) else out
        if out is not None and lease is not None:
            lease.items += 1
        return out

    def _is_page(self, request: Request) -> bool:
        """Whether a request is for the frontier; then it has it."""
        if not request.meta.get(PAGE, self._options.discover) or request.method != "GET" or request.body:
            return False
        if request.dont_filter or self._on_site(request):
            self._desk.add(request.url)
            self._kick()
        return True

    def _on_site(self, request: Request) -> bool:
        offsite = self._crawler.get_downloader_middleware(OffsiteMiddleware)
        spider = self._crawler.spider
        return offsite is None or spider is None or offsite.should_follow(request, spider)

    def item_done(self, response: Response | Failure | None) -> None:
        """An item has gone through the pipelines, or was dropped by one."""
        lease = self._lease(response.request) if isinstance(response, Response) else None
        if lease is not None:
            lease.items -= 1
            self._settle(lease)

    def item_error(self, response: Response | Failure | None) -> None:
        """A pipeline raised: the page failed, and will be tried again later."""
        lease = self._lease(response.request) if isinstance(response, Response) else None
        if lease is not None:
            lease.failed = True
        self.item_done(response)

    def spider_error(self, response: Response | Failure | None) -> None:
        """A callback raised: the page failed, and will be tried again later."""
        lease = self._lease(response.request) if isinstance(response, Response) else None
        if lease is not None:
            lease.failed = lease.called = True
            self._settle(lease)

    def _settle(self, lease: Lease) -> None:
        """Tell of a copy when callback and pipelines are done with it."""
        if not lease.called or lease.items > 0:
            return
        outcome = lease.outcome
        if lease.failed or outcome is None:
            outcome = Outcome(lease.page.token, FAILED)
        else:
            said(outcome, lease.meta)
        self._tell(outcome)

    def _tell(self, outcome: Outcome) -> None:
        if self._desk.tell(outcome):
            if (stats := self._crawler.stats) is not None:
                stats.inc_value("recrawl/outcomes")
                stats.inc_value(f"recrawl/outcomes/{outcome.error or outcome.status}")
            self._kick()

    # -- handing in ----------------------------------------------------------------------------------------------------

    def _kick(self) -> None:
        if not self._flushing and not self._closed:
            self._flushing = True
            deferred_from_coro(self._flush())

    async def _flush(self) -> None:
        """Hand in what there is, and then what has come together meanwhile."""
        failures = 0
        try:
            while self._desk.pending and not self._closed:
                try:
                    await run_in_thread(self._desk.flush)
                    failures = 0
                except FAILURES as error:
                    failures += 1
                    logger.warning("outcomes are kept, since the frontier does not take them: %s", error)
                    await sleep(min(2.0**failures, MOST_PAUSE))
        finally:
            self._flushing = False

    async def spider_closed(self, spider: Spider) -> None:  # noqa: ARG002 (Scrapy passes it)
        """Give back what was not fetched."""
        self._closed = True
        await run_in_thread(self._desk.close)
