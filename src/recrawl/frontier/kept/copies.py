"""Fetches of pages, in one pass over them: what each came to, what it is judged by, and what is kept of it.

Each of these is a kernel and not a dozen operations on columns: with a hundred pages in a call, each such operation
takes longer than all the work.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, prefetch_row
from recrawl.arguments import Ids, Values
from recrawl.frontier.kept.book import COPY

CHANGED, UNCHANGED, UNKNOWN = range(3)
"""What may come of a fetch that made or compared a copy; numbers above are of fetches that did neither."""

Codes = NDArray[np.uint8]
Digests = NDArray[np.uint64]


@bare
def compare(
    states: Codes,
    held: Digests,
    crawled: Values,
    ids: Ids,
    kinds: Codes,
    told: Values,
    digests: Digests,
    moments: Values,
    results: Codes,
    at: Values,
) -> None:
    """What fetches came to, and when, for it cannot have been before the fetch before: clocks differ.

    Of `kinds` that are UNKNOWN it is as told (1, 0, NaN), else by digests.  Without a copy nothing was compared.
    """
    for i in ids:
        prefetch_row(states, i)
        prefetch_row(held, i)
        prefetch_row(crawled, i)
    for k in range(len(ids)):
        i = ids[k]
        at[k] = max(moments[k], crawled[i])
        results[k] = kinds[k]
        if kinds[k] > UNKNOWN:
            continue
        changed = 0.0 if kinds[k] == UNCHANGED else told[k]  # 304
        if changed != changed and digests[k] != 0 and held[i] != 0:
            changed = 0.0 if digests[k] == held[i] else 1.0
        if changed != changed or states[i] != COPY:
            results[k] = UNKNOWN
        else:
            results[k] = CHANGED if changed == 1.0 else UNCHANGED


@bare
def look_back(
    host: NDArray[np.int32],
    crawled: Values,
    rows: Values,
    alpha: int,
    ids: Ids,
    results: Codes,
    at: Values,
    hosts: Ids,
    alphas: Values,
    elapsed: Values,
    changed: Values,
) -> bool:
    """What fetches are judged by: the intervals they end, and what was believed; whether some compared.

    `rows` are those of the scheduler, in which `alpha` is the column of the unsignalled rate.  Of a fetch that compared
    nothing the host is -1 and `changed` NaN.
    """
    some = False
    for i in ids:
        prefetch_row(host, i)
        prefetch_row(crawled, i)
        prefetch_row(rows, i)
    for k in range(len(ids)):
        i = ids[k]
        alphas[k], elapsed[k] = rows[i, alpha], max(at[k] - crawled[i], 0.0)
        if results[k] == UNKNOWN:
            hosts[k], changed[k] = -1, math.nan
        else:
            hosts[k], changed[k] = host[i], 1.0 if results[k] == CHANGED else 0.0
            some = True
    return some


@bare
def keep(
    state: Codes,
    failures: Codes,
    moves: Codes,
    fetches: NDArray[np.uint16],
    changes: NDArray[np.uint16],
    changed: Values,
    fetched: Values,
    held: Digests,
    ids: Ids,
    results: Codes,
    at: Values,
    digests: Digests,
) -> None:
    """Write into the book that there are copies, as of `at`; `digests` are none where nobody gave any."""
    for k in range(len(ids)):
        i = ids[k]
        state[i], failures[i], moves[i], fetched[i] = COPY, 0, 0, at[k]
        if fetches[i] < 65535:
            fetches[i] += 1
        if results[k] == CHANGED:
            changed[i] = at[k]
            if changes[i] < 65535:
                changes[i] += 1
        digest = digests[k] if len(digests) > 0 else np.uint64(0)
        if digest != 0 or results[k] != UNCHANGED:  # without one, only of an unchanged copy is it the one before
            held[i] = digest


@bare
def any_in_trouble(host: NDArray[np.int32], failures: NDArray[np.uint16], probing: Codes, ids: Ids) -> bool:
    """Whether the host of one of these pages has failed of late, or is being probed."""
    some = False
    for i in ids:
        some |= failures[host[i]] > 0 or probing[host[i]] > 0
    return some
