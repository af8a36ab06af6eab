"""The dashboard's first lines: how fresh the copies are, what is spent, what it brings."""

from collections.abc import Mapping
from typing import Any

from recrawl import __version__
from recrawl.frontier import Frontier
from recrawl.frontier.state import State
from recrawl.server.views.memory import Memory, tick
from recrawl.server.views.plain import number, share
from recrawl.server.views.samples import Sample

HOUR = 3600.0


def overview(frontier: Frontier, _: Mapping[str, str]) -> dict[str, Any]:
    """Everything in one look: counts of pages, freshness now, bandwidth and waste of the last hour."""
    memory = tick(frontier)
    statistics = frontier.statistics
    state: dict[str, Any] = frontier.look(_state)
    last = memory.samples.last
    assert last is not None
    best = memory.reference.here if memory.reference is not None else (None, None, None)
    return {
        **state,
        "version": __version__,
        "pages": {
            "all": statistics["pages"],
            "new": statistics["pages_new"],
            "gone": statistics["pages_gone"],
            "hosts": statistics["hosts"],
        },
        "fresh": {
            "now": number(last.fresh),
            "all_alike": number(last.mean),
            "error": number(last.error),
            "of_copies": number(last.of_copies),
            "best_with_signals": best[0],
            "best_without_signals": best[1],
            "equal_intervals": best[2],
        },
        "rate": {"budget": frontier.rate, "used": number(memory.used_rate())},
        "last_hour": _since(memory, last, last.time - HOUR),
        "ever": {name: statistics.get(name, 0) for name in _COUNTED} | {"signals": statistics.get("signals", 0)},
        "leases": {"live": statistics["leased"], "late": statistics["late_leases"]},
        "watched_since": memory.events.begun,
        "trouble": memory.events.trouble or None,
        "notes": frontier.notes[-5:],
    }


_COUNTED = ("leases", "changed", "unchanged", "unknown", "failed", "gone", "moved", "expired")


def _state(state: State, now: float) -> dict[str, Any]:
    return {"now": now, "begun": state.begun, "paused_hosts": int((state.hosts.paused_until > now).sum())}


def _since(memory: Memory, last: Sample, begin: float) -> dict[str, Any]:
    """What was done since then, as far as is remembered."""
    first = memory.samples.before(begin) or last
    done = {
        name: getattr(last, name) - getattr(first, name)
        for name in ("leases", "changed", "unchanged", "unknown", "failed", "gone", "signals", "dropped")
    }
    return {
        "seconds": last.time - first.time,
        **done,
        "waste": share(done["unchanged"], done["changed"] + done["unchanged"]),
        "failing": share(done["failed"], sum(done[name] for name in _ANSWERED)),
    }


_ANSWERED = ("changed", "unchanged", "unknown", "failed", "gone")
