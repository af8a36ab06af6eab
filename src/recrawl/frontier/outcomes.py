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
from recrawl.engine.core.layout import ALPHA
from recrawl.frontier.facts import Fact, bytes_from_columns, texts_from_columns
from recrawl.frontier.kept import copies
from recrawl.frontier.kept.backoff import (
    GONE_WAIT,
    MOST_GONE_WAIT,
    MOST_PAGE_WAIT,
    MOST_RETRY_AFTER,
    PAGE_WAIT,
    wait_of,
)
from recrawl.frontier.kept.book import GONE, NEW
from recrawl.frontier.kept.copies import CHANGED, UNKNOWN
from recrawl.frontier.kept.leases import Lease
from recrawl.frontier.moving import move

if TYPE_CHECKING:
    from recrawl.frontier.state import State

FAILED, AWAY, MOVED = range(3, 6)
RESULTS = ("changed", "unchanged", "unknown", "failed", "gone", "moved")
_NOBODY = np.empty(0, dtype=np.int64)
_NO_DIGESTS = np.empty(0, dtype=np.uint64)
_FETCHED = UNKNOWN
"""Results up to this one made or compared a copy."""


def counted(results: NDArray[np.uint8]) -> dict[str, Any]:
    """How many there are of each result, none of them late."""
    counts = map(results.tobytes().count, range(len(RESULTS)))
    return {**dict(zip(RESULTS, counts, strict=True)), "late": 0}


def complete(state: "State", fact: Fact) -> dict[str, Any]:
    """Apply answers to leases that are live or late, no page twice."""
    columns = fact.columns
    tokens = columns["tokens"].tolist()
    some_late = state.leases.late > 0
    leases = state.leases.end_all(tokens)
    ids = np.fromiter((lease.page for lease in leases), dtype=np.int64, count=len(leases))
    state.touch(ids)
    late = np.array([lease.late for lease in leases]) if some_late else np.zeros(len(leases), dtype=np.bool_)
    results = columns["results"]
    counts = list(map(results.tobytes().count, range(len(RESULTS))))
    fetched = sum(counts[: _FETCHED + 1])
    again: list[int | None] = []
    if some_late and late.any():
        again = _release_relet(state, ids[late & ((results <= _FETCHED) | (results == MOVED))])
    if fetched:
        _fetched(state, fact, None if fetched == len(ids) else results <= _FETCHED, ids, late, leases)
    if fetched < len(ids):
        _not_fetched(state, fact, results, ids, late)
        for k in np.flatnonzero(results == MOVED).tolist():
            moved = move(state, int(ids[k]), bool(late[k]), texts_from_columns("moved_to", columns)[k])
            again = [moved if page == ids[k] else page for page in again]
    held = np.array([page for page in again if page is not None], dtype=np.int64) if again else _NOBODY
    if len(held):
        state.pairing.hold(held, state.now)
        _keep_signals_of_relet(state, held, {lease.page: lease for lease in leases})
    answer = {**dict(zip(RESULTS, counts, strict=True)), "late": int(late.sum()) if some_late else 0}
    for name, n in answer.items():
        state.count(name, n)
    return answer


def _release_relet(state: "State", ids: Ids) -> list[int | None]:
    """Pages of late answers that someone else has by now: let go of them while the answer is applied."""
    relet = [page for page in ids.tolist() if state.leases.token_of(page) is not None]
    if relet:
        state.pairing.failed(np.array(relet, dtype=np.int64), state.now)
    return list(relet)


def _fetched(
    state: "State",
    fact: Fact,
    which: NDArray[np.bool_] | None,
    ids: Ids,
    late: NDArray[np.bool_],
    leases: list[Lease],
) -> None:
    """Fetches that made or compared a copy: these rows of the fact, or all."""
    book, pairing = state.book, state.pairing
    columns = {name: fact.columns[name] for name in ("at", "results", "digests") if name in fact.columns}
    if which is not None:
        columns = {name: column[which] for name, column in columns.items()}
        ids, late = ids[which], late[which]
        leases = [lease for lease, yes in zip(leases, which.tolist(), strict=True) if yes]
    n, at, results = len(ids), columns["at"], columns["results"]
    counts = _matrix([lease.counts for lease in leases])
    hosts, alphas, elapsed, changed = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n), np.empty(n)
    judged = copies.look_back(
        book.host, pairing.learner.all_crawled, pairing.scheduler.rows[0], ALPHA, ids, results, at,
        hosts, alphas, elapsed, changed,
    )  # fmt: skip
    _judge_by_means(state, ids, hosts, state.neighbours.whole_drifts(ids, alphas))
    some_late = bool(late.any())
    for lease in leases if some_late else ():
        if lease.late:
            pairing.depart_late(lease.page, lease.heard)
    if len(pairing.muted):
        pairing.muted[ids] = False
    pairing.crawled_known(ids, changed, at, state.now, state.level.value)
    if some_late:
        _keep_signals(state, ids[late])
    if judged and len(state.sources):
        state.sources.judge(hosts, alphas, elapsed, counts, results == CHANGED)
    state.sources.restart(ids, counts)
    for page in ids[book.state[ids] == NEW].tolist() if len(state.firsts) else ():
        state.firsts.drop(page)
    copies.keep(
        book.state, book.failures, book.moves, book.fetches, book.changes, book.changed, book.fetched, book.digest,
        ids, results, at, columns.get("digests", _NO_DIGESTS),
    )  # fmt: skip
    if "validators" in fact.columns:
        _keep_validators(state, fact, which, ids)
    _praise_hosts(state, ids)


def _judge_by_means(state: "State", ids: Ids, hosts: Ids, alphas: Values) -> None:
    """Have the signals of pages whose host's sources are known judged beside unsignalled rates that predict.

    Those of the scheduler lean to slow change.  So signals are believed at first, where they might as well be chance;
    but in the long run they would be praised for changes that nobody signalled.
    """
    if len(state.sources) > 1 and (known := state.sources.known(hosts)).any():
        alphas[known] = state.pairing.learner.unsignalled_rates(ids[known])


def _keep_validators(state: "State", fact: Fact, which: NDArray[np.bool_] | None, ids: Ids) -> None:
    columns = fact.columns
    given = columns["validators_given"] != 0
    if which is None and given.all():
        state.validators.put_joined(ids, columns["validators"], columns["validators_ends"])
        return
    which = np.ones(len(given), dtype=np.bool_) if which is None else which
    texts = bytes_from_columns("validators", columns)
    state.validators.put(ids[given[which]], [texts[k] for k in np.flatnonzero(which & given).tolist()])


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
    if not copies.any_in_trouble(state.book.host, state.hosts.failures, state.hosts.probing, ids):
        return  # as is usual
    hosts = state.book.host[ids]
    blamed = hosts[(state.hosts.failures[hosts] > 0) | (state.hosts.probing[hosts] > 0)]
    for host in np.unique(blamed).tolist():
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
