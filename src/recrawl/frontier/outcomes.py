"""What came of fetches: what pages, hosts, sources and the learner are told.

An interval, which teaches the learner something, ends at a fetch that compared.  A first copy begins one; a fetch that
failed, a page that is gone and one that moved neither begin nor end one.
"""

import math
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recrawl.arguments import Ids, Values
from recrawl.frontier.facts import Fact, bytes_from_columns, texts_from_columns
from recrawl.frontier.kept.backoff import (
    GONE_WAIT,
    MOST_GONE_WAIT,
    MOST_PAGE_WAIT,
    MOST_RETRY_AFTER,
    PAGE_WAIT,
    wait_of,
)
from recrawl.frontier.kept.book import COPY, GONE, NEW
from recrawl.frontier.kept.leases import Lease
from recrawl.frontier.moving import move

if TYPE_CHECKING:
    from recrawl.frontier.state import State

CHANGED, UNCHANGED, UNKNOWN, FAILED, AWAY, MOVED = range(6)
RESULTS = ("changed", "unchanged", "unknown", "failed", "gone", "moved")
_NOBODY = np.empty(0, dtype=np.int64)
_FETCHED = UNKNOWN
"""Results up to this one made or compared a copy."""


def compared(state: "State", pages: Ids, told: Values, digests: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """CHANGED, UNCHANGED or UNKNOWN, for pages that were fetched: as told (1, 0, NaN), else by their digests."""
    held = state.book.digest[pages]
    by_digest = np.where(digests == held, 0.0, 1.0)
    by_digest[(digests == 0) | (held == 0)] = math.nan
    changed = np.where(np.isnan(told), by_digest, told)
    changed[state.book.state[pages] != COPY] = math.nan  # there is no copy: nothing was compared
    return np.where(np.isnan(changed), UNKNOWN, np.where(changed == 1.0, CHANGED, UNCHANGED)).astype(np.uint8)


def complete(state: "State", fact: Fact) -> dict[str, Any]:
    """Apply answers to leases that are live or late, no page twice."""
    columns = fact.columns
    tokens = columns["tokens"].tolist()
    ids = state.pages_of(tokens)
    state.touch(ids)
    leases = state.leases.end_all(tokens)
    late = np.array([lease.late for lease in leases], dtype=np.bool_)
    results = columns["results"]
    fetched = results <= _FETCHED
    again = _release_relet(state, ids[late & (fetched | (results == MOVED))]) if late.any() else []
    if fetched.any():
        _fetched(state, fact, fetched, ids, late, leases)
    if not fetched.all():
        _not_fetched(state, fact, results, ids, late)
        for k in np.flatnonzero(results == MOVED).tolist():
            moved = move(state, int(ids[k]), bool(late[k]), texts_from_columns("moved_to", columns)[k])
            again = [moved if page == ids[k] else page for page in again]
    held = np.array([page for page in again if page is not None], dtype=np.int64) if again else _NOBODY
    if len(held):
        state.pairing.hold(held, state.now)
        _keep_signals_of_relet(state, held, {lease.page: lease for lease in leases})
    counts = list(map(results.tobytes().count, range(len(RESULTS))))
    for name, n in zip(RESULTS, counts, strict=True):
        state.count(name, n)
    state.count("late", int(late.sum()))
    return {**dict(zip(RESULTS, counts, strict=True)), "late": int(late.sum())}


def _release_relet(state: "State", ids: Ids) -> list[int | None]:
    """Pages of late answers that someone else has by now: let go of them while the answer is applied."""
    relet = [page for page in ids.tolist() if state.leases.token_of(page) is not None]
    if relet:
        state.pairing.failed(np.array(relet, dtype=np.int64), state.now)
    return list(relet)


def _fetched(
    state: "State",
    fact: Fact,
    which: NDArray[np.bool_],
    all_ids: Ids,
    all_late: NDArray[np.bool_],
    leases: list[Lease],
) -> None:
    book, pairing, columns = state.book, state.pairing, fact.columns
    ids, late, at = all_ids[which], all_late[which], columns["at"][which]
    result = columns["results"][which]
    mine = [lease for lease, yes in zip(leases, which.tolist(), strict=True) if yes]
    counts = _matrix([lease.counts for lease in mine])
    judged = result != UNKNOWN
    since = pairing.learner.crawled(ids)
    alphas = _rates_to_judge_by(state, ids)
    for lease in mine:
        if lease.late:
            pairing.depart_late(lease.page, lease.heard)
    if len(pairing.muted):
        pairing.muted[ids] = False
    changed = np.where(judged, (result == CHANGED).astype(np.float64), math.nan)
    pairing.crawled_known(ids, changed, at, state.now, state.level.value)
    if late.any():
        _keep_signals(state, ids[late])
    if judged.any() and len(state.sources):
        elapsed = np.maximum(at - since, 0.0)
        state.sources.judge(
            book.host[ids[judged]].astype(np.int64), alphas[judged], elapsed[judged], counts[judged],
            result[judged] == CHANGED,
        )  # fmt: skip
    state.sources.restart(ids, counts)
    for page in ids[book.state[ids] == NEW].tolist():
        state.firsts.drop(page)
    book.state[ids] = COPY
    book.failures[ids] = book.moves[ids] = 0
    book.fetched[ids] = at
    book.fetches[ids] += book.fetches[ids] < 65535
    found = ids[result == CHANGED]
    book.changes[found] += book.changes[found] < 65535
    book.changed[found] = at[result == CHANGED]
    digests = columns["digests"][which] if "digests" in columns else np.zeros(len(ids), dtype=np.uint64)
    known = (digests != 0) | (result != UNCHANGED)  # without a digest, only of an unchanged copy is it the one before
    book.digest[ids[known]] = digests[known]
    if "validators" in columns:
        given = columns["validators_given"][which] != 0
        texts = bytes_from_columns("validators", columns)
        some = [texts[k] for k in np.flatnonzero(which)[given].tolist()]
        state.validators.put(ids[given], some)
    _praise_hosts(state, ids)


def _rates_to_judge_by(state: "State", ids: Ids) -> Values:
    """Unsignalled rates of pages, beside which their signals are judged.

    Those of the scheduler lean to slow change.  So signals are believed at first, where they might as well be chance;
    but in the long run they would be praised for changes that nobody signalled.
    """
    leaning = state.pairing.scheduler.unsignalled_rates(ids)
    if len(state.sources) < 2 or not (known := state.sources.known(state.book.host[ids])).any():
        return leaning
    return np.where(known, state.pairing.learner.unsignalled_rates(ids), leaning)


def _keep_signals(state: "State", ids: Ids) -> None:
    """Signals since a lease that expired belong to the interval that begins; the scheduler has lost sight of them."""
    alone = ids[[state.leases.token_of(page) is None for page in ids.tolist()]]
    _add_signals(state, alone, state.pairing.learner.heard(alone))


def _keep_signals_of_relet(state: "State", ids: Ids, ended: dict[int, Lease]) -> None:
    """The same for pages that someone else has: what came before they were given out again is for that fetch to tell.

    Counts of the lease that goes on are from the beginning of the interval, which is another one now.
    """
    for page in ids.tolist():
        token = state.leases.token_of(page)
        if token is None or page not in ended:
            continue
        goes_on, late = state.leases.find(token), ended[page]
        if goes_on is None:
            continue
        before = max(goes_on.heard - late.heard, 0.0)
        left = [max(a - b, 0) for a, b in zip_longest(goes_on.counts, late.counts, fillvalue=0)]
        state.leases.recount(token, bytes(left), before)
        one = np.array([page])
        total = state.pairing.learner.heard(one)
        state.pairing.depart_late(page, before)
        _add_signals(state, one, np.maximum(total - before, 0.0))


def _add_signals(state: "State", ids: Ids, kept: Values) -> None:
    if kept.any():
        state.pairing.scheduler.signal(ids[kept > 0.0], state.now, scale=kept[kept > 0.0].astype(np.float64))


def _matrix(rows: list[bytes]) -> NDArray[np.uint8]:
    widths = set(map(len, rows))
    width = max(widths)
    whole = b"".join(rows) if len(widths) == 1 else b"".join(row.ljust(width, b"\0") for row in rows)
    return np.frombuffer(bytearray(whole), dtype=np.uint8).reshape(len(rows), width)


def _not_fetched(
    state: "State", fact: Fact, results: NDArray[np.uint8], all_ids: Ids, all_late: NDArray[np.bool_]
) -> None:
    book, now, columns = state.book, state.now, fact.columns
    for result, first, most in ((FAILED, PAGE_WAIT, MOST_PAGE_WAIT), (AWAY, GONE_WAIT, MOST_GONE_WAIT)):
        which = results == result
        if not which.any():
            continue
        ids, late = all_ids[which], all_late[which]
        if result == AWAY:
            came = book.state[ids] != GONE
            book.failures[ids[came]] = 0
            _gone(state, ids)
        book.failures[ids] += book.failures[ids] < 255
        wait = wait_of(ids, book.failures[ids], first, most)
        if "retry_after" in columns:
            asked = np.nan_to_num(columns["retry_after"][which], nan=0.0)
            wait = np.maximum(wait, np.minimum(asked, MOST_RETRY_AFTER))
        mine = np.array([state.leases.token_of(page) is None for page in ids.tolist()])  # or someone else has it
        if (late & mine).any():  # it was offered again, and need not be
            state.pairing.hold(ids[late & mine], now)
        state.pairing.failed(ids[mine], now, now + wait[mine])
        state.wait_again(ids[mine], now + wait[mine])
    _blame_hosts(state, fact, all_ids)


def _gone(state: "State", ids: Ids) -> None:
    """There is nothing to compare the next fetch with."""
    for page in ids.tolist():
        state.firsts.drop(page)
    new = ids[state.book.state[ids] == NEW]
    state.book.state[ids] = GONE
    state.book.digest[ids] = 0
    state.validators.put(ids, [b""] * len(ids))
    if len(state.pairing.muted) and len(new):
        state.pairing.muted[new] = False
        state.pairing.believe(new, state.now)
    _praise_hosts(state, ids)  # they answered


def _praise_hosts(state: "State", ids: Ids) -> None:
    """Hosts of these pages work: failures before count no more."""
    hosts = state.book.host[ids]
    blamed = hosts[(state.hosts.failures[hosts] > 0) | (state.hosts.probing[hosts] > 0)]
    for host in np.unique(blamed).tolist() if len(blamed) else ():
        if state.hosts.succeeded(host):
            state.set_host_limits(host)


def _blame_hosts(state: "State", fact: Fact, ids: Ids) -> None:
    """Failures that are the host's fault: too many in a row, or a host that asks for time, and it is left alone."""
    columns = fact.columns
    for k in np.flatnonzero(columns["blamed"]).tolist():
        host = int(state.book.host[ids[k]])
        until = state.hosts.failed(host, state.now)
        asked = float(columns["retry_after"][k]) if "retry_after" in columns else math.nan
        if asked > 0.0:
            until = state.hosts.pause(host, state.now + min(asked, MOST_RETRY_AFTER))
        if until is not None:
            state.set_host_limits(host)
            state.pairing.scheduler.host_ready(host, until)
