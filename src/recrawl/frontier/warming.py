"""Kernels ready before the first call that matters.

Compiled code is kept on disk, and a process takes from there what another one has put there since it started.  So
where nothing is compiled yet, a second process helps (`python -m recrawl.frontier.warming`): it begins with deciding
and goes on with learning, while this one begins with opening and adding.  Both come to the same kernels in the end,
and whoever is later finds them done.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np

from recrawl._jit import is_kept
from recrawl.clock import ManualClock
from recrawl.engine import Scheduler
from recrawl.engine.growth import halve_ticks
from recrawl.frontier.frontier import Frontier
from recrawl.learn import Learner
from recrawl.learn.online.observing import observe
from recrawl.model import Pages
from recrawl.pairing import Pairing
from recrawl.store import MemoryStore

_PAGES = 300


def warm_up() -> None:
    """Have every kernel loaded, or compiled where it never was on this machine: a second, or a minute.

    Otherwise the first call of each kind pays for its kernels.  For services that must answer at once.  Python's own
    search for garbage is the other thing that can stop a call for 100 ms; `gc.freeze()` after this keeps it short.
    """
    with helped():
        _use_everything()


@contextmanager
def helped() -> Iterator[None]:
    """Have a second process compile along, where there is something to compile and a core for it."""
    if is_kept(observe) or (os.cpu_count() or 1) < 2:
        yield
        return
    command = [sys.executable, "-m", "recrawl.frontier.warming"]
    try:
        helper = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
    except OSError:  # it would only have helped
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            helper.kill()
        helper.wait()


def _help() -> None:
    """What the second process does: decide, then learn, without a frontier."""
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


if __name__ == "__main__":
    _help()
