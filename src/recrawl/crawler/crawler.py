"""`Crawler`: keeps the pages of sites fresh, until it is told to stop.

Theory of operation
-------------------
1. One task leases pages from the frontier, no more than the budget allows and the fetches have room for.  Each leased
   page is a task of its own: robots.txt, then the page, through the one gate that every request passes (worker.py).
2. What came of them is handed over by one thread, in groups: WARC record, shelf, feed of changes, and last of all the
   frontier (handover.py).  So a crash at any moment repeats something, and loses nothing.
3. The frontier decides by its own copy of the rate; the gate holds it for all requests, also for robots.txt, redirects,
   keys and hubs, which no lease stands for.  While the gate has requests that wait for nothing but the rate, no more
   pages are leased, so that they are chosen as late as possible.
4. Everything that waits does so by the clock that is given.  Network time-outs are in the machine's own seconds.
5. What was leased by a run that was killed is given back when the next one starts.
"""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING, Any

from recrawl.clock import SystemClock
from recrawl.crawler.counts import Counts, Recent
from recrawl.crawler.handover import HandOver, Item, RobotsFound
from recrawl.crawler.kept import Kept
from recrawl.crawler.once import Once
from recrawl.crawler.results import Result
from recrawl.crawler.robots_cache import Known, RobotsCache
from recrawl.crawler.scope import Scope
from recrawl.crawler.settings import Settings
from recrawl.crawler.start import begin
from recrawl.crawler.status import Reporter, Status
from recrawl.crawler.worker import Clock, Worker
from recrawl.fetch.client import Fetcher
from recrawl.fetch.fetched import Fetched
from recrawl.fetch.limits import Limits
from recrawl.fetch.politeness import Gate
from recrawl.frontier import Batch, LeasedPage
from recrawl.frontier.frontier import POLL

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

    from recrawl.crawler.listening.subscriptions import Subscriptions
    from recrawl.outputs.hooks import Deliverer

GRACE_S = 4.0
"""The machine's seconds that fetches under way get to end, when the crawler is told to stop."""
LEAST_PAUSE_S = 0.002
"""The machine's seconds between two questions to the frontier, where nothing else happens."""
MOST_OFTEN_S = 0.005
"""The machine's seconds between two questions to the frontier, where it has nothing for now."""
ROUNDS = 20
"""Questions without an answer, after which it is looked whether every page was fetched."""
MOST_BYTES = 64 << 20
"""Bytes of pages that may wait to be handed over; beyond that no more are leased."""
GROUP = 256
"""Results that are handed over together, at most."""


