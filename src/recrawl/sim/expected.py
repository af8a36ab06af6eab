"""What freshness to expect of crawls that were planned without looking: no chance left, so tiny differences show."""

import math

import numpy as np

from recrawl._jit import jit
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.sim.events import Events, Ids, Times
from recrawl.sim.run import Run


@jit
def _expected_time(crawl_start: Ids, crawls: Times, change_rates: Times, begin: float, end: float, out: Times) -> None:
    """The integral of P[no change since the crawl] = e^(-Delta elapsed) over [begin, end]."""
    for i in range(len(out)):
        rate = change_rates[i]
        total = 0.0
        last = 0.0
        for k in range(crawl_start[i], crawl_start[i + 1] + 1):
            until = crawls[k] if k < crawl_start[i + 1] else end
            low, high = max(last, begin) - last, min(until, end) - last
            if high > low:
                # e^(-r low) - e^(-r high) over r, without cancellation
                total += -math.exp(-rate * low) * math.expm1(-rate * (high - low)) / rate if rate > 0.0 else high - low
            last = until
        out[i] = total


def expected_freshness(pages: Pages, run: Run) -> float:
    """The mean of `run.freshness` over all worlds in which these crawls could have happened.

    For policies whose crawls depend neither on signals nor on what crawls saw (greedy, lds, uniform, proportional): the
    same crawls then happen in every world, and this is what infinitely many worlds would give.
    """
    if len(pages) != len(run.world):
        raise InputError(f"pages must be those of the run, {len(run.world)}, got {len(pages)}", argument="pages")
    by_page = Events.grouped(run.crawl_pages, run.crawl_times, len(pages))
    out = np.empty(len(pages))
    _expected_time(by_page.start, by_page.times, pages.change_rate, run.warmup, run.horizon, out)
    weights = run.importance if run.importance.any() else np.ones(len(pages))
    return float(weights @ out / weights.sum() / (run.horizon - run.warmup)) if len(pages) else 1.0
