"""Times every view of the dashboard: how long it takes, and for how long at once it holds the frontier.

``python tools/time_views.py 1000000`` for a million pages, 100 a host, each fetched at least once.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from recrawl.bench.world import RATE, WorldOfUrls
from recrawl.clock import ManualClock
from recrawl.frontier import Frontier, warm_up
from recrawl.server.views import VIEWS, tick, watch

A_CALL = 1000
URL = "https://host7.example/page/0000777.html"
CASES: tuple[tuple[str, dict[str, str]], ...] = (
    *((name, {}) for name in ("overview", "series", "curve", "hosts", "sources", "calibration")),
    ("page", {"url": URL}),
    ("search", {"q": "nothing-like-it"}),
)


class Held(Frontier):
    """A frontier that notes how long each look at it took, in milliseconds."""

    times: list[float]

    def __getattribute__(self, name: str) -> Any:
        if name in ("look", "sources", "page"):
            return self._timed(super().__getattribute__(name))
        if name == "statistics":
            return self._timed(lambda: super(Held, self).__getattribute__("statistics"))()
        return super().__getattribute__(name)

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            begun = time.perf_counter()
            try:
                return function(*args)
            finally:
                self.times.append(1e3 * (time.perf_counter() - begun))

        return call


def filled(pages: int) -> tuple[Held, ManualClock]:
    """A frontier in which every page was fetched, half of them twice, with signals."""
    clock, world = ManualClock(1.8e9), WorldOfUrls(pages)
    f = Held(rate=RATE, clock=clock)
    f.times = []
    for begin in range(0, pages, A_CALL):
        f.add(world.urls[begin : begin + A_CALL])
    watch(f)
    for k in range(3 * pages // (2 * A_CALL)):
        clock.advance(A_CALL / RATE)
        batch = f.lease(A_CALL)
        f.complete(batch.tokens, digest=world.digests(batch.urls, clock.wall()))
        f.signal(world.named(world.some(A_CALL // 5)), source=("sitemap", "feed")[k % 2])
        tick(f)
    return f, clock


def main(pages: int) -> None:
    """Print the table."""
    warm_up()
    f, clock = filled(pages)
    memory = watch(f)
    begun = time.process_time()
    memory.refresh(f, lasts=-1.0)
    print(f"optima: {time.process_time() - begun:.2f} s of CPU")
    print(f"{'view':<14}{'first, ms':>12}{'again, ms':>12}{'longest hold, ms':>20}")
    for name, params in CASES:
        clock.advance(60.0)  # a sample is due
        f.times.clear()
        took = []
        for _ in range(2):
            begun = time.perf_counter()
            VIEWS[name](f, params)
            took.append(1e3 * (time.perf_counter() - begun))
        print(f"{name:<14}{took[0]:>12.1f}{took[1]:>12.1f}{max(f.times):>20.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
