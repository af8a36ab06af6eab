"""Timing that is fair to both sides of a ratio."""

from collections.abc import Callable

from recrawl import clock


def best_of(repeats: int, *calls: Callable[[], object]) -> list[float]:
    """The least computing time of each call in seconds, taken in turns so that a slow spell hits all alike."""
    least = [float("inf")] * len(calls)
    for call in calls:
        call()  # compiled, and in the caches
    for _ in range(repeats):
        for k, call in enumerate(calls):
            start = clock.cpu_seconds()
            call()
            least[k] = min(least[k], clock.cpu_seconds() - start)
    return least
