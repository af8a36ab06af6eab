"""`Leasing`: takes pages from the frontier as there is room for them, and has each fetched in a task of its own."""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from recrawl.crawler.desk import LEAST_PAUSE_S, Desk
from recrawl.crawler.results import FAILED, Result, prepared
from recrawl.frontier.answers import POLL

if TYPE_CHECKING:
    from recrawl.crawler.counts import Counts
    from recrawl.crawler.once import Once
    from recrawl.crawler.settings import Settings
    from recrawl.crawler.worker import Clock, Worker
    from recrawl.fetch.politeness import Gate
    from recrawl.frontier import Batch, Frontier, LeasedPage

GRACE_S = 4.0
"""The machine's seconds that fetches under way get to end, when the crawler is told to stop."""
MOST_OFTEN_S = 0.005
"""The machine's seconds between two questions to the frontier, where it has nothing for now."""
AT_HAND, AT_HAND_WHERE_MANY = 2, 3
"""Pages leased for each connection: one that is fetched, and what is ready when it is done.  Where many results come,
more are leased at once, for each lease has two threads change places; where requests drag on, none is to wait long."""
ROUNDS = 20
"""Questions without an answer, after which it is looked whether every page was fetched."""


async def in_thread(pool: ThreadPoolExecutor, work: Callable[..., Any], *args: Any) -> Any:
    """Work that waits for the disk, in a thread of its own."""
    return await asyncio.get_running_loop().run_in_executor(pool, work, *args)


class Leasing:
    """Pages on their way from the frontier to the desk."""

    def __init__(
        self,
        settings: "Settings",
        clock: "Clock",
        frontier: "Frontier",
        gate: "Gate",
        worker: "Worker",
        desk: Desk,
        counts: "Counts",
        once: "Once | None",
        early: Callable[[str, float], float] = lambda *_: 0.0,
    ) -> None:
        """`early(url, now)`: seconds for which a page that is offered need not be fetched."""
        self._settings, self._clock, self._frontier, self._gate = settings, clock, frontier, gate
        self._worker, self._desk, self._counts, self._once = worker, desk, counts, once
        self._early = early
        self._least = max(settings.connections // 2, 1)
        self._tasks: dict[asyncio.Task[None], float] = {}
        """With the times of the event loop at which they are given up, in that order."""
        self._late: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._idle = 0

    async def run(self, pool: ThreadPoolExecutor) -> bool:
        """Lease pages until somebody says stop, or all were fetched once; whether all were."""
        settings, frontier, desk = self._settings, self._frontier, self._desk
        lasts = settings.lease / self._clock.real(1.0)
        poll = max(self._clock.real(settings.gap) / 20.0, MOST_OFTEN_S)  # so that a host's gap is missed by little
        while not desk.stopping:
            room = self._room()
            if room < self._least or self._gate.behind:
                await desk.pause(0.05 if room < self._least else LEAST_PAUSE_S)
                continue
            batch = await in_thread(pool, functools.partial(frontier.lease, room, seconds=lasts))
            if self._once is None:
                for page in await self._ripe(pool, batch):
                    self._start(page)
            elif await self._lease_once(pool, self._once, batch):
                return True
            wait = self._clock.real(batch.wait)
            await desk.pause(wait if batch.wait > POLL else min(wait, poll))
        return False

    async def wind_up(self) -> None:
        """Let fetches under way end, for a few seconds, and wait until what came of them is handed over."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GRACE_S)
        self.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        while self._desk.in_hand:
            await self._desk.pause(0.05)
            await asyncio.sleep(LEAST_PAUSE_S)  # a pause is none when the crawler is told to stop

    def cancel(self) -> None:
        """Give all fetches up."""
        if self._timer is not None:
            self._timer.cancel()
        for task in tuple(self._tasks):
            task.cancel()

    async def _ripe(self, pool: ThreadPoolExecutor, batch: "Batch") -> "list[LeasedPage]":
        """Pages to be fetched now; the others are put off.

        To the frontier that is a page that failed through no fault of its host: it offers it again, but not before.
        """
        pages, now = list(batch), self._clock.wall()
        early = {page.token: seconds for page in pages if (seconds := self._early(page.url, now)) > 0.0}
        if not early:
            return pages
        put_off = functools.partial(self._frontier.complete, status=FAILED, retry_after=list(early.values()))
        await in_thread(pool, put_off, list(early))
        return [page for page in pages if page.token not in early]

    async def _lease_once(self, pool: ThreadPoolExecutor, once: "Once", batch: "Batch") -> bool:
        """Start pages that were not fetched in this run, and give the others back; whether all were."""
        again = [page.token for page in batch if not once.take(page)]
        for page in batch:
            if page.token not in again:
                self._start(page)
        if again:
            await in_thread(pool, self._frontier.give_back, again)
        if len(again) < len(batch) or self._tasks or self._desk.in_hand:
            return False
        self._idle += 1
        # Not before some rounds: pages may wait for their hosts.
        return self._idle % ROUNDS == 0 and bool(await in_thread(pool, once.done))

    def _room(self) -> int:
        """How many pages may be leased now."""
        if self._desk.is_full(8 * self._settings.connections):
            return 0
        at_hand = AT_HAND_WHERE_MANY if self._desk.many else AT_HAND
        return at_hand * self._settings.connections - len(self._tasks)

    def _start(self, page: "LeasedPage") -> None:
        task = asyncio.create_task(self._fetch(page))
        self._tasks[task] = asyncio.get_running_loop().time() + self._settings.lease
        task.add_done_callback(self._ended)
        if self._timer is None:
            self._give_up_late()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        del self._tasks[task]
        self._late.discard(task)
        if self._room() >= self._least:
            self._desk.ring()

    def _give_up_late(self) -> None:
        """Give up fetches that take longer than their leases, and look again when the next one may."""
        loop = asyncio.get_running_loop()
        now, self._timer = loop.time(), None
        for task, until in self._tasks.items():
            if until > now:
                self._timer = loop.call_at(until, self._give_up_late)
                return
            if task not in self._late:
                self._late.add(task)
                task.cancel()

    async def _fetch(self, page: "LeasedPage") -> None:
        """One page, from the lease to the desk."""
        try:
            result = prepared(await self._worker.page(page))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task not in self._late or task.uncancel():  # or somebody else wants it to end, too
                raise
            result = Result(page.url, page.token, page.first, self._clock.wall(), None, "given-up")
        except Exception as error:  # a mistake of ours must not stop all the others; it is counted, and seen
            self._counts.add("mistakes", f"{type(error).__name__}: {error}"[:200])
            result = Result(page.url, page.token, page.first, self._clock.wall(), None)
        self._desk.put(result)
