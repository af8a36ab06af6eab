"""Answers to questions; nothing here changes the state."""

import math
from typing import TYPE_CHECKING

import numpy as np

from recrawl.arguments import Ids
from recrawl.frontier.answers import Freshness, HostView, PageView, Validators
from recrawl.frontier.kept.book import COPY, GONE, NEW, NONE, STATES

if TYPE_CHECKING:
    from recrawl.frontier.state import State

SAMPLE = 100_000


def page(state: "State", i: int, now: float) -> PageView:
    """What is known of a page."""
    return _views(state, np.array([i]), now)[0]


def pages(state: "State", after: int, limit: int, now: float) -> tuple[list[PageView], int]:
    """Pages by number, and the number of the last."""
    start = min(after + 1, len(state.book.state))
    known = np.flatnonzero(state.book.state[start : len(state.pairing.learner)])[:limit] + start
    return _views(state, known, now), int(known[-1]) if len(known) else after


def _views(state: "State", ids: Ids, now: float) -> list[PageView]:
    book, learner, scheduler = state.book, state.pairing.learner, state.pairing.scheduler
    if not len(ids):
        return []
    sure, given = learner.uncertainty(ids), learner.given_importance(ids)
    fresh = np.where(book.state[ids] == COPY, np.exp(-scheduler.staleness(ids, now)), 0.0)
    values = scheduler.value(ids, now)
    texts, kept = state.urls.texts(ids), state.validators.get(ids)
    return [
        PageView(
            url=texts[k],
            host=state.hosts.names[int(book.host[i])],
            state=STATES[int(book.state[i])],
            leased=state.leases.token_of(i) is not None,
            fetches=int(book.fetches[i]),
            changes=int(book.changes[i]),
            fetched=float(book.fetched[i]) or None,
            changed=float(book.changed[i]) or None,
            failures=int(book.failures[i]),
            importance=float(given[k]),
            change_rate=float(sure.change_rate[k]),
            change_rate_error=float(sure.change_rate_error[k]),
            precision=float(sure.precision[k]),
            fresh=float(fresh[k]),
            value=float(values[k]),
            validators=Validators.read(kept[k]),
            digest=int(book.digest[i]) or None,
        )
        for k, i in enumerate(ids.tolist())
    ]


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
