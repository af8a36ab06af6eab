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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import TypeVar

from recrawl.errors import InputError

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def available_workers() -> int:
    """As many workers as there are cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None) -> None:
    """Refuse a number of workers that is none; None means as many as there are cores."""
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}", argument="workers")


def in_order(function: Callable[[Task], Answer], tasks: Sequence[Task], workers: int | None = None) -> Iterator[Answer]:
    """`function(task)` for each task, in the order of the tasks, whatever the number of workers.

    The first runs here: forked workers then inherit what it had to compile or load.

    >>> list(in_order(abs, [3, -1, -2], workers=1))
    [3, 1, 2]
    """
    check_workers(workers)
    for task in tasks[:1]:
        yield function(task)
    rest = tasks[1:]
    count = min(workers or available_workers(), len(rest))
    if count < 2:
        yield from map(function, rest)
        return
    with worker_pool(count) as pool:
        # Not pool.map: interrupted, it cancels tasks behind the back of the pool's thread, which then trips over them.
        for future in [pool.submit(function, task) for task in rest]:
            yield future.result()


@contextmanager
def worker_pool(workers: int, method: str | None = None) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes; an error or interrupt inside the block ends them at once, busy or not."""
    context = multiprocessing.get_context(method or ("fork" if sys.platform == "linux" else "spawn"))
    ready = context.Barrier(workers)
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_follow_the_caller, initargs=(ready,))
    try:
        with _interrupts_put_off():
            _start(pool, workers)
        yield pool
    except BaseException:
        mine = set(multiprocessing.active_children()) - before
        pool.shutdown(wait=False, cancel_futures=True)
        for process in mine:
            process.terminate()
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


def _follow_the_caller(ready: threading.Barrier) -> None:
    """In a worker: leave interrupts from the keyboard to the caller, and end with it, however that ends.

    A pool's workers hold both ends of their queue, so that they would wait for ever for a caller that was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_caller, daemon=True).start()
    ready.wait()


def _end_with_the_caller() -> None:
    caller = multiprocessing.parent_process()
    if caller is not None:
        wait([caller.sentinel])
        os._exit(1)
