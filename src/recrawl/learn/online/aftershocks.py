"""Changes that excite each other: what a crawl at a signal is worth where more changes follow soon.

Theory of operation
-------------------
1. Signals that do not depend on each other come as often right after a crawl of their page as at any other time,
   whatever made the crawler choose that moment.  More of them say that changes come in bursts, and that a page crawled
   at a signal of a burst will soon be stale again.
2. Let e be the signals too many soon after a crawl, for each change that crawls found, as far as that is beyond chance.
   With recall r the changes that follow one are in proportion to e/r, and a crawl at a signal is taken to be in vain
   with probability 1 - exp(-WORTH e/r).
3. That is looked for after some rounds only.  Before, rates of signals are hardly known, and a page whose signals were
   many of late looks as if changes excited each other.
4. So much of what signals say is taken back: the engine is told of fewer signalled changes and of as many more
   unsignalled ones.  The page changes as often as before, and waits longer after a signal.
"""

import math

from recrawl._jit import inlined, jit
from recrawl.learn.online.layout import (
    AFTER_EXPECTED,
    AFTER_HEARD,
    FOUND,
    OUTCOMES,
    PACE,
    PAGE_COUNT,
    SIGNAL_RATE,
    SIGNALS,
    TIME,
    Memory,
)
from recrawl.learn.online.regimes import straddles

SOON = 0.2
"""Signals within so many rounds of a crawl are soon after it."""
REMEMBERED = 50.0
"""Rounds over which signals are counted, about."""
OWN_TIME = 0.2
"""The signal rate of all pages counts as watching the page itself for so many rounds."""
SLACK, SURE = 0.1, 3.0
"""What is not yet too many: so many for each change found, for rates are estimates, and so many standard errors."""
EARLIEST = 5.0
"""Rounds after which bursts are looked for."""
WORTH = 8.0
LEAST_RECALL = 0.2


@inlined
def hear_after(memory: Memory, i: int, weight: float, now: float) -> None:
    """Signals of this weight came for page i at `now`."""
    soon = now - memory.crawled[i] < SOON / memory.numbers[PACE]
    if soon and memory.sums[i, TIME] > 0.0 and not straddles(memory, i):
        memory.numbers[AFTER_HEARD] += weight


@inlined
def expect(memory: Memory, i: int, elapsed: float, changed: bool) -> None:
    """Page i, whose sums are up to date, was crawled `elapsed` after the crawl before."""
    numbers, sums = memory.numbers, memory.sums
    kept = 1.0 - 1.0 / (REMEMBERED * max(numbers[PAGE_COUNT], 1.0))
    t0 = OWN_TIME / numbers[PACE]
    rate = (sums[i, SIGNALS] + numbers[SIGNAL_RATE] * t0) / (sums[i, TIME] + t0)
    numbers[AFTER_HEARD] *= kept
    numbers[AFTER_EXPECTED] = numbers[AFTER_EXPECTED] * kept + rate * min(elapsed, SOON / numbers[PACE])
    numbers[FOUND] = numbers[FOUND] * kept + (1.0 if changed else 0.0)


@jit
def taken_back(memory: Memory, signalled: float, unsignalled: float) -> float:
    """The share of what signals say of a page with these rates of changes that is to be taken back."""
    numbers = memory.numbers
    heard = numbers[AFTER_HEARD]
    more = heard - numbers[AFTER_EXPECTED] - SLACK * numbers[FOUND] - SURE * math.sqrt(heard)
    if more <= 0.0 or signalled <= 0.0 or numbers[OUTCOMES] < EARLIEST * numbers[PAGE_COUNT]:
        return 0.0
    recall = max(signalled / (signalled + unsignalled), LEAST_RECALL)
    return -math.expm1(-WORTH * more / (recall * max(numbers[FOUND], 1.0)))
