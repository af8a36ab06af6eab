"""Freshness against bandwidth, with where the frontier is."""

from collections.abc import Mapping
from typing import Any

from recrawl.frontier import Frontier
from recrawl.server.views.memory import tick
from recrawl.server.views.plain import numbers


def curve(frontier: Frontier, _: Mapping[str, str]) -> dict[str, Any]:
    """The best freshness at rates around the present one; `ready` is false until it has been computed."""
    memory = tick(frontier)
    found = memory.reference
    if found is None:
        return {"ready": False, "computing": memory.computing, "reason": _reason(frontier, memory.rate(frontier))}
    last = memory.samples.last
    return {
        "ready": True,
        "computing": memory.computing,
        "time": found.time,
        "rates": numbers(found.rates),
        "with_signals": numbers(found.with_signals),
        "without_signals": numbers(found.without_signals),
        "equal_intervals": numbers(found.equal),
        "here": {"rate": found.rate, "fresh": last.fresh if last is not None else found.now},
        "sampled": found.sampled,
        "pages": found.pages,
    }


def _reason(frontier: Frontier, rate: float | None) -> str:
    if not len(frontier):
        return "no pages"
    return "no rate" if rate is None else "soon"
