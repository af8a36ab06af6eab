"""`Owner`: the one thread that calls the frontier, and those who wait for pages.

Theory of operation
-------------------
1. A request becomes a job in a queue.  One thread takes the jobs, does them, and hands answers back to the event loop.
   So neither kernels nor the disk hold the event loop up, and nobody waits for a lock.
2. What can be done together is done together (merging.py): the signals of a source become one call of the frontier, and
   so one write to the disk; all who want pages are dealt those of one lease, in the order in which they came.
3. Outcomes of several requests become one call as well, up to five hundred pages: half of what such a call costs does
   not depend on how many they are.  Leases come last in a round, so that they know of everything.
4. Who asked to wait for pages stays until there is something for them or their time is up.  It is looked again when the
   frontier says that there may be something, or when somebody has brought something: pages, signals, outcomes, another
   rate.
   Before pages are dealt it is asked whether each of them may still have some: tokens are revoked meanwhile.
5. A job that was begun is ended, also where who asked has gone.  Pages dealt to somebody who has gone are given back.
6. Where the frontier will answer no more calls, `failed` is told why, once: somebody has to start it anew.
"""

import asyncio
import math
import queue
import sys
import threading
import traceback
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar
from weakref import WeakSet

from litestar.di import NamedDependency

from recrawl.clock import seconds
from recrawl.errors import RecrawlError
from recrawl.frontier import Batch, Completed, Frontier, Heard
from recrawl.frontier.completing import Outcomes
from recrawl.server.merging import Answered, Call, Finish, Leasing, Signal, deal, do, finish, handfuls, hear

T = TypeVar("T")
SOONEST_S = 0.005
"""Seconds after which the frontier is asked again for those who wait, at the earliest."""
PATIENCE_S = 3600.0
"""Seconds between two looks where nobody waits for anything."""

Job = Call | Signal | Finish | Leasing


class Lag:
    """The longest that a call waited, in this minute and the one before."""

    def __init__(self) -> None:
        self._begun, self._now, self._before = seconds(), 0.0, 0.0

    @property
    def most(self) -> float:
        """In seconds."""
        return max(self._now, self._before)

    def note(self, jobs: Sequence[Job]) -> None:
        """These are done."""
        now = seconds()
        if now - self._begun > 60.0:
            self._begun, self._before, self._now = now, self._now, 0.0
        for job in jobs:
            if not isinstance(job, Leasing):
                self._now = max(self._now, now - job.came)


