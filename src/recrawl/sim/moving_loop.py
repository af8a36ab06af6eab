"""`coming_and_going.Learns`, compiled from one first visit, loss or announcement to the next.

These three change who is there, so they are left to `Pairing`, in Python; what lies between them, nearly all crawls, is
the circle of `learning_loop`.  The crawls are those of the step-by-step crawler, which is the definition.
"""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.engine.core.actions import signal, take
from recrawl.engine.core.layout import NOW, Core
from recrawl.learn.neighbours.layout import Memory as Near
from recrawl.learn.neighbours.layout import empty_memory
from recrawl.learn.online.layout import CLOCK, Memory
from recrawl.learn.online.refreshing import Job
from recrawl.learn.online.type_likelihood import signalled
from recrawl.sim.coming_and_going import Learns
from recrawl.sim.events import Ids, Times
from recrawl.sim.learning_loop import changed_since, learn_from
from recrawl.sim.presence import Presence
from recrawl.sim.progress import tell
from recrawl.sim.world import World

Flags = NDArray[np.bool_]

T, SIGNAL = range(2)
"""How far a run is: the next moment, and the next signal."""


@jit
def _hear(core: Core, memory: Memory, k: int, until: float, times: Times, pages: Ids, id_of: Ids) -> int:
    """Pass on the signals up to `until`, of pages that are known; the number of the first that came later."""
    one, none = np.empty(1, dtype=np.int64), np.empty(0)
    while k < len(times) and times[k] <= until:
        one[0] = id_of[pages[k]]
        if one[0] >= 0:
            signal(core, one, none, none, True, none, 0.0, core.pool_numbers[0, NOW], times[k])
            signalled(memory, one[0], 1.0, max(memory.numbers[CLOCK], times[k]))
            memory.numbers[CLOCK] = max(memory.numbers[CLOCK], times[k])
        k += 1
    return k


@jit
def _run(
    core: Core,
    memory: Memory,
    job: Job,
    near: Near,
    moments: Times,
    stop: int,
    at: Ids,
    signal_times: Times,
    signal_pages: Ids,
    start: Ids,
    changes: Times,
    unseen: Ids,
    id_of: Ids,
    page_of: Ids,
    copied: Flags,
    removed: Times,
    silent: bool,
    out: Ids,
) -> int:
    """Crawl up to the moment number `stop`; the page that was taken and is new or gone, or -1 at the end."""
    taken = np.empty(1, dtype=np.int64)
    everyone = np.flatnonzero(page_of >= 0)  # it changes between calls only
    while at[T] < stop:
        t = at[T]
        now = moments[t]
        at[SIGNAL] = _hear(core, memory, at[SIGNAL], now, signal_times, signal_pages, id_of)
        at[T] += 1
        if take(core, now, 1, taken) == 0:
            continue
        page = page_of[taken[0]]
        out[t] = page
        changed = changed_since(start, changes, unseen, page, now)
        if removed[page] <= now or not copied[page]:
            return int(page)
        learn_from(core, memory, job, near, taken, now, changed, silent, everyone)
    return -1


def learn_while_pages_move(crawler: Learns, world: World, moments: Times, silent: bool = False) -> Ids:
    """The page crawled at each moment, -1 for none; `silent` for GREEDY, which believes that there are no signals."""
    presence = world.presence or Presence.throughout(len(world))
    order = np.argsort(presence.announced, kind="stable")
    due = np.searchsorted(moments, presence.announced[order], side="left")  # the moment before which each is announced
    come = int(np.searchsorted(presence.announced[order], 0.0, side="right"))
    copied = presence.announced <= 0.0
    unseen = world.changes.start[:-1].copy()
    out = np.full(len(moments), -1, dtype=np.int64)
    at = np.zeros(2, dtype=np.int64)
    while at[T] < len(moments):
        now = float(moments[at[T]])
        new = order[come : come + int(np.count_nonzero(due[come:] <= at[T]))]
        if len(new):
            crawler.announced(new.tolist(), now)
            come += len(new)
        pairing = crawler.pairing
        page = _run(
            pairing.scheduler._core,
            pairing.learner._memory,
            pairing.learner._job,
            empty_memory() if pairing.neighbours is None else pairing.neighbours.memory,
            moments,
            int(due[come]) if come < len(order) else len(moments),
            at,
            world.signal_times,
            world.signal_pages,
            world.changes.start,
            world.changes.times,
            unseen,
            crawler.id_of,
            crawler.page_of,
            copied,
            presence.removed,
            silent,
            out,
        )
        if page >= 0:
            now = float(moments[at[T] - 1])
            if presence.removed[page] <= now:
                crawler.gone(page, now)
            else:
                copied[page] = True
                pairing.found([int(crawler.id_of[page])], [np.nan], now)
        tell(at[T] / len(moments))
    return out
