"""The same experiment with other seeds, on all cores."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from recrawl.arguments import whole_number
from recrawl.sim.workers import check_workers, in_order

T = TypeVar("T")


def repeat(
    experiment: Callable[[int], T],
    repetitions: int,
    seed: int = 0,
    workers: int | None = None,
    label: str = "repetitions",
) -> list[T]:
    """`experiment(seed)`, `experiment(seed + 1)`, ...: its results in this order, whatever the number of workers.

    Workers are processes, by default one for each core this process may use.  The experiment and what it returns travel
    between them, so both must pickle: a function of a module, or a `functools.partial` of one.  On a terminal a bar on
    stderr shows how far it is.

    >>> repeat(abs, 3, seed=-1, workers=1)
    [1, 0, 1]
    """
    repetitions = whole_number("repetitions", repetitions, 1)
    check_workers(workers)
    results = []
    with _bar(label, repetitions) as show:
        for result in in_order(experiment, range(seed, seed + repetitions), workers, show):
            results.append(result)
            show(len(results))
    return results


@contextmanager
def _bar(label: str, total: int) -> Iterator[Callable[[float], None]]:
    """Shows how many repetitions are done, also parts of them; on a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    # No thread of its own: a fork would copy it half-way through a line.
    with Progress(console=Console(stderr=True), auto_refresh=False, transient=True) as progress:
        task = progress.add_task(label, total=total)
        progress.refresh()

        def show(done: float) -> None:
            progress.update(task, completed=done)
            progress.refresh()

        yield show
