"""The only place that reads the time."""

import time


def seconds() -> float:
    """A clock that only goes forward, in seconds, for measuring durations."""
    return time.perf_counter()


def cpu_seconds() -> float:
    """Seconds this process has computed for: what others do on the machine does not count."""
    return time.process_time()


def cpu_seconds_of(process: int) -> float:
    """The same for another process, by its number; Linux only."""
    return time.clock_gettime((~process << 3) | 2)  # clock_getcpuclockid(3)


def wall_seconds() -> float:
    """Seconds since 1970, by the clock on the wall, which may be set back or forth."""
    return time.time()


class SystemClock:
    """The machine's clocks."""

    def wall(self) -> float:
        """Seconds since 1970; may be set back or forth."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds since some moment; only goes forward."""
        return time.monotonic()

    def real(self, seconds: float) -> float:
        """How many of the machine's seconds that is: for who has to wait."""
        return seconds


class ManualClock:
    """A clock that stands still until it is told to go on: for simulations and tests.

    >>> clock = ManualClock(100.0)
    >>> clock.advance(5.0)
    >>> clock.wall(), clock.monotonic()
    (105.0, 5.0)
    """

    def __init__(self, wall: float = 0.0) -> None:
        self._wall = float(wall)
        self._monotonic = 0.0

    def wall(self) -> float:
        """Seconds since 1970, as far as this clock knows."""
        return self._wall

    def monotonic(self) -> float:
        """Seconds that it was told to go on, all told."""
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._wall += seconds
        self._monotonic += seconds

    def set_wall(self, wall: float) -> None:
        """Set the clock on the wall, as an administrator would: no time passes."""
        self._wall = float(wall)


class ScaledClock:
    """The machine's clock made faster: `scale` seconds pass here in a second.  For webs in which years take a minute.

    Clocks of one start and one scale agree, also in several processes: `began` is the machine's monotonic time at
    which it is `start` here.  Until then it stands still; where that is not known yet, `began` is inf, and set later.

    >>> clock = ScaledClock(1000.0, start=50.0, began=seconds_since_boot() + 3600.0)
    >>> clock.wall(), clock.real(5000.0)
    (50.0, 5.0)
    """

    def __init__(self, scale: float, start: float, began: float) -> None:
        self.scale, self.start, self.began = float(scale), float(start), float(began)

    def wall(self) -> float:
        """Seconds since 1970, as this clock has it."""
        return self.start + self.monotonic()

    def monotonic(self) -> float:
        """Seconds of this clock since it began."""
        return max(time.monotonic() - self.began, 0.0) * self.scale

    def real(self, seconds: float) -> float:
        """How many of the machine's seconds that is: for who has to wait."""
        return seconds / self.scale


def seconds_since_boot() -> float:
    """The machine's monotonic clock, which all its processes share."""
    return time.monotonic()
