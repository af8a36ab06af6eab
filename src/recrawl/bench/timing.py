"""Timing that is fair to both sides of a ratio."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

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


class Timed:
    """CPU and the longest call, by name, of calls with many items."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.items: dict[str, int] = {}
        self.calls: dict[str, list[float]] = {}
        self.most_cpu: dict[str, float] = {}

    def call(self, name: str, items: int, what: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Call it, and take the time."""
        start, begun = clock.seconds(), clock.cpu_seconds()
        answer = what(*args, **named)
        spent = clock.cpu_seconds() - begun
        self.cpu[name] = self.cpu.get(name, 0.0) + spent
        self.most_cpu[name] = max(self.most_cpu.get(name, 0.0), spent)
        self.items[name] = self.items.get(name, 0) + items
        self.calls.setdefault(name, []).append(clock.seconds() - start)
        return answer

    def each(self, name: str) -> float:
        """CPU a page or signal, in microseconds."""
        return 1e6 * self.cpu[name] / max(self.items[name], 1)

    def row(self, name: str, bare: float = math.nan) -> dict[str, Any]:
        """A line of the table."""
        calls = np.array(self.calls[name])
        return {
            "what": name,
            "calls": len(calls),
            "us_each": self.each(name),
            "times_bare": self.each(name) / bare,
            "p99_ms": 1e3 * float(np.quantile(calls, 0.99)),
            "longest_ms": 1e3 * float(calls.max()),
            "most_cpu_ms": 1e3 * self.most_cpu[name],
            "bytes_a_page": math.nan,
        }
