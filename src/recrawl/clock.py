"""The only place that reads the time."""

import time


def seconds() -> float:
    """A clock that only goes forward, in seconds, for measuring durations."""
    return time.perf_counter()