class Crawler:
    """Keeps pages fresh.

    ::

        settings = Settings(sites=("https://example.org/",), rate=5.0, data="data", contact="me@example.org")
        asyncio.run(Crawler(settings).run())

    `run` goes on until `stop` is called, from any thread, or until every page was fetched with `once`.

    =============== ================================================================================================
    `settings`      what is asked for; `data=None` keeps everything in memory
    `clock`         where time comes from: `recrawl.clock.ScaledClock` in a web in which years take a minute
    `resolver`      looks names up, by aiohttp's interface
    `on_status`     called with a `Status` about every second, in the crawler's thread
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
        seed: int = 0,
    ) -> None:
        settings.check_ready()
        self.settings = settings
        self.counts = Counts()
        self.clock = SystemClock() if clock is None else clock
        self._resolver, self._rng = resolver, Random(seed)
        self._on_status = on_status
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False
        self._reason = ""
        self._started = self.clock.monotonic()
        # Per second of the machine's, for the view; a world that runs fast shows what is really done.
        self.requests, self.bytes = Recent(10.0), Recent(10.0)
        self._tasks: set[asyncio.Task[None]] = set()
        self.in_hand = 0
        self._bytes = 0
        self._idle = 0
        self._subscriptions: Subscriptions | None = None
        self._hooks: Deliverer | None = None
        self.listens = ""
        """Where it listens."""

    # -- outside -------------------------------------------------------------------------------------------------------

    def stop(self, reason: str = "stopped") -> None:
        """Finish what is under way within a few seconds, and end; may be called from any thread, and more than once."""
        self._stopping, self._reason = True, self._reason or reason
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # it was closed just now
                self._loop.call_soon_threadsafe(self._wake)

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._stopping

    async def run(self) -> Status:
        """Keep pages fresh until told to stop; how things stood then."""
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._queue: asyncio.Queue[Item] = asyncio.Queue()
        settings = self.settings
        kept = await asyncio.to_thread(Kept, settings, self.clock)
        try:
            gate = Gate(
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
            async with Fetcher(
                settings.agent,
                limits=limits,
                allow_private=settings.allow_private,
                resolver=self._resolver,
                gate=gate,
                clock=self.clock,
            ) as fetcher:
                try:
                    return await self._run(kept, gate, fetcher)
                finally:
                    gate.close()
        finally:
            await asyncio.to_thread(kept.close)

    # -- inside --------------------------------------------------------------------------------------------------------

    async def _run(self, kept: Kept, gate: Gate, fetcher: Fetcher) -> Status:
        settings, clock = self.settings, self.clock
        scope = Scope((*settings.sites, *settings.sitemaps, *settings.feeds))
        rules = RobotsCache(kept.shelf, self._robots, clock.wall, settings.robots_fresh, self._found)
        self._gate, self._kept = gate, kept
        self._handover = HandOver(settings, kept, scope, self.counts, clock.wall, self._allowed)
        is_source = self._handover.sources.registry.get
        self._worker = Worker(
            settings, fetcher, gate, rules, clock, self._rng, is_source=lambda url: is_source(url) is not None
        )
        self._rules = rules
        self._once = Once(kept.frontier) if settings.once else None
        reporter = Reporter(self, kept, self._handover.sources, gate)
        with ThreadPoolExecutor(1, "hand over") as writer, ThreadPoolExecutor(1, "lease") as leaser:
            self._writer, self._leaser = writer, leaser
            await self._call(writer, begin, settings, kept, self._handover, self._once)
            try:
                async with asyncio.TaskGroup() as group, self._listening(fetcher, scope):
                    beside = [
                        group.create_task(self._deliver()),
                        group.create_task(self._report(reporter)),
                        group.create_task(self._subscribe()),
                        group.create_task(self._hook()),
                    ]
                    await self._lease()
                    await self._wind_up()
                    for task in beside:
                        task.cancel()
            except BaseExceptionGroup as errors:  # one is enough to say why
                raise errors.exceptions[0] from None
            finally:
                for task in tuple(self._tasks):
                    task.cancel()
            await self._call(writer, self._give_back)
            last: Status = await self._call(writer, reporter.last, self._reason)
            return last

    async def _call(self, pool: ThreadPoolExecutor, work: Callable[..., Any], *args: Any) -> Any:
        """Work that waits for the disk, in a thread of its own."""
        return await asyncio.get_running_loop().run_in_executor(pool, work, *args)

    # -- leasing -------------------------------------------------------------------------------------------------------

    async def _lease(self) -> None:
        """Lease pages as long as nobody says stop."""
        settings, frontier = self.settings, self._kept.frontier
        lasts = settings.lease / self.clock.real(1.0)
        least = max(settings.connections // 4, 1)
        poll = max(self.clock.real(settings.gap) / 20.0, MOST_OFTEN_S)  # so that a host's gap is missed by little
        while not self._stopping:
            room = self._room()
            if room < least or self._gate.behind:
                await self._pause(0.05 if room < least else LEAST_PAUSE_S)
                continue
            batch = await self._call(self._leaser, functools.partial(frontier.lease, room, seconds=lasts))
            if self._once is None:
                for page in batch:
                    self._start(page)
            elif await self._lease_once(self._once, batch):
                return
            wait = self.clock.real(batch.wait)
            await self._pause(wait if batch.wait > POLL else min(wait, poll))

    async def _lease_once(self, once: Once, batch: Batch) -> bool:
        """Start pages that were not fetched in this run, and give the others back; whether all were."""
        again = [page.token for page in batch if not once.take(page)]
        for page in batch:
            if page.token not in again:
                self._start(page)
        if again:
            await self._call(self._leaser, self._kept.frontier.give_back, again)
        if len(again) < len(batch) or self._tasks or self.in_hand:
            return False
        self._idle += 1
        if self._idle % ROUNDS == 0 and await self._call(self._leaser, once.done):  # else some wait for their hosts
            self.stop("every page was fetched")
        return self._stopping

    def _room(self) -> int:
        """How many pages may be leased now: twice as many as can be fetched, so that there is always one ready."""
        if self._bytes > MOST_BYTES or self.in_hand > 4 * self.settings.connections:
            return 0
        return 2 * self.settings.connections - len(self._tasks)

    def _start(self, page: LeasedPage) -> None:
        task = asyncio.create_task(self._fetch(page))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if len(self._tasks) <= 2 * self.settings.connections - max(self.settings.connections // 4, 1):
            self._wake()

    async def _fetch(self, page: LeasedPage) -> None:
        """One page, from the lease to the queue of what is handed over."""
        try:
            async with asyncio.timeout(self.settings.lease):
                result = await self._worker.page(page)
        except TimeoutError:
            result = Result(page.url, page.token, page.first, self.clock.wall(), None, "given-up")
        except Exception as error:  # a mistake of ours must not stop all the others; it is counted, and seen
            self.counts.add("mistakes", f"{type(error).__name__}: {error}"[:200])
            result = Result(page.url, page.token, page.first, self.clock.wall(), None)
        self._pass_on(result)

    def _pass_on(self, item: Item) -> None:
        self.in_hand += 1
        self._bytes += item.size
        fetched = item.fetched
        if fetched is not None:
            now = self.clock.real(self.clock.monotonic())
            self.requests.add(now, 1 + len(fetched.hops))
            self.bytes.add(now, fetched.on_wire)
        self._queue.put_nowait(item)

    async def _pause(self, seconds: float) -> None:
        """Wait for so many of the machine's seconds, or until something happened."""
        self._woken.clear()
        if self._stopping:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, LEAST_PAUSE_S)):
                await self._woken.wait()

    def _wake(self) -> None:
        self._woken.set()

    # -- robots.txt ----------------------------------------------------------------------------------------------------

    async def _robots(self, url: str) -> Fetched:
        return await self._worker.robots(url)

    def _found(self, origin: str, known: Known, fetched: Fetched) -> None:
        """A robots.txt was fetched: its delay holds at once, the rest is handed over."""
        from recrawl.urls import host_of

        delay = self._worker.delay(known)
        gap = None if delay is None else max(delay, self.settings.gap)
        if gap is not None:
            self._gate.set_host(host_of(f"{origin}/"), gap=gap)
        self._pass_on(RobotsFound(origin, known, fetched, gap))

    def _allowed(self, url: str) -> bool:
        """Whether a page may be fetched, as far as is known; called by the thread that hands over."""
        known = self._rules.peek(url)
        return known is None or not known.reachable or self._worker.permits(known, url)

    # -- handing over --------------------------------------------------------------------------------------------------

    async def _deliver(self) -> None:
        """Hand results over, group by group."""
        while True:
            group: list[Item] = [await self._queue.get()]
            while len(group) < GROUP and not self._queue.empty():
                group.append(self._queue.get_nowait())
            # Not cancelled half way: what is begun is ended.
            await asyncio.shield(self._call(self._writer, self._handover.deliver, group))
            if self._hooks is not None:
                self._hooks.wake()
            self.in_hand -= len(group)
            self._bytes -= sum(item.size for item in group)
            self._wake()

    async def _wind_up(self) -> None:
        """Let fetches under way end, for a few seconds, and hand over what came of them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GRACE_S)
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        while self.in_hand:
            await self._pause(0.05 if not self._stopping else LEAST_PAUSE_S)
            await asyncio.sleep(LEAST_PAUSE_S)

    def _give_back(self) -> None:
        """What was leased and not fetched is offered again by the next run, at once."""
        self._kept.frontier.give_back()
        if self._once is not None:
            self._once.end()
            self._handover.sources.set_ages()

    # -- being told, and telling ---------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _listening(self, fetcher: Fetcher, scope: Scope) -> AsyncIterator[None]:
        """Listen for pings and deliveries, where that is asked for."""
        settings, shelf, now = self.settings, self._kept.shelf, self.clock.wall
        if settings.listen is None:
            yield
            return
        from recrawl.crawler.listening.keys import Keys
        from recrawl.crawler.listening.server import Listener
        from recrawl.crawler.listening.subscriptions import Subscriptions

        if settings.public_url is not None:
            self._subscriptions = Subscriptions(shelf, fetcher, settings.public_url, now, self.counts)

        def ours(url: str) -> bool:
            return scope.covers(url) or url in self._kept.frontier

        keys = Keys(shelf, fetcher, now)
        async with Listener(
            settings.listen, keys, self._subscriptions, ours, self._pass_on, now, self.counts
        ) as listener:
            self.listens = listener.address
            yield

    async def _subscribe(self) -> None:
        """See to subscriptions, now and then."""
        while self._subscriptions is not None:
            await self._subscriptions.look_after(list(self._handover.sources.registry))
            await asyncio.sleep(min(max(self.clock.real(60.0), 0.1), 5.0))

    async def _hook(self) -> None:
        """Tell a command or an address of each change."""
        settings, feed = self.settings, self._kept.feed
        if settings.on_change is None or feed is None:
            return
        from recrawl.outputs.hooks import Deliverer, kept_secret, target_of

        secret = settings.on_change_secret or kept_secret(self._kept.shelf)
        target = target_of(settings.on_change, secret)
        self._hooks = Deliverer(
            feed.path, self._kept.shelf, "on_change", target, random=self._rng, failed=self._hook_failed
        )
        await self._hooks.run()

    def _hook_failed(self, _number: int, _tries: int, why: str) -> None:
        self.counts.add("hooks", f"failed: {why}"[:200])

    # -- showing -------------------------------------------------------------------------------------------------------

    async def _report(self, reporter: Reporter) -> None:
        while True:
            status = await asyncio.shield(self._call(self._leaser, reporter.report))
            if self._on_status is not None:
                self._on_status(status)
            await asyncio.sleep(1.0)


def crawl(settings: Settings, **options: Any) -> Status:
    """Run a crawler to its end, in this thread."""
    return asyncio.run(Crawler(settings, **options).run())


__all__: Sequence[str] = ["Crawler", "crawl"]
