"""Cost of a simulated crawl beside a plain loop that values every page at each crawl, one core."""

from functools import partial
from typing import Any

import numpy as np

from recrawl import clock
from recrawl.bench.mix import paper_mix
from recrawl.bench.timing import best_of
from recrawl.model import Pages, crawl_value, staleness
from recrawl.sim import World, simulate

PAGES = 1_000
RATE, HORIZON = 100.0, 1000.0
PLAIN_CRAWLS = 2_000
"""Crawls of the plain loop that are timed; each costs the same, so that the whole run follows."""

NOTES = (
    "greedy-ncis in the paper's noisy mix, R = 100, T = 1,000: 100,000 crawls; drawing the events is timed apart",
    "plain loop: crawl_value on all pages at each crawl, take the largest; goal: simulate 20 times as fast at 1,000",
    "against first: seconds of simulate over those at the first number of pages; goal: 3 at ten times the pages",
)


def plain(pages: Pages, world: World, crawls: int) -> list[int]:
    """The first crawls of the greedy policy, written literally."""
    last, signals = np.zeros(len(pages)), np.zeros(len(pages))
    taken, heard = [], 0
    for k in range(1, crawls + 1):
        now = k / RATE
        until = int(np.searchsorted(world.signal_times, now, side="right"))
        np.add.at(signals, world.signal_pages[heard:until], 1.0)
        heard = until
        best = int(np.argmax(crawl_value(pages, staleness(pages, now - last, signals))))
        last[best], signals[best] = now, 0.0
        taken.append(best)
    return taken


def run(pages: int | None) -> list[dict[str, Any]]:
    """One row at `pages` and one at ten times as many."""
    first = pages or PAGES
    drawn = {m: _draw(m) for m in (first, 10 * first)}
    calls: list[Any] = []
    for mix, world, _ in drawn.values():
        calls += [partial(simulate, mix, rate=RATE, world=world), partial(plain, mix, world, PLAIN_CRAWLS)]
    seconds = best_of(3, *calls)
    return [
        {
            "pages": m,
            "signals": len(world.signal_times),
            "draw_s": drawing,
            "simulate_s": seconds[2 * row],
            "plain_loop_s": seconds[2 * row + 1] * RATE * HORIZON / PLAIN_CRAWLS,
            "times_as_fast": seconds[2 * row + 1] * RATE * HORIZON / PLAIN_CRAWLS / seconds[2 * row],
            "against_first": seconds[2 * row] / seconds[0],
        }
        for row, (m, (_, world, drawing)) in enumerate(drawn.items())
    ]


def _draw(m: int) -> tuple[Pages, World, float]:
    mix = paper_mix(m)
    World.draw(mix, 1.0)  # compiled
    begun = clock.seconds()
    return mix, World.draw(mix, HORIZON), clock.seconds() - begun
