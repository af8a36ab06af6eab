"""The tasks of a figure in worker processes, and who watches told how many are done."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from recrawl.paper.settings import Settings
from recrawl.sim.workers import in_order

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def each(function: Callable[[Task], Answer], tasks: Sequence[Task], settings: Settings) -> list[Answer]:
    """function(task) for each task, in their order."""
    answers = []
    settings.watch(0, len(tasks))
    for answer in in_order(function, tasks, settings.workers):
        answers.append(answer)
        settings.watch(len(answers), len(tasks))
    return answers
