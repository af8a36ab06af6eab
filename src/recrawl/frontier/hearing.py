"""Signals: what pages, sources, the scheduler and the learner are told."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, prefetch_row, wide
from recrawl.arguments import Ids, Values
from recrawl.frontier.facts import Fact
from recrawl.frontier.kept.book import COPY, GONE
from recrawl.learn.named.sources import HEARD, OLD

if TYPE_CHECKING:
    from recrawl.frontier.state import State

MOST_LOOKS = 3
"""Signals bring forward the next look at a page that is gone until it has been found gone this often in a row."""
_NOTHING = np.empty(0)


@bare
def _look_up(
    state: NDArray[np.uint8],
    fetched: Values,
    host: NDArray[np.int32],
    counts: NDArray[np.uint8],
    heard: NDArray[np.float32],
    numbers: Values,
    links: NDArray[np.int32],
    sums: NDArray[np.float32],
    watch: Values,
    ids: Ids,
    kinds: NDArray[np.uint8],
    since: Values,
    hosts: Ids,
) -> bool:
    """State, last fetch and host of pages; whether there is a copy of each.

    Each page is missing from the cache in nine tables, and each miss takes longer than all the work.  So all of them
    are asked for at once, also those that only the kernels after this one need: counts, heard, numbers, links, sums,
    and what is watched of the signals of its host, which is two lines of the cache.
    """
    for i in ids:
        prefetch_row(state, i)
        prefetch_row(fetched, i)
        prefetch_row(host, i)
        prefetch_row(links, i)
        prefetch_row(numbers, i)
        prefetch_row(counts, i)
        prefetch_row(heard, i)
        prefetch_row(sums, i)
    copies, watched = True, watch.reshape(-1)
    for k in range(len(ids)):
        i = ids[k]
        group = wide(host[i]) + 1
        prefetch_row(watch, group)
        prefetch_row(watched, (group + 1) * watch.shape[1] - 1)
        kinds[k], since[k], hosts[k] = state[i], fetched[i], host[i]
        copies = copies and state[i] == COPY
    return copies


def signal(state: "State", fact: Fact) -> NDArray[np.uint8]:
    """Apply signals of one source; what became of each: HEARD, OLD or REPEATED."""
    columns, now = fact.columns, state.now
    ids = columns["ids"]
    source = state.sources.number(fact.fields["source"])
    state.touch(ids)
    kinds, since, hosts, copies = _of_pages(state, ids)
    if not copies:  # a copy that is being made may be one of before the change
        for k in np.flatnonzero(kinds != COPY).tolist():
            page = ids[k : k + 1]
            leased = state.leases.token_of(int(page[0])) is not None
            since[k] = state.pairing.learner.crawled(page)[0] if leased else math.inf
    happened, spans = columns.get("happened", _NOTHING), columns.get("spans", _NOTHING)
    weights, codes = state.sources.hear(source, ids, hosts, since, happened, spans, now)
    if weights is None:
        state.pairing.signal_known(ids, now, _NOTHING)
    elif weights.any():  # signals that weigh nothing change nothing
        state.pairing.signal_known(ids, now, weights)
    if not copies:
        codes[(kinds != COPY) & (codes == OLD)] = HEARD  # there is no copy that it could be older than
        if (back := (kinds == GONE) & (codes == HEARD) & (state.book.failures[ids] < MOST_LOOKS)).any():
            _look_again(state, np.unique(ids[back]))
    heard = codes.tobytes().count(HEARD)
    state.count("signals", heard)
    state.count("signals_dropped", len(ids) - heard)
    return codes


def _of_pages(state: "State", ids: Ids) -> tuple[NDArray[np.uint8], Values, Ids, bool]:
    n, book, pairing = len(ids), state.book, state.pairing
    kinds, since, hosts = np.empty(n, dtype=np.uint8), np.empty(n), np.empty(n, dtype=np.int64)
    counts, (numbers, links) = state.sources.by_page_counts, pairing.scheduler.rows
    heard, sums, watch = pairing.learner.rows_heard
    copies = _look_up(
        book.state, book.fetched, book.host, counts, heard, numbers, links, sums, watch, ids, kinds, since, hosts
    )  # fmt: skip
    return kinds, since, hosts, copies


def _look_again(state: "State", ids: Ids) -> None:
    """Pages that were gone may be back: do not wait for them to be due."""
    free = np.array([i for i in ids.tolist() if state.leases.token_of(i) is None], dtype=np.int64)
    scheduler, hosts = state.pairing.scheduler, np.unique(state.book.host[free]).tolist()
    ready = [scheduler.host_state(host)[0] for host in hosts]
    state.pairing.hold(free, state.now)
    state.pairing.failed(free, state.now)
    for host, when in zip(hosts, ready, strict=True):  # nothing was fetched, so that no gap begins
        scheduler.host_ready(host, max(when, state.begun))
