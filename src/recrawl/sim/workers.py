"""Many tasks in worker processes that do not outlive their work: gone when the caller stops, is interrupted, or dies.

There is one way to run things side by side, this one.  Workers are forked where forking is safe (Linux): they need no
import of the caller's main module and have all code compiled.  A server that forks them would be safe beside threads
too, but it starts them when it gets to it: a worker asked for just before an interrupt came up after the caller had
gone, found its locks missing and said so in a traceback.
"""

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import wait as futures_wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import TypeVar

from recrawl.errors import InputError
from recrawl.sim.progress import heard_by

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def available_workers() -> int:
    """As many workers as there are cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None) -> None:
    """Refuse a number of workers that is none; None means as many as there are cores."""
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}", argument="workers")


Watch = Callable[[float], None]
"""Told now and then how many tasks are done, parts of tasks counted (see progress.py)."""

JOIN_S = 5.0
"""How long the thread of a pool that was ended may take to end."""

LOOK_S = 0.25
"""How often a caller that watches looks at what its workers say."""


def in_order(
    function: Callable[[Task], Answer],
    tasks: Sequence[Task],
    workers: int | None = None,
    watch: Watch = lambda _: None,
) -> Iterator[Answer]:
    """`function(task)` for each task, in the order of the tasks, whatever the number of workers.

    The first runs here: forked workers then inherit what it had to compile or load.

    >>> list(in_order(abs, [3, -1, -2], workers=1))
    [3, 1, 2]
    """
    check_workers(workers)
    count = min(workers or available_workers(), len(tasks) - 1)
    here = len(tasks) if count < 2 else 1
    for k, task in enumerate(tasks[:here]):
        yield _watched(function, task, k, watch)
    if here < len(tasks):
        yield from _in_workers(function, tasks[here:], count, lambda done: watch(here + done))


def _watched(function: Callable[[Task], Answer], task: Task, before: int, watch: Watch) -> Answer:
    with heard_by(lambda share: watch(before + share)):
        return function(task)


def _in_workers(
    function: Callable[[Task], Answer], tasks: Sequence[Task], workers: int, watch: Watch
) -> Iterator[Answer]:
    shares = multiprocessing.RawArray("d", len(tasks))
    try:
        with worker_pool(workers, shares=shares) as pool:
            # Not pool.map: interrupted, it cancels tasks behind the back of the pool's thread, which trips over them.
            futures = [pool.submit(_work, function, k, task) for k, task in enumerate(tasks)]
            for future in futures:
                while futures_wait([future], LOOK_S).not_done:
                    watch(sum(shares))
                yield future.result()
    except BrokenProcessPool as error:
        raise MemoryError("a worker process was killed, most likely for want of memory; use fewer workers") from error


def _work(function: Callable[[Task], Answer], number: int, task: Task) -> Answer:
    """In a worker: a task, whose share done is written where the caller sees it."""
    with heard_by(lambda share: _SHARES.__setitem__(number, share)):
        answer = function(task)
    _SHARES[number] = 1.0
    return answer


_SHARES: MutableSequence[float] = []
"""In a worker: for each task the share that is done."""


@contextmanager
def worker_pool(
    workers: int, method: str | None = None, shares: MutableSequence[float] = _SHARES
) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes; an error or interrupt inside the block ends them at once, busy or not."""
    context = multiprocessing.get_context(method or ("fork" if sys.platform == "linux" else "spawn"))
    ready = context.Barrier(workers)
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_follow_the_caller, initargs=(ready, shares))
    try:
        with _interrupts_put_off():
            _start(pool, workers)
        yield pool
    except BaseException:
        mine = set(multiprocessing.active_children()) - before
        thread = getattr(pool, "_executor_manager_thread", None)
        pool.shutdown(wait=False, cancel_futures=True)
        for process in mine:
            process.terminate()
        if thread is not None:  # the pool forgets it; one that still closes pipes while Python ends makes a traceback
            thread.join(JOIN_S)
        raise
    finally:
        pool.shutdown()


def _start(pool: ProcessPoolExecutor, workers: int) -> None:
    """Start all workers and wait for them: none is idle before all are ready, so that each task here starts one."""
    with warnings.catch_warnings():
        # Newer Pythons warn that forking with threads is risky; ours here are those of idle libraries.
        warnings.simplefilter("ignore", DeprecationWarning)
        begun = [pool.submit(int) for _ in range(workers)]
    for future in begun:
        future.result()


@contextmanager
def _interrupts_put_off() -> Iterator[None]:
    """Until every worker has said how it takes them: one that comes just then would end in a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _follow_the_caller(ready: threading.Barrier, shares: MutableSequence[float]) -> None:
    """In a worker: leave interrupts from the keyboard to the caller, and end with it, however that ends.

    A pool's workers hold both ends of their queue, so that they would wait for ever for a caller that was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_caller, daemon=True).start()
    global _SHARES  # noqa: PLW0603 - what is shared can only be handed over when a process begins
    _SHARES = shares
    ready.wait()


def _end_with_the_caller() -> None:
    caller = multiprocessing.parent_process()
    if caller is not None:
        wait([caller.sentinel])
        os._exit(1)