class Owner:
    """A frontier that is called from an event loop."""

    def __init__(self, frontier: Frontier, failed: Callable[[str], None] = lambda _: None) -> None:
        self.frontier = frontier
        self._failed, self._told = failed, False
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._round: list[Job] = []
        self._waiting: list[Leasing] = []
        self._again = math.inf
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="frontier", daemon=True)
        self._lag = Lag()
        self._keyed: WeakSet[asyncio.Future[Any]] = WeakSet()
        self._released = False

    @property
    def lag(self) -> float:
        """Seconds that a call waited for its answer, at most, of late; those that wait for pages do not count."""
        return self._lag.most

    @contextmanager
    def running(self) -> Iterator[None]:
        """Take jobs until the end of the block; must be entered in the event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        try:
            yield
        finally:
            self._jobs.put(None)

    def release(self) -> None:
        """Let nobody wait for pages any more: those who do are told that there are none."""
        self._released = True
        if self._loop is not None:
            self._jobs.put(Call(lambda: None, self._loop.create_future()))

    async def ended(self) -> None:
        """Wait until the thread has done all that it was given."""
        await asyncio.to_thread(self._thread.join)

    # -- what handlers call --------------------------------------------------------------------------------------------

    async def call(self, function: Callable[..., T], *args: Any, **options: Any) -> T:
        """Call something that uses the frontier."""
        done: T = await self._job(Call(partial(function, *args, **options), self._future()))
        return done

    async def signal(self, urls: list[str], source: str, happened: Any, skip_bad: bool, key: str | None) -> Heard:
        """Signals of a source."""
        done: Heard = await self._job(Signal(urls, source, happened, skip_bad, key, self._future()))
        return done

    async def complete(self, outcomes: Outcomes) -> Completed:
        """What came of fetches."""
        done: Completed = await self._job(Finish(outcomes, self._future()))
        return done

    async def lease(
        self,
        n: int,
        lasts: float | None,
        wait: float,
        key: str | None,
        gone: Coroutine[Any, Any, None] | None = None,
        refused: Callable[[], Exception | None] | None = None,
    ) -> Batch:
        """Up to n pages; where there are none, the first ones within `wait` seconds.  None where `gone` ends before.

        Who waits is asked before pages are dealt whether they are `refused`, and by what error.
        """
        job = Leasing(n, lasts, seconds() + wait, key, self._future(), refused)
        if key is not None:
            self._keyed.add(job.future)
        if gone is not None:
            return await self._unless(gone, job)
        done: Batch = await self._job(job)
        return done

    async def _unless(self, gone: Coroutine[Any, Any, None], job: Leasing) -> Batch:
        """Nobody waits any longer when who asked has gone."""
        watching = asyncio.ensure_future(gone)
        watching.add_done_callback(lambda _: job.future.cancel())
        try:
            done: Batch = await self._job(job)
        except asyncio.CancelledError:
            if not watching.done():  # it is the request that was cancelled
                raise
            return Batch()
        finally:
            watching.cancel()
        return done

    def _future(self) -> "asyncio.Future[Any]":
        assert self._loop is not None
        return self._loop.create_future()

    def _job(self, job: Job) -> "asyncio.Future[Any]":
        if not self._thread.is_alive():
            raise RecrawlError("the service is stopping; ask again when it is back")
        self._jobs.put(job)
        return job.future

    # -- the thread ----------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._work()
        except BaseException:  # a mistake of ours
            traceback.print_exc(file=sys.stderr)
            self._fail("the thread that owns it has made a mistake")
            ended = RecrawlError("the service is stopping, for it has made a mistake")
            self._hand_out([(job.future, None, ended) for job in (*self._round, *self._waiting)])
        self._refuse_the_rest()

    def _fail(self, why: str) -> None:
        if not self._told:
            self._told = True
            assert self._loop is not None
            self._loop.call_soon_threadsafe(self._failed, why)

    def _work(self) -> None:
        going = True
        while going:
            jobs, going = self._taken()
            self._round = jobs
            signals = [job for job in jobs if isinstance(job, Signal)]
            self._answer(signals, hear(self.frontier, signals))
            for some in handfuls([job for job in jobs if isinstance(job, Finish)]):
                self._answer(some, finish(self.frontier, some))
            for job in jobs:
                if isinstance(job, Call):
                    self._answer([job], [do(job)])
            leases = [job for job in jobs if isinstance(job, Leasing)]
            if leases or (self._waiting and (jobs or seconds() >= self._look_at)):
                self._hand_out(self._lease(leases))
            if (why := self.frontier.broken) is not None:
                self._fail(why)
        self._hand_out([(job.future, Batch(), None) for job in self._waiting])

    def _refuse_the_rest(self) -> None:
        """What came after the end."""
        while True:
            try:
                late = self._jobs.get_nowait()
            except queue.Empty:
                return
            if late is not None:
                self._hand_out([(late.future, None, RecrawlError("the service is stopping"))])

    def _answer(self, jobs: Sequence[Job], answered: list[Answered]) -> None:
        self._lag.note(jobs)
        self._hand_out(answered)

    def _taken(self) -> tuple[list[Job], bool]:
        """All jobs that have come, and whether there will be more; waits for the first, or until it is time to look."""
        jobs: list[Job] = []
        try:
            job = self._jobs.get(timeout=min(max(self._look_at - seconds(), 0.0), PATIENCE_S))
            while True:
                if job is None:
                    return jobs, False
                jobs.append(job)
                job = self._jobs.get_nowait()
        except queue.Empty:
            return jobs, True

    @property
    def _look_at(self) -> float:
        """When those who wait are looked at though nothing came: there may be pages, or somebody's time is up."""
        return min([self._again, *(job.until for job in self._waiting)]) if self._waiting else math.inf

    def _lease(self, new: list[Leasing]) -> list[Answered]:
        """Deal pages to all who wait; who gets none goes on waiting, or is told so."""
        waiting = [job for job in self._waiting if not job.future.cancelled()]
        errors = [None if job.refused is None else job.refused() for job in waiting]
        answered: list[Answered] = [
            (job.future, None, error) for job, error in zip(waiting, errors, strict=True) if error is not None
        ]
        welcome = [job for job, error in zip(waiting, errors, strict=True) if error is None]
        asked = welcome + [job for job in new if not job.future.cancelled()]
        dealt, wait = deal(self.frontier, asked)
        self._waiting, now = [], seconds()
        for job, (future, batch, error) in zip(asked, dealt, strict=True):
            if error is None and not len(batch) and job.until > now and not self._released and not self._spent(job):
                self._waiting.append(job)
            else:
                answered.append((future, batch, error))
        self._again = now + max(wait, SOONEST_S)
        return answered

    def _spent(self, job: Leasing) -> bool:
        """Whether it asks for pages of a lease that is over: there will be none."""
        return job.key is not None and self.frontier.look(lambda state, _: job.key in state.keys)

    def _hand_out(self, answered: list[Answered]) -> None:
        if answered:
            assert self._loop is not None
            self._loop.call_soon_threadsafe(self._set, answered)

    def _set(self, answered: list[Answered]) -> None:
        """In the event loop: wake those who asked."""
        for future, answer, error in answered:
            if future.cancelled():
                # Pages dealt under a key stay: who has the key may ask for them again, and may just have done so.
                if isinstance(answer, Batch) and len(answer) and future not in self._keyed:
                    self._jobs.put(Call(partial(self.frontier.give_back, answer.tokens), self._future()))
            elif future.done():  # before a mistake was made
                pass
            elif error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)


Owned = NamedDependency[Owner]
"""The owner, as handlers ask for it."""
