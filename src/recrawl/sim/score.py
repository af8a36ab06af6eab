"""How fresh the copies were, exactly, from the times of crawls and changes alone.

Every page is crawled at time 0.  Where times are equal the order is: change, signal, crawl, request.  So a crawl sees
the change of its own moment, and a request that meets a change meets a stale copy.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.sim.events import Ids, Times

Flags = NDArray[np.bool_]


@jit
def fresh_time(
    crawl_start: Ids, crawls: Times, change_start: Ids, changes: Times, begin: float, end: float, out: Times
) -> None:
    """For how long of [begin, end] the copy of each page is fresh: from each crawl to the first change after it."""
    for i in range(len(out)):
        j, stop = change_start[i], change_start[i + 1]
        total = 0.0
        last = 0.0
        for k in range(crawl_start[i], crawl_start[i + 1] + 1):
            until = crawls[k] if k < crawl_start[i + 1] else end
            while j < stop and changes[j] <= last:
                j += 1
            first = changes[j] if j < stop else math.inf
            total += max(0.0, min(first, until, end) - max(last, begin))
            last = until
        out[i] = total


@jit
def fresh_time_there(
    crawl_start: Ids,
    crawls: Times,
    change_start: Ids,
    changes: Times,
    born: Times,
    removed: Times,
    announced: Times,
    begin: float,
    end: float,
    out: Times,
) -> None:
    """`fresh_time` of pages that come and go, while they are there; those announced after 0 have no copy at first."""
    for i in range(len(out)):
        j, stop = change_start[i], change_start[i + 1]
        low, high = max(born[i], begin), min(removed[i], end)
        total = 0.0
        copied = announced[i] <= 0.0
        last = 0.0
        for k in range(crawl_start[i], crawl_start[i + 1] + 1):
            until = crawls[k] if k < crawl_start[i + 1] else end
            if copied:
                while j < stop and changes[j] <= last:
                    j += 1
                first = changes[j] if j < stop else math.inf
                total += max(0.0, min(first, until, high) - max(last, low))
            copied = True
            last = until
        out[i] = total


@jit
def fresh_in_windows(
    crawl_start: Ids, crawls: Times, change_start: Ids, changes: Times, weights: Times, edges: Times, out: Times
) -> None:
    """Add to each window between two edges the weighted time that copies are fresh in it."""
    for i in range(len(weights)):
        j, stop = change_start[i], change_start[i + 1]
        w = 0
        last = 0.0
        for k in range(crawl_start[i], crawl_start[i + 1] + 1):
            until = crawls[k] if k < crawl_start[i + 1] else edges[-1]
            while j < stop and changes[j] <= last:
                j += 1
            right = min(changes[j], until) if j < stop else until
            while w < len(out) - 1 and edges[w + 1] <= last:
                w += 1
            v = w
            while v < len(out) and edges[v] < right:
                out[v] += weights[i] * max(0.0, min(right, edges[v + 1]) - max(last, edges[v]))
                v += 1
            last = until


@jit
def meet_fresh(
    crawl_start: Ids, crawls: Times, change_start: Ids, changes: Times, request_start: Ids, requests: Times, out: Flags
) -> None:
    """Whether each request meets a copy that has not changed since its crawl."""
    for i in range(len(request_start) - 1):
        j, stop = change_start[i], change_start[i + 1]
        k = crawl_start[i]
        last = 0.0
        for r in range(request_start[i], request_start[i + 1]):
            while k < crawl_start[i + 1] and crawls[k] <= requests[r]:
                last = crawls[k]
                k += 1
            while j < stop and changes[j] <= last:
                j += 1
            out[r] = j == stop or changes[j] > requests[r]


@jit
def outcomes(
    times: Times,
    pages: Ids,
    change_start: Ids,
    changes: Times,
    signal_times: Times,
    signal_pages: Ids,
    elapsed: Times,
    signals: Ids,
    changed: Flags,
) -> None:
    """What each crawl, in order of time, saw: time and signals since the crawl before, and whether anything changed."""
    last = np.zeros(len(change_start) - 1)
    heard = np.zeros(len(change_start) - 1, dtype=np.int64)
    at = change_start.copy()
    s = 0
    for c in range(len(times)):
        i = pages[c]
        while s < len(signal_times) and signal_times[s] <= times[c]:
            heard[signal_pages[s]] += 1
            s += 1
        while at[i] < change_start[i + 1] and changes[at[i]] <= last[i]:
            at[i] += 1
        changed[c] = at[i] < change_start[i + 1] and changes[at[i]] <= times[c]
        elapsed[c] = times[c] - last[i]
        signals[c] = heard[i]
        last[i] = times[c]
        heard[i] = 0
