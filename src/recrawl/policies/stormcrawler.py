"""StormCrawler's adaptive scheduler, as shipped: at a change halfway to the least interval, else half as long again."""

from recrawl.errors import InputError
from recrawl.policies.due_first import DueFirst

DAY_MIN = 1440.0

FIRST_MIN = 1440.0
LEAST_MIN, MOST_MIN = 60.0, 20_160.0
GROW, SHRINK = 0.5, 0.5


class StormCrawler(DueFirst):
    """Intervals between an hour and two weeks.  `unit_min`: how many minutes a unit of simulated time stands for."""

    def __init__(self, pages: int, unit_min: float = DAY_MIN) -> None:
        if not unit_min > 0.0:
            raise InputError(f"unit_min must be > 0, got {unit_min}", argument="unit_min")
        self._unit_min = unit_min
        self.interval_min = [FIRST_MIN] * pages
        super().__init__(pages, FIRST_MIN / unit_min)

    def due_after(self, page: int, now: float, changed: bool) -> float:
        """One interval from now."""
        old = self.interval_min[page]
        shorter, longer = (1.0 - SHRINK) * old + SHRINK * LEAST_MIN, min(MOST_MIN, old * (1.0 + GROW))
        self.interval_min[page] = interval = shorter if changed else longer
        return now + interval / self._unit_min
