"""Crawl, outcome, parameters, decision: the whole circle in one compiled call.

Each step is what `Scheduler.signal`, `Scheduler.take(1)`, `Learner.observe`, `Learner.pages` and `Scheduler.update` do.
"""

import numpy as np

from recrawl._jit import jit
from recrawl.engine import Scheduler
from recrawl.engine.core.actions import lift, signal, take, update
from recrawl.engine.core.layout import ALPHA, KAPPA, LEVEL, NOW, Core
from recrawl.learn import Learner
from recrawl.learn.neighbours.layout import MOST, empty_memory
from recrawl.learn.neighbours.layout import Memory as Near
from recrawl.learn.neighbours.neighbours import Neighbours
from recrawl.learn.neighbours.news import believe
from recrawl.learn.neighbours.outcomes import after_learning, before_learning, tell_all
from recrawl.learn.online.layout import CLOCK, PAGE_COUNT, Memory
from recrawl.learn.online.observing import estimates, observe
from recrawl.learn.online.refreshing import Job
from recrawl.learn.online.type_likelihood import signalled
from recrawl.model.kernels import change_rate
from recrawl.sim.events import Ids, Times
from recrawl.sim.progress import stretches
from recrawl.sim.world import World


@jit
def _hear(core: Core, memory: Memory, k: int, until: float, times: Times, pages: Ids, window: float) -> int:
    """Pass on the signals from the k-th on that came by `until`; the number of the first that did not."""
    one, none = np.empty(1, dtype=np.int64), np.empty(0)
    while k < len(times) and times[k] <= until:
        one[0] = pages[k]
        if signal(core, one, none, none, True, none, window, core.pool_numbers[0, NOW], times[k]) == 0:
            signalled(memory, pages[k], 1.0, times[k])
            memory.numbers[CLOCK] = times[k]
        k += 1
    return k


@jit
def _level(core: Core) -> float:
    """As `Scheduler.level`."""
    common = core.pool_numbers[0, LEVEL]
    return float(common if common > 0.0 else core.pool_numbers[:, LEVEL].max())


@jit
def _silence(columns: Times) -> None:
    """What GREEDY believes: nothing is signalled, every change goes unannounced."""
    for k in range(columns.shape[1]):
        columns[0, k] = change_rate(columns[0, k], columns[1, k], columns[2, k])
        columns[1, k] = columns[2, k] = 0.0


@jit
def learn_from(
    core: Core, memory: Memory, job: Job, near: Near, page: Ids, now: float, changed: bool, silent: bool, everyone: Ids
) -> None:
    """The outcome of a crawl to the learner, and what follows from it to the engine; `everyone`: all ids in use.

    Without neighbours `near` has no pages.
    """
    i, beside = page[0], len(near.folder) > 0
    elapsed, signals, aged = np.empty(1), np.empty(1), np.empty(1)
    found = np.empty(1, dtype=np.bool_)
    elapsed[0], signals[0], found[0] = now - memory.crawled[i], memory.open[i], changed
    aged[0] = elapsed[0]
    alphas, kappas = core.numbers[:, ALPHA], core.numbers[:, KAPPA]
    if beside:
        before_learning(near, memory, page, elapsed, signals, found, alphas, kappas, aged)
    of_all = observe(memory, job, page, elapsed, aged, signals, found, now, _level(core))
    if beside:
        after_learning(near, page, elapsed, found)
    ids = everyone if of_all else page
    columns = np.empty((4, len(ids)))
    estimates(memory, ids, columns)
    if silent:
        _silence(columns)
    if beside:
        believe(near, memory, ids, columns)
    update(core, ids, columns, now)
    if beside and changed:
        told, jumps, at = np.empty(MOST, dtype=np.int64), np.empty(MOST), np.full(1, now)
        many = tell_all(near, memory, page, at, elapsed, found, alphas, told, jumps)
        lift(core, told[:many], jumps[:many], core.pool_numbers[0, NOW])


@jit
def changed_since(start: Ids, changes: Times, at: Ids, i: int, now: float) -> bool:
    """Whether page i changed since it was last asked; at[i] is its first change that no crawl has seen."""
    k = at[i]
    while k < start[i + 1] and changes[k] <= now:
        k += 1
    seen = k > at[i]
    at[i] = k
    return bool(seen)


@jit
def _run(
    core: Core,
    memory: Memory,
    job: Job,
    near: Near,
    moments: Times,
    signal_times: Times,
    signal_pages: Ids,
    start: Ids,
    changes: Times,
    window: float,
    silent: bool,
    at: Ids,
    k: int,
    out: Ids,
) -> int:
    """The crawls of a stretch, from the signal number k on; the number of the first signal that was not heard."""
    everyone = np.arange(int(memory.numbers[PAGE_COUNT]))
    for t in range(len(moments)):
        now = moments[t]
        k = _hear(core, memory, k, now, signal_times, signal_pages, window)
        page = out[t : t + 1]
        if take(core, now, 1, page) == 0:
            out[t] = -1
        else:
            changed = changed_since(start, changes, at, page[0], now)
            learn_from(core, memory, job, near, page, now, changed, silent, everyone)
    return k


def learn_while_crawling(
    scheduler: Scheduler,
    learner: Learner,
    world: World,
    moments: Times,
    discard: float,
    silent: bool = False,
    neighbours: Neighbours | None = None,
) -> Ids:
    """The page crawled at each moment, -1 for none; `silent`: the scheduler believes that there are no signals."""
    out = np.empty(len(moments), dtype=np.int64)
    changes = world.changes
    if not len(learner):
        out[:] = -1
        return out
    unseen, heard = changes.start[:-1].copy(), 0
    if neighbours is not None:
        neighbours.make_room(len(learner), learner.host_count)
    near = empty_memory() if neighbours is None else neighbours.memory
    for stretch in stretches(len(moments)):
        heard = _run(
            scheduler._core,
            learner._memory,
            learner._job,
            near,
            moments[stretch],
            world.signal_times,
            world.signal_pages,
            changes.start,
            changes.times,
            discard,
            silent,
            unseen,
            heard,
            out[stretch],
        )
    return out
