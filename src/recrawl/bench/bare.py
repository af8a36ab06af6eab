"""A scheduler and a learner by themselves, in the same world and at the same work as a frontier: what kernels cost.

No URLs, tokens, named sources, validators, journal; but new beliefs of all pages are spread over calls as the frontier
spreads them, since `observe` asks for that.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from recrawl.bench.timing import Timed
from recrawl.bench.world import A_HOST, BATCH, RATE, World
from recrawl.engine import Scheduler
from recrawl.frontier.settings import Settings
from recrawl.learn import Learner
from recrawl.learn.online.layout import OUTCOMES, REFRESH_AT
from recrawl.pairing import A_CALL, AN_OUTCOME

BUSY = ", refreshing"
SETTLED, QUIET = 500, 1000


class Bare:
    """Calls to both, as a program would make them that has nothing else."""

    def __init__(self, m: int, now: float) -> None:
        hosts = np.arange(m) // A_HOST
        self.m = m
        self.learner = Learner(m, hosts, now=now, refresh_slice=Settings().refresh_slice)
        self.scheduler = Scheduler(self.learner.pages(), now=now, hosts=hosts)
        self.scheduler.signal(np.arange(m), now, weight=math.inf)  # never fetched: certainly stale
        self._at = self._left = 0

    @property
    def busy(self) -> bool:
        """Whether priors are learned anew, or pages wait for new beliefs."""
        return self.learner.refreshing or self._left > 0

    def first_copies(self, ids: Any, now: float) -> None:
        """Pages were fetched for the first time."""
        self.scheduler.crawled(ids, now)
        self.learner.restart(ids, now)
        self.scheduler.update(ids, self.learner.pages(ids), now)

    def complete(self, ids: Any, changed: Any, now: float) -> None:
        """Pages were fetched and compared."""
        self.scheduler.crawled(ids, now)
        if self.learner.observe(ids, None, None, changed, now, self.scheduler.level):
            self._left = self.m
        self.scheduler.update(ids, self.learner.pages(ids), now)
        if self._left:
            some = np.arange(self._at, min(self._at + min(A_CALL + AN_OUTCOME * len(ids), self._left), self.m))
            self.scheduler.update(some, self.learner.pages(some), now)
            self._at, self._left = (self._at + len(some)) % self.m, self._left - len(some)

    def signal(self, ids: Any, now: float) -> None:
        """Signals for these pages."""
        self.scheduler.signal(ids, now)
        self.learner.signalled(ids, now)


def rounds(m: int, timed: Timed, learner: Learner) -> Iterator[int]:
    """Batches until a refresh has come to its end, and many in peace after it; but no more than two rounds.

    Refreshes become rare with time, but in the first rounds one begins before all pages know of the one before.  So the
    second is put off until this is over.  The first few batches are of the time before the first outcome.
    """
    numbers, before = learner._memory.numbers, 0
    for k in range(max(2 * m // BATCH, 50)):
        if k > m // BATCH // 8 and not learner.refreshing:
            numbers[REFRESH_AT] = math.inf
        yield k
        quiet = len(timed.calls.get("complete", ()))
        if k <= SETTLED:
            before = quiet
        elif quiet >= before + QUIET:
            break
    numbers[REFRESH_AT] = numbers[OUTCOMES]


def bare_costs(m: int) -> Timed:
    """A round of first visits, and then batches of leases, outcomes and signals."""
    _run(min(m, 20_000))  # compiled and loaded
    return _run(m)


def _run(m: int) -> Timed:
    timed, world, now = Timed(), World(m), 1.7e9
    bare = Bare(m, now)
    for _ in range(m // BATCH):
        now += BATCH / RATE
        ids = bare.scheduler.lease(BATCH, now)
        world.fetch(ids, now)
        bare.first_copies(ids, now)
    for k in rounds(m, timed, bare.learner):
        now += BATCH / RATE
        state = BUSY if bare.busy else ""
        ids = timed.call(f"lease{state}", BATCH, bare.scheduler.lease, BATCH, now)
        timed.call(f"complete{state}", len(ids), bare.complete, ids, world.fetch(ids, now), now)
        timed.call("signal", BATCH, bare.signal, world.some(BATCH), now)
        if k % 20 == 0:
            bare.signal(np.repeat(world.some(1), 1000), now)
        if k % 50 == 0:
            bare.signal(world.sites(20), now)
    return timed
