"""Time as a folder counts it: a page ages as its neighbours change.

Theory of operation
-------------------
1. Neighbours change together: a bulk edit, a campaign, a release.  A change that a crawl finds on one page is news for
   the others of its folder.
2. The change came at some moment since the crawl before of that page.  So it counts for a neighbour as far as that time
   lies after the neighbour's own last crawl, divided by the number of neighbours: news are changes a page as far as
   they are known.
   Where that crawl found a change itself, both are most likely the same one, and the copy is of after it.  Then it is
   news only as far as yet another change may be expected since.  Else the pages that are crawled first after a change
   would be crawled again for what their neighbours had of it, while other folders wait.
3. News over how many usually come in a unit of time are the *folder's time*.  If nothing special happens it goes as the
   clock does, on average.  A page's age is counted by (1 - share) of the clock's time and `share` of the folder's.
4. Which share is right is learned (judging.py).  With a share of 0 nothing at all is different.
5. The learner is told ages counted so, and the engine is: its drift is (1 - share) alpha, and each piece of news adds
   alpha times the folder's time of it to the staleness.
6. News say most of pages that are fresh most of the time.  Of a page that is usually stale when it is crawled they
   tell little, and where a folder is busy it would soon be stale again.  So the share fades with the part of its
   greatest value at which a page is crawled (`_use`).
7. As long as pages are taken for alike (alike.py) and hardly any signals come, pages are crawled in turn.  News change
   that only when they are sure to be worth it.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit, prefetch_row, wide
from recrawl.learn.neighbours.judging import share_of
from recrawl.learn.neighbours.layout import (
    CLASSES,
    FINE,
    IN_COMPANY,
    MOST_NEWS,
    NEWS,
    SPREAD,
    STEPS,
    TIME,
    WATCHED,
    Memory,
)
from recrawl.learn.online.alike import taken_for_alike
from recrawl.learn.online.layout import CRAWL_LEVEL, PACE, PAGES, SIGNAL_RATE, SIGNALS
from recrawl.learn.online.layout import Memory as Learned

Ids = NDArray[np.int64]
Values = NDArray[np.float64]

LEAN = 4.0
"""What news a folder usually has leans on all folders, as much as on so many pages of its own."""
REMEMBERED = 50.0
"""Rounds over which usual news are counted, about."""
MOST_AGE = 20.0
"""The folder's time is at most so many times the clock's."""
MOST_JUMP, LEAST_JUMP = 3.0, 1e-4
"""What news add to the staleness of a page at once, at most, and what is too little to tell."""
LEAST_SHARE = 0.02
HUSHED = 0.1
"""Signals a page and round that are hardly any."""
USELESS = 0.25
"""News are of no use for pages that are crawled at this part of their greatest value."""


@jit
def class_of(memory: Memory, i: int) -> int:
    """The class of the folder of page i, by its size; 0 where it has no neighbours."""
    folder = wide(memory.folder[i])
    if folder < 0 or memory.size[folder] < 2:
        return 0
    size, at = wide(memory.size[folder]), 0
    while size > 1 and at < CLASSES - 1:
        size >>= 1
        at += 1
    return at


@jit
def usual_news(memory: Memory, folder: int) -> float:
    """News a unit of time that a page of this folder has; 0 while nothing is known."""
    numbers = memory.numbers
    if not (numbers[TIME] > 0.0 and numbers[NEWS] > 0.0):
        return 0.0
    lean = LEAN * numbers[TIME] / max(numbers[IN_COMPANY], 1.0)
    news = memory.sums[folder, NEWS] + lean * numbers[NEWS] / numbers[TIME]
    return float(news / (memory.sums[folder, TIME] + lean))


@jit
def folder_time(memory: Memory, i: int, elapsed: float) -> float:
    """The time since the last crawl of page i, `elapsed` by the clock, as its folder counts it."""
    usual = usual_news(memory, wide(memory.folder[i]))
    if usual <= 0.0:
        return elapsed
    return min(np.float64(memory.news[i]) / FINE / usual, MOST_AGE * elapsed)


@jit
def counted(memory: Memory, i: int, elapsed: float) -> float:
    """Elapsed time as the engine counted it for page i."""
    if memory.share[i] == 0:
        return elapsed
    share = np.float64(memory.share[i]) / STEPS
    return (1.0 - share) * elapsed + share * folder_time(memory, i, elapsed)


@jit
def begin(memory: Memory, i: int, elapsed: float, changed: bool) -> None:
    """Page i was crawled and compared, `elapsed` after the crawl before: what was usual is known better."""
    folder, numbers = wide(memory.folder[i]), memory.numbers
    if class_of(memory, i) > 0:
        news = np.float64(memory.news[i]) / FINE
        kept = 1.0 - 1.0 / (REMEMBERED * np.float64(memory.size[folder]))
        memory.sums[folder, NEWS] = kept * memory.sums[folder, NEWS] + news
        memory.sums[folder, TIME] = kept * memory.sums[folder, TIME] + elapsed
        kept = 1.0 - 1.0 / (REMEMBERED * max(numbers[IN_COMPANY], 1.0))
        numbers[NEWS] = kept * numbers[NEWS] + news
        numbers[TIME] = kept * numbers[TIME] + elapsed
    memory.news[i] = 0
    memory.found[i] = 1 if changed else 0


@jit
def believe(memory: Memory, learned: Learned, ids: Ids, columns: Values) -> None:
    """Have the columns of pages (alpha, kappa, gamma, mu) mean ages that are counted with news."""
    numbers = learned.numbers
    hushed = numbers[SIGNAL_RATE] < HUSHED * numbers[PACE]
    for k in range(len(ids)):
        i = ids[k]
        c = class_of(memory, i)
        share = 0.0
        if c > 0:
            row = wide(learned.host[i]) + 1
            alike = hushed and taken_for_alike(learned, i)
            share = share_of(memory, row, c, learned.watch[row, PAGES], alike)
            if share >= LEAST_SHARE:
                share *= _use(columns[:, k], numbers[CRAWL_LEVEL])
        steps = int(share * STEPS + 0.5) if share >= LEAST_SHARE else 0
        memory.share[i] = steps
        if steps > 0:
            _split(memory, learned, i, c, steps / STEPS, columns[:, k], hushed)


@jit
def _use(page: Values, level: float) -> float:
    """How far news are of use for a page: 1 where it is always fresh, 0 where it is mostly stale."""
    change_rate = page[0] - page[2] * math.expm1(-page[1])
    if not (page[3] > 0.0 and change_rate > 0.0):
        return 0.0
    return float(max(1.0 - level * change_rate / (page[3] * USELESS), 0.0))


@jit
def _split(memory: Memory, learned: Learned, i: int, c: int, share: float, page: Values, hushed: bool) -> None:
    """Leave to news what is theirs.

    The value function knows signals of one kind.  Where pages have hardly any of their own (`hushed`), news stand for
    them: with the size that news have by how the folder's time strays from the clock's.  Otherwise the first signal of
    a page must count for what it is, and importance sees to it that the greatest value stays what it is.
    """
    evidence = memory.evidence[wide(learned.host[i]) + 1, c]
    at_once = 0.0
    if evidence[WATCHED] > 0.0:
        at_once = np.float64(evidence[SPREAD]) / np.float64(evidence[WATCHED])
    signalled = -page[2] * math.expm1(-page[1])
    change_rate = page[0] + signalled
    if hushed and at_once > 0.0 and learned.sums[i, SIGNALS] == 0.0 and learned.open[i] == 0.0:
        page[1], page[2] = page[0] * share * at_once, 1.0 / at_once
        page[0] *= 1.0 - share
    else:
        page[0] *= 1.0 - share
        if change_rate > 0.0:
            page[3] *= (page[0] + signalled) / change_rate


@jit
def tell(
    memory: Memory, learned: Learned, i: int, at: float, elapsed: float, alphas: Values, ids: Ids, jumps: Values
) -> int:
    """A crawl at `at` found that page i had changed since the one before, `elapsed` ago: news for its neighbours.

    `alphas`: drifts as the engine has them.  Writes which pages become staler, and by how much; how many they are.
    """
    told = 0
    if class_of(memory, i) == 0 or elapsed <= 0.0:
        return told
    folder = wide(memory.folder[i])
    usual, others = usual_news(memory, folder), np.float64(memory.size[folder] - 1)
    j = wide(memory.after[i])
    for _ in range(memory.size[folder] - 1):
        ahead = wide(memory.after[j])
        prefetch_row(memory.after, ahead)
        prefetch_row(learned.crawled, ahead)
        prefetch_row(memory.news, ahead)
        prefetch_row(memory.share, ahead)
        prefetch_row(memory.found, ahead)
        since = at - learned.crawled[j]
        part = min(max(since / elapsed, 0.0), 1.0)
        if 0.0 < part < 1.0 and memory.found[j] != 0:
            part = min(part, -math.expm1(-usual * since))  # another change than the one that page j has already
        if part > 0.0:
            news = part / others
            memory.news[j] = min(wide(memory.news[j]) + int(news * FINE + 0.5), MOST_NEWS)
            if memory.share[j] > 0 and usual > 0.0:
                share = np.float64(memory.share[j]) / STEPS
                jump = min(alphas[j] / (1.0 - share) * share * news / usual, MOST_JUMP)
                if jump > LEAST_JUMP:
                    ids[told], jumps[told] = j, jump
                    told += 1
        j = ahead
    return told
