"""Kernels ready before the first call that matters, or compiled while others wait for nothing.

Compiled code is kept on disk, and a process takes from there what another one has put there since it started.  So
where nothing is compiled yet, other processes help (`python -m recrawl.frontier.warming WORK`).  One begins with
deciding and goes on with learning, one uses a whole frontier.  They come to the same kernels in the end, and whoever
is later finds them done.

`warm_up` waits for all of it.  `start_at_once` does not: until the others are ready Python runs the kernels itself
(_jit/interpreting.py), which is fast enough for some thousand pages.  What a folder holds must be read before: Python
reads a snapshot of 5,000 pages in two seconds, but for each event in the journal since then it takes 13 ms.  So a
frontier that was closed starts at once, and one whose process was killed where little happened since its last snapshot.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate

import numpy as np

from recrawl._jit import interpreting, is_kept
from recrawl.clock import ManualClock
from recrawl.engine import Scheduler
from recrawl.engine.growth import halve_ticks
from recrawl.errors import InUseError, RecrawlError
from recrawl.frontier.facts import decode
from recrawl.frontier.frontier import Frontier
from recrawl.learn import Learner
from recrawl.learn.online.observing import observe
from recrawl.model import Pages
from recrawl.pairing import Pairing
from recrawl.store import MemoryStore
from recrawl.store.read_only import reading

_PAGES = 300
MUCH_SNAPSHOT, MUCH_JOURNAL = 2 << 20, 5_000
"""Bytes of a snapshot (of some 5,000 pages), and events in the journal (a minute), beyond which waiting for compiled
kernels is better."""
ABANDONED = 3
"""How a helper ends when nobody waits for it any more."""


def warm_up() -> None:
    """Have every kernel loaded, or compiled where it never was on this machine: a second, or a minute.

    Otherwise the first call of each kind pays for its kernels.  For services that must answer at once.  Python's own
    search for garbage is the other thing that can stop a call for 100 ms; `gc.freeze()` after this keeps it short.
    """
    interpreting.wait()
    with _helped(_decide_and_learn):
        _use_everything()


def start_at_once(folder: str | os.PathLike[str] | None = None) -> bool:
    """Where nothing is compiled yet, have Python run the kernels until other processes have compiled them.

    `folder` is that of the frontier to be opened, if there is one.  False where kernels are there, where there is no
    second core to compile them, and where the folder holds much: then `warm_up` is better.  A frontier that has more
    than some thousand pages waits all the same.
    """
    if not _can_be_helped() or (folder is not None and _holds_much(folder)):
        return False
    interpreting.interpret()

    def others() -> None:
        try:
            with _helped(_decide_and_learn), _started(_use_everything) as helper:
                if helper is not None:
                    helper.wait()
        finally:
            interpreting.compiled()

    threading.Thread(target=others, name="waits for kernels", daemon=True).start()
    return True


def is_compiled() -> bool:
    """Whether kernels are there from an earlier run; not those of a version before, or of files that have changed."""
    return is_kept(observe)


def compiled_share() -> float:
    """Which share of the kernels is there.  Takes a tenth of a second; some are for others, so 1 is not reached."""
    kernels = interpreting.all_known()
    return sum(map(is_kept, kernels)) / len(kernels)


def _holds_much(folder: str | os.PathLike[str]) -> bool:
    """Whether it takes Python longer to read a folder than to compile what reads it.

    What cannot be read is for who opens the folder to tell.  Raises InUseError where somebody has it open.
    """
    try:
        with reading(folder) as store:
            latest = store.latest()
            number, parts = (0, {}) if latest is None else latest
            facts = (fact for group in store.read(number) for fact in decode(group.data))
            events = accumulate(len(fact.columns.get("ids", ())) for fact in facts)
            return sum(map(len, parts.values())) > MUCH_SNAPSHOT or any(n > MUCH_JOURNAL for n in events)
    except InUseError:
        raise
    except RecrawlError:
        return True


def _can_be_helped() -> bool:
    """Whether there is something to compile, and a core for it."""
    return not is_compiled() and (os.cpu_count() or 1) >= 2


@contextmanager
def _helped(work: Callable[[], None]) -> Iterator[None]:
    """Have a second process compile along."""
    if not _can_be_helped():
        yield
        return
    with _started(work):
        yield


@contextmanager
def _started(work: Callable[[], None]) -> Iterator["subprocess.Popen[bytes] | None"]:
    """A process that does some work here, until this ends; None where there can be none.

    It ends with its standard input, so also when this process is killed.
    """
    command = [sys.executable, "-m", "recrawl.frontier.warming", work.__name__]
    try:
        helper = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError:  # it would only have helped
        yield None
        return
    with helper:
        try:
            yield helper
        finally:
            with suppress(OSError):
                helper.kill()


def _ends_with_input() -> None:
    """End this process when nobody holds the other end of its standard input."""

    def listen() -> None:
        while os.read(0, 1):  # by its number: a file object is locked by who reads it, also when Python ends
            pass
        os._exit(ABANDONED)

    threading.Thread(target=listen, daemon=True).start()


def _decide_and_learn() -> None:
    """Decide, then learn, without a frontier."""
    some = np.arange(1.0, _PAGES + 1.0)
    scheduler = Scheduler(Pages(some, some, some, some))
    for turn in range(1, 20):
        pages = scheduler.lease(30, 3.0 * turn)
        scheduler.crawled(pages, 3.0 * turn)
        scheduler.signal(np.arange(50), 3.0 * turn)
    scheduler.update(np.arange(_PAGES), Pages(some, some, some, some), 60.0)
    learner = Learner(_PAGES, hosts=np.arange(_PAGES) % 30, now=0.0, refresh_slice=7)
    pairing = Pairing.start(learner)
    for turn in range(1, 60):
        now = 3.0 * turn
        pages = pairing.lease(30, now)
        pairing.crawled(pages, (pages + turn) % 2 == 0, at=now, now=now)
        pairing.signal(np.arange(50), now)


def _use_everything() -> None:
    """All that a frontier does."""
    for share in (None, 0.5):
        clock, store = ManualClock(1e9), MemoryStore()
        f = Frontier(store=store, clock=clock, rate=None, gap=0.1, max_in_flight=50, discovery=share, refresh_slice=7)
        urls = [f"https://h{k % 30}.example/{k}" for k in range(_PAGES)]
        f.add(urls, importance=2.0, every=[60.0 + k for k in range(_PAGES)])
        f.add(urls[:5], importance=1.0, max_age=1000.0)
        for turn in range(30):
            clock.advance(3.0)
            _turn(f, urls, turn, clock.wall())
        f.forget(urls[:20])
        f.add(urls[:25])
        f.request(urls[:40], 3)
        f.snapshot()
        again = Frontier(store=store.reopened(), clock=clock)
        again.freshness()
        again.page(urls[0])
        _turn(again, urls, 31, clock.wall())
        pairing = again._state.pairing
        halve_ticks(pairing.scheduler._core)  # else done first among 100,000 pages
        pairing.learner.unsignalled_rates(np.arange(3))  # else when a host's sources are known


def _turn(f: Frontier, urls: list[str], turn: int, now: float) -> None:
    batch = f.lease(30)
    status = [(200, 200, 304, 500, 404, 301)[k % 6] for k in range(len(batch))]
    moved = [f"https://m{turn}.example/{k}" if status[k] == 301 else None for k in range(len(batch))]
    f.complete(batch.tokens, status=status, moved_to=moved, digest=[str(turn + k) for k in range(len(batch))],
               validators={"etag": str(turn)})  # fmt: skip
    f.signal(urls[:50], "first", happened=[now - k for k in range(50)], skip_bad=True)
    f.signal(urls[20:60], "second")


_WORK = {work.__name__: work for work in (_decide_and_learn, _use_everything)}

if __name__ == "__main__":
    os.nice(5)  # who waits for this goes on meanwhile
    _ends_with_input()
    _WORK[sys.argv[1]]()
