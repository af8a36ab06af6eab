"""The only place that reads the time."""

import time


def seconds() -> float:
    """A clock that only goes forward, in seconds, for measuring durations."""
    return time.perf_counter()


def cpu_seconds() -> float:
    """Seconds this process has computed for: what others do on the machine does not count."""
    return time.process_time()
