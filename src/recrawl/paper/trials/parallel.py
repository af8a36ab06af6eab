"""Many independent tasks on all cores; answers come in the order of the tasks, however many cores there are."""

import os
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from typing import TypeVar

from recrawl.paper.settings import Settings
from recrawl.sim.workers import worker_pool

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def each(function: Callable[[Task], Answer], tasks: Sequence[Task], settings: Settings) -> list[Answer]:
    """function(task) for each task, in worker processes where more than one is allowed and wanted."""
    workers = min(settings.workers or os.cpu_count() or 1, len(tasks))
    settings.watch(0, len(tasks))
    if workers <= 1:
        return _one_by_one(function, tasks, settings)
    # A server that has the modules loaded forks the workers: cheap, and safe beside the progress bar's thread.
    context = get_context("forkserver")
    context.set_forkserver_preload(["recrawl.paper.trials.contest"])
    answers = []
    with worker_pool(workers, context) as pool:
        for answer in pool.map(function, tasks):
            answers.append(answer)
            settings.watch(len(answers), len(tasks))
    return answers


def _one_by_one(function: Callable[[Task], Answer], tasks: Sequence[Task], settings: Settings) -> list[Answer]:
    answers = []
    for task in tasks:
        answers.append(function(task))
        settings.watch(len(answers), len(tasks))
    return answers
