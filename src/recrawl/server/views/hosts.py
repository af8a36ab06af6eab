"""Hosts that lag or fail."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recrawl.frontier import Frontier
from recrawl.frontier.state import State
from recrawl.server.views.host_table import Sums
from recrawl.server.views.memory import tick
from recrawl.server.views.plain import choice_of, count_of, share

ORDERS = ("lag", "trouble", "pages")


def hosts(frontier: Frontier, params: Mapping[str, str]) -> dict[str, Any]:
    """The first `limit` hosts by `order`: those that cost most freshness, that are in most trouble, or the largest.

    `q` keeps hosts whose name contains it.
    """
    order = choice_of(params, "order", ORDERS)
    limit = count_of(params, "limit", 20, 200)
    sums = tick(frontier).hosts.sums(frontier)
    wanted = params.get("q", "").strip().lower()[:255]
    return frontier.look(lambda state, now: _table(state, now, sums, order, wanted, limit))


def _table(state: State, now: float, sums: Sums, order: str, wanted: str, limit: int) -> dict[str, Any]:
    known, table = len(sums.pages), state.hosts
    failures, paused = table.failures[:known].astype(np.int64), table.paused_until[:known] > now
    trouble = paused * 1e12 + (table.probing[:known] > 0) * 1e9 + failures * 1e6 + sums.failing
    chosen = np.flatnonzero(sums.pages + sums.new + sums.gone > 0)
    if wanted:
        chosen = chosen[[wanted in table.names[k] for k in chosen.tolist()]]
    if order == "trouble":
        chosen = chosen[trouble[chosen] > 0]
    keys = {"lag": sums.lost, "trouble": trouble, "pages": sums.pages}[order]
    found = chosen[np.argsort(-keys[chosen], kind="stable")][:limit]
    return {
        "order": order,
        "all": known,
        "matching": len(chosen),
        "paused": int(paused.sum()),
        "failing": int(((failures > 0) | (sums.failing > 0)).sum()),
        "hosts": [_row(state, now, sums, int(k)) for k in found],
    }


def _row(state: State, now: float, sums: Sums, host: int) -> dict[str, Any]:
    table, pages = state.hosts, int(sums.pages[host])
    ready, in_flight, _ = state.pairing.scheduler.host_state(host)
    until = float(table.paused_until[host])
    return {
        "name": table.names[host],
        "pages": pages,
        "new": int(sums.new[host]),
        "gone": int(sums.gone[host]),
        "failing": int(sums.failing[host]),
        "fresh": share(float(sums.fresh[host]), pages),
        "lost": share(float(sums.lost[host]), float(sums.lost.sum())),
        "in_flight": in_flight,
        "failures": int(table.failures[host]),
        "paused_until": until if until > now else None,
        "probing": bool(table.probing[host]),
        "ready_in": max(ready - now, 0.0) if ready > now else 0.0,
    }
