"""The only place that reads the time."""

import time


def seconds() -> float:
    """A clock that only goes forward, in seconds, for measuring durations."""
    return time.perf_counter()


def cpu_seconds() -> float:
    """Seconds this process has computed for: what others do on the machine does not count."""
    return time.process_time()


def wall_seconds() -> float:
    """Seconds since 1970, by the clock on the wall, which may be set back or forth."""
    return time.time()
