"""`Crawler`: keeps the pages of sites fresh, until it is told to stop.

Theory of operation
-------------------
1. One task leases pages from the frontier, no more than the budget allows and the fetches have room for (leasing.py).
   Each leased page is a task of its own: robots.txt, then the page, through the one gate that every request passes
   (worker.py).
2. What came of them lies on the desk (desk.py) until one thread hands it over, in groups: WARC record, shelf, feed of
   changes, and last of all the frontier (handover.py).  So a crash at any moment repeats something, and loses nothing.
3. The frontier decides by its own copy of the rate; the gate holds it for all requests, also for robots.txt, redirects,
   keys and hubs, which no lease stands for.  While the gate has requests that wait for nothing but the rate, no more
   pages are leased, so that they are chosen as late as possible.
4. Everything that waits does so by the clock that is given.  Network time-outs are in the machine's own seconds.
5. What was leased by a run that was killed is given back when the next one starts.
6. On a machine where it never ran, the frontier's kernels are compiled for minutes.  Who has little to read need not
   wait for that: a new crawl, or one of some thousand pages that was stopped, begins with kernels that Python runs
   itself (frontier/warming.py).  In a new folder the robots.txt of each site is asked for while the frontier is opened;
   in an old one only the frontier knows when a host may be asked again.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING, Any

from recrawl.clock import SystemClock
from recrawl.crawler.counts import Counts, Recent
from recrawl.crawler.desk import Desk
from recrawl.crawler.handover import HandOver, RobotsFound
from recrawl.crawler.kept import Kept
from recrawl.crawler.leasing import Leasing, in_thread
from recrawl.crawler.memory import settled
from recrawl.crawler.once import Once
from recrawl.crawler.robots_cache import Known, RobotsCache
from recrawl.crawler.scope import Scope
from recrawl.crawler.settings import Settings
from recrawl.crawler.start import begin
from recrawl.crawler.status import Reporter, Status
from recrawl.crawler.telling import Telling
from recrawl.crawler.worker import Clock, Worker
from recrawl.errors import RecrawlError, StoppedEarlyError
from recrawl.fetch.client import Fetcher
from recrawl.fetch.fetched import Fetched
from recrawl.fetch.limits import Limits
from recrawl.fetch.politeness import Gate
from recrawl.urls import host_of

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

    from recrawl.frontier import Frontier


LOOK_S = 0.5
"""Seconds between two looks at what is being opened; it also says so itself."""


class Crawler:
    """Keeps pages fresh.

    ::

        settings = Settings(sites=("https://example.org/",), rate=5.0, data="data", contact="me@example.org")
        asyncio.run(Crawler(settings).run())

    `run` goes on until `stop` is called, from any thread, or until every page was fetched with `once`.  Where it is
    stopped before everything is loaded and opened, it raises `StoppedEarlyError`.

    =============== ================================================================================================
    `settings`      what is asked for; `data=None` keeps everything in memory
    `clock`         where time comes from: `recrawl.clock.ScaledClock` in a web in which years take a minute
    `resolver`      looks names up, by aiohttp's interface
    `on_status`     called with a `Status` about every second, in the crawler's thread
    `prepare`       called in a thread before the frontier is opened, say to have its kernels compiled
    `beside`        a coroutine function that is given the frontier and runs beside the crawl, such as a server; it is
                    cancelled when the crawl ends
    `seed`          of what is drawn: which fetches are unconditional
    =============== ================================================================================================

    In a living web, all that is needed is its clock and, for more hosts than one, its resolver::

        with LivingWeb(lasting=60.0) as web:
            settings = Settings(sites=tuple(web.urls.values()), rate=4e-5, window=86400.0, gap=0.0,
                                allow_private=True, user_agent="mybot/1.0")
            crawler = Crawler(settings, clock=web.clock, resolver=aiohttp_resolver())
            threading.Timer(60.0, crawler.stop).start()
            asyncio.run(crawler.run())
            print(web.score("mybot").freshness)

    The rate and the gap are in seconds of that clock.  A `window` of some hundredths of the machine's second lets the
    crawler make good what it missed while the machine did something else.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        resolver: "AbstractResolver | None" = None,
        on_status: Callable[[Status], None] | None = None,
        prepare: Callable[[], None] | None = None,
        beside: "Callable[[Frontier], Coroutine[Any, Any, None]] | None" = None,
        seed: int = 0,
    ) -> None:
        settings.check_ready()
        self.settings = settings
        self.counts = Counts()
        self.clock = SystemClock() if clock is None else clock
        self._resolver, self._rng = resolver, Random(seed)
        self._on_status, self._prepare, self._beside = on_status, prepare, beside
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reason = ""
        self._desk = Desk(self.clock)
        self._kept: Kept | None = None
        self.listens = ""
        """Where it listens."""
        self.serves = ""
        """Where the service is that runs beside; whoever starts it says so."""
        self.brought_nothing = False
        """Whether it ended by itself, with `once`, and no page could be fetched."""

    # -- outside -------------------------------------------------------------------------------------------------------

    def stop(self, reason: str = "stopped") -> None:
        """Finish what is under way within a few seconds, and end; may be called from any thread, and more than once."""
        self._desk.stopping, self._reason = True, self._reason or reason
        self._ring()

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._desk.stopping

    @property
    def in_hand(self) -> int:
        """Results that wait to be handed over."""
        return self._desk.in_hand

    @property
    def requests(self) -> Recent:
        """Requests of late."""
        return self._desk.requests

    @property
    def bytes(self) -> Recent:
        """Bytes received of late."""
        return self._desk.bytes

    async def run(self) -> Status:
        """Keep pages fresh until told to stop; how things stood then."""
        self._loop = asyncio.get_running_loop()
        settings = self.settings
        self._gate = gate = Gate(
            self.clock,
            settings.rate,
            settings.gap,
            settings.max_in_flight,
            connections=settings.connections,
            window=settings.window,
        )
        limits = Limits(
            total=settings.timeout,
            idle=settings.idle_timeout,
            connect=settings.connect_timeout,
            body_bytes=settings.body_bytes,
            raw_bytes=settings.body_bytes,
        )
        try:
            async with Fetcher(
                settings.agent,
                limits=limits,
                allow_private=settings.allow_private,
                resolver=self._resolver,
                gate=gate,
                clock=self.clock,
            ) as fetcher:
                try:
                    return await self._run(gate, fetcher)
                finally:
                    gate.close()
        finally:
            if self._kept is not None:
                await asyncio.to_thread(self._kept.close)

    # -- inside --------------------------------------------------------------------------------------------------------

    async def _run(self, gate: Gate, fetcher: Fetcher) -> Status:
        settings, clock = self.settings, self.clock
        self._rules = RobotsCache(self._recalled, self._robots, clock.wall, settings.robots_fresh, self._found)
        self._worker = Worker(settings, fetcher, gate, self._rules, clock, self._rng, self._is_source, self._wants)
        scope = Scope((*settings.sites, *settings.sitemaps, *settings.feeds))
        kept = await self._opened()
        self._handover = HandOver(settings, kept, scope, self.counts, clock.wall, self._allowed)
        once = Once(kept.frontier, self._is_source) if settings.once else None
        telling = Telling(settings, kept, fetcher, clock, self._desk, self.counts, self._rng)
        early = self._handover.sources.early
        leasing = Leasing(settings, clock, kept.frontier, gate, self._worker, self._desk, self.counts, once, early)
        reporter = Reporter(self, kept, self._handover.sources, gate)
        with settled(), ThreadPoolExecutor(1, "hand over") as writer, ThreadPoolExecutor(1, "lease") as leaser:
            await in_thread(writer, begin, settings, kept, self._handover, once)
            try:
                async with asyncio.TaskGroup() as group, telling.listening(scope, self._listens_at):
                    beside = [
                        group.create_task(self._deliver(writer, telling)),
                        group.create_task(self._report(leaser, reporter)),
                        group.create_task(telling.subscribe(self._handover.sources)),
                        group.create_task(telling.hook()),
                    ]
                    if self._beside is not None:
                        beside.append(group.create_task(self._beside(kept.frontier)))
                    if await leasing.run(leaser) and once is not None:
                        self.stop(once.told())
                        self.brought_nothing = not once.came
                    await leasing.wind_up()
                    for task in beside:
                        task.cancel()
            except BaseExceptionGroup as errors:  # one is enough to say why
                with contextlib.suppress(RecrawlError, OSError):  # such as a disk that is full
                    await in_thread(writer, reporter.last, f"by an error: {errors.exceptions[0]}")
                raise errors.exceptions[0] from None
            finally:
                leasing.cancel()
            await in_thread(writer, self._give_back, kept, once)
            last: Status = await in_thread(writer, reporter.last, self._reason)
            return last

    async def _opened(self) -> Kept:
        """Open what is kept; in a new folder, ask for robots.txt meanwhile."""
        settings = self.settings
        if Kept.is_new(settings):
            for url in (*settings.sites, *settings.sitemaps, *settings.feeds):
                self._rules.begin(url)

        def opened() -> Kept:
            if self._prepare is not None:
                self._prepare()
            return Kept(settings, self.clock)

        # Not asyncio's own threads: these are waited for at the end, and to compile takes longer than anybody waits.
        opening: Future[Kept] = Future()
        opening.add_done_callback(lambda _: self._ring())
        threading.Thread(target=_do, args=(opening, opened), name="open", daemon=True).start()
        while not opening.done():
            if self._desk.stopping:
                opening.add_done_callback(_close_unused)
                raise StoppedEarlyError(f"{self._reason} before it began: nothing was fetched")
            await self._desk.pause(LOOK_S)
        self._kept = opening.result()
        return self._kept

    def _ring(self) -> None:
        """Wake who waits; from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # it was closed just now
                self._loop.call_soon_threadsafe(self._desk.ring)

    async def _deliver(self, writer: ThreadPoolExecutor, telling: Telling) -> None:
        """Hand results over, group by group."""
        while True:
            group = await self._desk.take()
            # Not cancelled half way: what is begun is ended.
            await asyncio.shield(in_thread(writer, self._handover.deliver, group))
            telling.changes_were_found()
            self._desk.handed_over(group)

    def _give_back(self, kept: Kept, once: Once | None) -> None:
        """What was leased and not fetched is offered again by the next run, at once."""
        kept.frontier.give_back()
        if once is not None:
            once.end()
            self._handover.sources.set_ages()

    def _is_source(self, url: str) -> bool:
        return self._handover.sources.registry.get(url) is not None

    def _wants(self, url: str) -> bool:
        return self._handover.reach.wants(url, self._is_source(url))

    def _listens_at(self, address: str) -> None:
        self.listens = address

    async def _report(self, leaser: ThreadPoolExecutor, reporter: Reporter) -> None:
        while True:
            status = await asyncio.shield(in_thread(leaser, reporter.report))
            if self._on_status is not None:
                self._on_status(status)
            await asyncio.sleep(1.0)

    # -- robots.txt ----------------------------------------------------------------------------------------------------

    def _recalled(self, kind: str, origin: str) -> Any:
        return None if self._kept is None else self._kept.shelf.get(kind, origin)

    async def _robots(self, url: str) -> Fetched:
        return await self._worker.robots(url)

    def _found(self, origin: str, known: Known, fetched: Fetched) -> None:
        """A robots.txt was fetched: its delay holds at once, the rest is handed over."""
        delay = self._worker.delay(known)
        gap = None if delay is None else max(delay, self.settings.gap)
        if gap is not None:
            self._gate.set_host(host_of(f"{origin}/"), gap=gap)
        self._desk.put(RobotsFound(origin, known, fetched, gap))

    def _allowed(self, url: str) -> bool:
        """Whether a page may be fetched, as far as is known; called by the thread that hands over."""
        known = self._rules.peek(url)
        return known is None or not known.reachable or self._worker.permits(known, url)


def _do(future: "Future[Kept]", function: Callable[[], Kept]) -> None:
    try:
        future.set_result(function())
    except BaseException as error:
        future.set_exception(error)


def _close_unused(opening: "Future[Kept]") -> None:
    """Nobody waits any more for what was opened."""
    if opening.exception() is None:
        opening.result().close()


def crawl(settings: Settings, **options: Any) -> Status:
    """Run a crawler to its end, in this thread."""
    return asyncio.run(Crawler(settings, **options).run())


__all__: Sequence[str] = ["Crawler", "crawl"]
