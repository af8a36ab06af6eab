"""Apache Nutch's adaptive fetch schedule, as shipped: intervals shrink at a change and grow without one."""

from recrawl.errors import InputError
from recrawl.policies.due_first import DueFirst

DAY_S = 86_400.0

FIRST_S = 30.0 * DAY_S
LEAST_S, MOST_S = 60.0, 365.0 * DAY_S
CEILING_S = 90.0 * DAY_S
"""Whatever its interval, a page is fetched again after this."""
GROW, SHRINK, SYNC = 0.4, 0.2, 0.3


class Nutch(DueFirst):
    """Intervals times 0.8 at a change, times 1.4 without, between a minute and a year.

    A page not seen to change for longer than its interval gets that time as its interval, and the next fetch comes 0.3
    of that time earlier, an attempt to move towards the moment of the change.  `unit_s` is how many seconds a unit of
    simulated time stands for: the rule has constants in seconds.  (Nutch rounds to whole seconds; this does not.)
    """

    def __init__(self, pages: int, unit_s: float = DAY_S) -> None:
        if not unit_s > 0.0:
            raise InputError(f"unit_s must be > 0, got {unit_s}", argument="unit_s")
        self._unit_s = unit_s
        self.interval_s = [FIRST_S] * pages
        self._modified_s = [0.0] * pages
        super().__init__(pages, FIRST_S / unit_s)

    def due_after(self, page: int, now: float, changed: bool) -> float:
        """Nutch's fetch time, in simulated time."""
        now_s = now * self._unit_s
        interval = self.interval_s[page] * (1.0 - SHRINK if changed else 1.0 + GROW)
        if changed:
            self._modified_s[page] = now_s
        unchanged = now_s - self._modified_s[page]
        interval = max(interval, unchanged)
        earlier = SYNC * unchanged
        if earlier > MOST_S:
            earlier = 0.0  # the code divides whole numbers here
        self.interval_s[page] = interval = min(max(interval, LEAST_S), MOST_S)
        return min(now_s - earlier + interval, now_s + CEILING_S) / self._unit_s
