"""Apache Nutch's adaptive fetch schedule: intervals shrink at a change and grow without one."""

from typing import NamedTuple

from recrawl.errors import InputError
from recrawl.policies.due_first import DueFirst

DAY_S = 86_400.0


class Constants(NamedTuple):
    """What can be set; as shipped where nothing is said.  `ceiling_s`: whatever its interval, a page is due by then."""

    first_s: float = 30.0 * DAY_S
    least_s: float = 60.0
    most_s: float = 365.0 * DAY_S
    ceiling_s: float = 90.0 * DAY_S
    grow: float = 0.4
    shrink: float = 0.2
    sync: float = 0.3


SHIPPED = Constants()


class Nutch(DueFirst):
    """Intervals times 0.8 at a change, times 1.4 without, between a minute and a year.

    A page not seen to change for longer than its interval gets that time as its interval, and the next fetch comes 0.3
    of that time earlier, an attempt to move towards the moment of the change.  `unit_s` is how many seconds a unit of
    simulated time stands for: the rule has constants in seconds.  (Nutch rounds to whole seconds; this does not.)
    """

    def __init__(self, pages: int, unit_s: float = DAY_S, constants: Constants = SHIPPED) -> None:
        if not unit_s > 0.0:
            raise InputError(f"unit_s must be > 0, got {unit_s}", argument="unit_s")
        self._unit_s = unit_s
        self._constants = constants
        self.interval_s = [constants.first_s] * pages
        self._modified_s = [0.0] * pages
        super().__init__(pages, constants.first_s / unit_s)

    def due_after(self, page: int, now: float, changed: bool) -> float:
        """Nutch's fetch time, in simulated time."""
        fixed = self._constants
        now_s = now * self._unit_s
        interval = self.interval_s[page] * (1.0 - fixed.shrink if changed else 1.0 + fixed.grow)
        if changed:
            self._modified_s[page] = now_s
        unchanged = now_s - self._modified_s[page]
        if fixed.sync > 0.0:
            interval = max(interval, unchanged)
        earlier = fixed.sync * unchanged
        if earlier > fixed.most_s:
            earlier = 0.0  # the code divides whole numbers here
        self.interval_s[page] = interval = min(max(interval, fixed.least_s), fixed.most_s)
        return min(now_s - earlier + interval, now_s + fixed.ceiling_s) / self._unit_s
