"""The same experiment with other seeds, on all cores."""

import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from recrawl.errors import InputError
from recrawl.sim.workers import worker_pool

T = TypeVar("T")


def repeat(
    experiment: Callable[[int], T],
    repetitions: int,
    seed: int = 0,
    cores: int | None = None,
    label: str = "repetitions",
) -> list[T]:
    """`experiment(seed)`, `experiment(seed + 1)`, ...: its results in this order, whatever the number of cores.

    The experiment and what it returns travel between processes, so both must pickle: a function of a module, or a
    `functools.partial` of one.  On a terminal a bar on stderr shows how far it is.

    >>> repeat(abs, 3, seed=-1, cores=1)
    [1, 0, 1]
    """
    if repetitions < 1:
        raise InputError(f"repetitions must be >= 1, got {repetitions}", argument="repetitions")
    if cores is not None and cores < 1:
        raise InputError(f"cores must be >= 1, got {cores}", argument="cores")
    seeds = range(seed, seed + repetitions)
    workers = min(cores or available_cores(), repetitions - 1)
    with _bar(label, repetitions) as advance:
        # The first runs here: workers then inherit what it had to compile.
        results = [experiment(seeds[0])]
        advance()
        for result in _rest(experiment, seeds[1:], workers):
            results.append(result)
            advance()
    return results


def _rest(experiment: Callable[[int], T], seeds: range, workers: int) -> Iterator[T]:
    if workers < 2:
        yield from map(experiment, seeds)
        return
    with worker_pool(workers, _context()) as pool, warnings.catch_warnings():
        # Newer Pythons warn that forking with threads is risky; ours here are the bar's and those of idle libraries.
        warnings.simplefilter("ignore", DeprecationWarning)
        yield from pool.map(experiment, seeds)


def _context() -> multiprocessing.context.BaseContext:
    """Forking, where it is safe: workers need no import of the caller's main module and have all code compiled."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _bar(label: str, total: int) -> Iterator[Callable[[], None]]:
    if total < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    # No thread of its own: a fork would copy it half-way through a line.
    with Progress(console=Console(stderr=True), auto_refresh=False, transient=True) as progress:
        task = progress.add_task(label, total=total)
        progress.refresh()

        def advance() -> None:
            progress.advance(task)
            progress.refresh()

        yield advance
