"""StormCrawler's adaptive scheduler: at a change halfway to the least interval, else half as long again."""

from typing import NamedTuple

from recrawl.errors import InputError
from recrawl.policies.due_first import DueFirst

DAY_MIN = 1440.0


class Constants(NamedTuple):
    """What can be set; as shipped where nothing is said."""

    first_min: float = 1440.0
    least_min: float = 60.0
    most_min: float = 20_160.0
    grow: float = 0.5
    shrink: float = 0.5


SHIPPED = Constants()


class StormCrawler(DueFirst):
    """Intervals between an hour and two weeks.  `unit_min`: how many minutes a unit of simulated time stands for."""

    def __init__(self, pages: int, unit_min: float = DAY_MIN, constants: Constants = SHIPPED) -> None:
        if not unit_min > 0.0:
            raise InputError(f"unit_min must be > 0, got {unit_min}", argument="unit_min")
        self._unit_min = unit_min
        self._constants = constants
        self.interval_min = [constants.first_min] * pages
        super().__init__(pages, constants.first_min / unit_min)

    def due_after(self, page: int, now: float, changed: bool) -> float:
        """One interval from now."""
        fixed = self._constants
        old = self.interval_min[page]
        shorter = (1.0 - fixed.shrink) * old + fixed.shrink * fixed.least_min
        longer = min(fixed.most_min, old * (1.0 + fixed.grow))
        self.interval_min[page] = interval = shorter if changed else longer
        return now + interval / self._unit_min
