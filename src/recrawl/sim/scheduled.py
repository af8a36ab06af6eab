"""The engine as a rule: slower than its replay, but whoever extends it can change the engine between two crawls."""

from collections.abc import Sequence

from recrawl.engine import Scheduler


class Scheduled:
    """`take(1)` of a scheduler.  A policy that learns extends `crawled` and calls `scheduler.update` there."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler

    def signalled(self, pages: Sequence[int], times: Sequence[float]) -> None:
        """Each signal at its own time, for windows are counted from there."""
        for page, time in zip(pages, times, strict=True):
            self.scheduler.signal([page], time)

    def next(self, now: float) -> int:
        """The page of highest value."""
        taken = self.scheduler.take(1, now)
        return int(taken[0]) if len(taken) else -1

    def crawled(self, page: int, now: float, elapsed: float, signals: int, changed: bool) -> None:
        """The scheduler knows already."""
