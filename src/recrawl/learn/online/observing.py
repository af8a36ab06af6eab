"""Outcomes of crawls as they come: the unit of time, the level, the likelihoods, and when priors are learned anew."""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, jit, prefetch_row
from recrawl.learn.online.aftershocks import hear_after
from recrawl.learn.online.breaks import bulk, due_for_signal, listen, tick
from recrawl.learn.online.estimate import estimate, moments
from recrawl.learn.online.layout import (
    BROKEN,
    CLOCK,
    CLOCK_BEFORE,
    CRAWL_LEVEL,
    OUTCOMES,
    PACE,
    PACE_KNOWN,
    PAGE_COUNT,
    REFRESH_AT,
    SIGNAL_RATE,
    TYPES,
    Memory,
)
from recrawl.learn.online.leaning import count_weight
from recrawl.learn.online.prior import posterior, signal_rate
from recrawl.learn.online.refreshing import IDLE, PHASE, Job, begin, work
from recrawl.learn.online.type_likelihood import crawled, set_pace
from recrawl.model.scalar import value

Array = NDArray[np.float64]
Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]


@jit
def observe(
    memory: Memory,
    job: Job,
    ids: Ids,
    elapsed: Array,
    aged: Array,
    signals: Array,
    changed: Flags,
    now: float,
    level: float,
) -> bool:
    """Outcomes of crawls at `now`; `level` is the value pages are crawled at, NaN where the caller does not know.

    `elapsed` is by the clock, `aged` the same as the decisions counted it: another one where neighbours had news.

    True where what is expected of all pages has changed: at the first outcomes, at the end of each refresh, and where
    signals broke with their past.
    """
    numbers = memory.numbers
    numbers[CLOCK] = now
    first = numbers[PACE_KNOWN] == 0.0
    if first:
        _first_pace(memory, elapsed)
    seen = level if level == level else _mean_value(memory, ids, aged, signals)
    for j in range(len(ids)):
        crawled(memory, ids[j], elapsed[j], aged[j], signals[j], changed[j], now)
    # as slow as a round is long, and before that the mean so far
    share = min(len(ids) / min(numbers[PAGE_COUNT], numbers[OUTCOMES]), 1.0)
    numbers[CRAWL_LEVEL] += share * (seen - numbers[CRAWL_LEVEL])
    under_way, broken = job.state[PHASE] != IDLE, numbers[BROKEN] > 0.0
    # The first outcomes say how long a round is: what was begun with a guess is begun again.
    if (first and under_way) or (not under_way and numbers[OUTCOMES] >= numbers[REFRESH_AT]):
        begin(memory, job)
    return work(memory, job) or bool(first) or bool(broken)


@bare
def ask_for(memory: Memory, ids: Ids) -> None:
    """Ask for all that is kept of pages, without waiting for it: pages at random miss the cache a dozen times each."""
    for i in ids:
        for k in range(0, TYPES, 32):  # 64 bytes
            prefetch_row(memory.likelihood.reshape(-1), i * TYPES + k)
        prefetch_row(memory.sums, i)
        prefetch_row(memory.born, i)
        prefetch_row(memory.pace, i)
        prefetch_row(memory.regime, i)
        prefetch_row(memory.crawled, i)
        prefetch_row(memory.host, i)
        prefetch_row(memory.kind, i)


@jit
def hear(memory: Memory, ids: Ids, weights: Array, now: float) -> None:
    """`signalled` for each id; no weights where each counts as one."""
    memory.numbers[CLOCK] = now
    for j in range(len(ids)):
        i, weight = ids[j], weights[j] if len(weights) > 0 else 1.0
        memory.open[i] += weight
        count_weight(memory, weight)
        hear_after(memory, i, weight, now)
        if due_for_signal(memory, i, now):
            tick(memory, i, now)
        if listen(memory, i, weight, now):
            bulk(memory, i, now)


@jit
def _first_pace(memory: Memory, elapsed: Array) -> None:
    """Crawls of an average page per unit of time, from the first outcomes there are."""
    numbers = memory.numbers
    time = numbers[PAGE_COUNT] * (numbers[CLOCK] - numbers[CLOCK_BEFORE])
    if not time > 0.0:
        time = elapsed.sum()
    if time > 0.0:
        set_pace(memory, len(elapsed) / time)
        numbers[SIGNAL_RATE] = numbers[PACE]
        numbers[PACE_KNOWN] = 1.0


@jit
def _mean_value(memory: Memory, ids: Ids, aged: Array, signals: Array) -> float:
    """The mean value at which these pages were crawled, as far as the learner knew."""
    page, total = np.empty(4), 0.0
    for j in range(len(ids)):
        estimate(memory, ids[j], page)
        x = page[0] * aged[j] + page[1] * signals[j]
        total += value(x, page[0], page[1], page[2], page[3], 0)
    return total / len(ids)


@jit
def estimates(memory: Memory, ids: Ids, out: Array) -> None:
    """alpha, kappa, gamma and mu of pages, a column each."""
    page = np.empty(4)
    for j in range(len(ids)):
        estimate(memory, ids[j], page)
        out[:, j] = page


@jit
def all_moments(memory: Memory, ids: Ids, out: Array) -> None:
    """Means and standard deviations of pages, a column each."""
    page = np.empty(4)
    for j in range(len(ids)):
        moments(memory, ids[j], page)
        out[:, j] = page


@jit
def mean_alphas(memory: Memory, ids: Ids, out: Array) -> None:
    """The unsignalled rates of pages that predict; those of `estimates` lean to slow change."""
    p = memory.room[2]
    for j in range(len(ids)):
        posterior(memory, ids[j], signal_rate(memory, ids[j]), p)
        out[j] = 0.0
        for k in range(TYPES):
            out[j] += p[k] * memory.types[0, k]
