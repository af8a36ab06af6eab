"""Which share of a page's age is to be counted by its folder: the one that foresees what crawls find.

Each share gives a probability to each outcome.  The logarithm of that over the one of share 0 is added up for each host
and size of folders.  The choice leans on the host's folders of other sizes and on other hosts, and on 0: news count
when they have shown their worth, so where neighbours do not change together nothing is different.

The evidence has a bound, for sites change: a folder that was edited as a whole may be left to people who each care for
one page, and what took years to gather must not take years to unlearn.  Where the best share passes the bound all are
scaled down, so it remains the best, and some rounds of crawls that speak against it are enough to undo it.
"""

import math

import numpy as np

from recrawl._jit import jit
from recrawl.learn.neighbours.layout import CLASSES, SHARE_COUNT, SHARES, SPREAD, WATCHED, Memory

DOUBT = 10.0
"""By how much a share must foresee better, in logarithms, for each unit of it."""
OTHER_SIZES, OTHER_HOSTS = 0.3, 10.0
"""How much folders of other sizes count; and how much other hosts can say at most, in logarithms."""
KEPT = 0.9998
"""What a crawl leaves of the evidence before it."""
A_PAGE, LEAST_BOUND, MOST_BOUND = 1.0 / 3.0, 30.0, 100.0
"""The bound of the evidence of a host: so much for each of its pages, and no less or more than that."""
ENOUGH, SURE = 5.0, 0.5
"""By how much a share must foresee better than none before news count, in folders of this size or in all of the host;
and before they change the order of pages that are taken for alike, as a part of the bound."""
SURPRISE = 1e-9
"""A change after no time is impossible, and says little."""


@jit
def judge(
    memory: Memory,
    row: int,
    c: int,
    drift: float,
    jumps: float,
    elapsed: float,
    by_folder: float,
    changed: bool,
    pages: float,
) -> None:
    """Page of a host (its number + 1) and class: crawled `elapsed` after the crawl before, and had changed or not.

    `drift`: its alpha, as believed; `jumps`: what signals added to its staleness; `by_folder`: the time by its folder;
    `pages`: how many its host has.
    """
    evidence, first, best, bound = memory.evidence[row, c], 0.0, 0.0, _bound(pages)
    for k in range(SHARE_COUNT):
        s = drift * ((1.0 - SHARES[k]) * elapsed + SHARES[k] * by_folder) + jumps + SURPRISE
        gain = math.log(-math.expm1(-s)) if changed else -s
        if k == 0:
            first = gain
        else:
            before = np.float64(evidence[k])
            evidence[k] = max(before * KEPT + gain - first, -bound)
            best = max(best, np.float64(evidence[k]))
            memory.of_all[c, k] += np.float64(evidence[k]) - before
    if best > bound:
        for k in range(1, SHARE_COUNT):
            before = np.float64(evidence[k])
            evidence[k] = before * bound / best
            memory.of_all[c, k] += np.float64(evidence[k]) - before
    evidence[SPREAD] = np.float64(evidence[SPREAD]) * KEPT + (by_folder - elapsed) ** 2
    evidence[WATCHED] = np.float64(evidence[WATCHED]) * KEPT + elapsed


@jit
def _bound(pages: float) -> float:
    return min(max(A_PAGE * pages, LEAST_BOUND), MOST_BOUND)


@jit
def share_of(memory: Memory, row: int, c: int, pages: float, alike: bool) -> float:
    """The share for pages of this host (its number + 1, and how many it has) and class, as far as is known.

    0 until it is ENOUGH.  `alike`: they are crawled in turn, and news must be SURE to change that.
    """
    evidence = memory.evidence[row]
    least, most = 0.0, 0.0
    for k in range(SHARE_COUNT):
        others = memory.of_all[c, k] - np.float64(evidence[c, k])
        least, most = min(least, others), max(most, others)
    scale = min(1.0, OTHER_HOSTS / (most - least)) if most > least else 0.0
    best, margin = -math.inf, 0.0
    for k in range(SHARE_COUNT):
        score = _score(memory, row, c, k, scale, OTHER_SIZES)
        best, margin = max(best, score), max(margin, score, _score(memory, row, c, k, scale, 1.0))
    if margin < (SURE * _bound(pages) if alike else ENOUGH):
        return 0.0
    total, mean = 0.0, 0.0
    for k in range(SHARE_COUNT):
        weight = math.exp(_score(memory, row, c, k, scale, OTHER_SIZES) - best)
        total += weight
        mean += weight * SHARES[k]
    return mean / total


@jit
def _score(memory: Memory, row: int, c: int, k: int, scale: float, sizes: float) -> float:
    """By how much a share foresees better than none; folders of other sizes count `sizes`, and other hosts `scale`."""
    evidence = memory.evidence[row]
    own, other_sizes = np.float64(evidence[c, k]), 0.0
    for other in range(1, CLASSES):
        if other != c:
            other_sizes += np.float64(evidence[other, k])
    return float(own + sizes * other_sizes + scale * (memory.of_all[c, k] - own) - DOUBT * SHARES[k])
