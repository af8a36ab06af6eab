"""Answers to questions; nothing here changes the state."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from recrawl.arguments import Ids
from recrawl.engine.logical import PUT_OFF
from recrawl.frontier.answers import Freshness, HostView, PageView, Validators
from recrawl.frontier.kept.book import COPY, GONE, NEW, NONE, STATES

if TYPE_CHECKING:
    from recrawl.frontier.state import State

SAMPLE = 100_000
LOOK = 4_096
"""Pages at a time that are looked at for whether they are there."""


def page(state: "State", i: int, now: float) -> PageView:
    """What is known of a page."""
    return _views(state, np.array([i]), now)[0]


def pages(state: "State", after: int, limit: int, now: float) -> tuple[list[PageView], int]:
    """Pages by number, and the number of the last."""
    known = _beyond(state, after, limit)
    return _views(state, known, now), int(known[-1]) if len(known) else after


def put_off(state: "State", urls: Sequence[str], now: float) -> list[str]:
    """Those of some pages that are not offered for now, since they failed or are gone.  O(urls)."""
    ids = state.urls.find(urls)
    known = np.flatnonzero(ids >= 0)
    columns = state.pairing.scheduler.columns_of(ids[known])
    return [urls[k] for k in known[(columns["state"] == PUT_OFF) & (columns["held"] > now)].tolist()]


def _beyond(state: "State", after: int, limit: int) -> Ids:
    """The numbers of up to `limit` pages beyond a number; looks no further than it has to."""
    kinds = state.book.state[: len(state.pairing.learner)]
    begin, missing, found = min(after + 1, len(kinds)), limit, []
    while missing and begin < len(kinds):
        some = np.flatnonzero(kinds[begin : begin + max(missing, LOOK)])[:missing] + begin
        begin, missing = begin + max(missing, LOOK), missing - len(some)
        found.append(some)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def _views(state: "State", ids: Ids, now: float) -> list[PageView]:
    book, learner, scheduler = state.book, state.pairing.learner, state.pairing.scheduler
    if not len(ids):
        return []
    sure, names, token_of = learner.uncertainty(ids), state.hosts.names, state.leases.token_of
    fresh = np.where(book.state[ids] == COPY, np.exp(-scheduler.staleness(ids, now)), 0.0)
    columns = (
        state.urls.texts(ids),
        [names[host] for host in book.host[ids].tolist()],
        map(STATES.__getitem__, book.state[ids].tolist()),
        [token_of(page) is not None for page in ids.tolist()],
        book.fetches[ids].tolist(),
        book.changes[ids].tolist(),
        [time or None for time in book.fetched[ids].tolist()],
        [time or None for time in book.changed[ids].tolist()],
        book.failures[ids].tolist(),
        learner.given_importance(ids).tolist(),
        sure.change_rate.tolist(),
        sure.change_rate_error.tolist(),
        sure.precision.tolist(),
        fresh.tolist(),
        scheduler.value(ids, now).tolist(),
        map(Validators.read, state.validators.get(ids)),
        [digest or None for digest in book.digest[ids].tolist()],
    )
    return list(map(PageView, *columns))


def hosts(state: "State", after: int, limit: int | None) -> list[HostView]:
    """How hosts are doing, by the order in which they came."""
    table, found = state.hosts, []
    end = len(table.names) if limit is None else min(after + 1 + limit, len(table.names))
    for number in range(after + 1, end):
        name = table.names[number]
        gap = float(table.gap[number])
        _, in_flight, _ = state.pairing.scheduler.host_state(number)
        until = float(table.paused_until[number])
        found.append(
            HostView(
                name=name,
                pages=int(table.pages[number]),
                in_flight=in_flight,
                gap=state.settings.gap if math.isnan(gap) else gap,
                max_in_flight=int(table.max_in_flight[number]) or state.settings.max_in_flight,
                failures=int(table.failures[number]),
                paused_until=until if until > state.now else None,
                probing=bool(table.probing[number]),
            )
        )
    return found


def freshness(state: "State", now: float) -> Freshness:
    """How fresh the copies are."""
    kinds = state.book.state[: len(state.pairing.learner)]
    counts = np.bincount(kinds, minlength=len(STATES))
    ids = np.flatnonzero((kinds != NONE) & (kinds != GONE))
    total = len(ids)
    if not total:
        return Freshness(math.nan, math.nan, 0.0, 0, 0, int(counts[GONE]))
    if total > SAMPLE:
        ids = ids[np.arange(SAMPLE) * total // SAMPLE]
    stale = state.pairing.scheduler.staleness(ids, now)
    fresh = np.where(kinds[ids] == COPY, np.exp(-stale), 0.0)
    weight = state.pairing.learner.given_importance(ids)
    error = float(fresh.std() / math.sqrt(len(ids))) * math.sqrt(1.0 - len(ids) / total)
    weighted = float((fresh * weight).sum() / weight.sum()) if weight.any() else math.nan
    return Freshness(float(fresh.mean()), weighted, error, total, int(counts[NEW]), int(counts[GONE]))


def statistics(state: "State") -> dict[str, int]:
    """Counters, and how many there are of what."""
    kinds = np.bincount(state.book.state[: len(state.pairing.learner)], minlength=len(STATES))
    return {
        "pages": len(state.urls),
        "hosts": len(state.hosts),
        "pages_new": int(kinds[NEW]),
        "pages_gone": int(kinds[GONE]),
        "leased": len(state.leases),
        "late_leases": state.leases.late,
        "waiting_for_beliefs": state.pairing.waiting,
        "outcomes": state.pairing.learner.outcomes,
        **{name: state.counters[name] for name in sorted(state.counters)},
    }
