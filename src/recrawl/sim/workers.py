"""Worker processes that do not outlive their work: gone when the caller stops, is interrupted, or dies."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait


@contextmanager
def worker_pool(workers: int, context: multiprocessing.context.BaseContext) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes; an error or interrupt inside the block ends them at once, busy or not."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_follow_the_caller)
    try:
        _launch(pool)
        yield pool
    except BaseException:
        mine = set(multiprocessing.active_children()) - before
        pool.shutdown(wait=False, cancel_futures=True)
        for process in mine:
            process.terminate()
        raise
    finally:
        pool.shutdown()


def _launch(pool: ProcessPoolExecutor) -> None:
    """Start the workers with interrupts put off until each has said how it takes them: one may come just then."""
    if hasattr(signal, "pthread_sigmask"):
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pool.submit(int)  # the first task forks all workers
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _follow_the_caller() -> None:
    """In a worker: say nothing when interrupted from the keyboard, and end with the caller, however that ends.

    A pool's workers hold both ends of their queue, so that they would wait for ever for a caller that was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_the_caller, daemon=True).start()


def _end_with_the_caller() -> None:
    caller = multiprocessing.parent_process()
    if caller is not None:
        wait([caller.sentinel])
        os._exit(1)
