"""What Prometheus is told, in its text format."""

import math
from collections.abc import Iterable, Iterator

from recrawl.frontier import Frontier

GAUGES = {
    "pages": "pages there are",
    "hosts": "hosts there are",
    "pages_new": "pages never fetched",
    "pages_gone": "pages that are gone",
    "leased": "pages leased now",
    "late_leases": "leases that have expired and may still be answered",
    "waiting_for_beliefs": "pages whose new estimates the engine has not been told yet",
}
"""What there is now; all else that the frontier counts only grows."""
COUNTERS = {
    "added": "pages that were new when they were added",
    "forgotten": "pages forgotten",
    "signals": "signals that count",
    "signals_dropped": "signals that weigh nothing: old, or repeated",
    "requests": "times that users asked for pages",
    "leases": "pages leased",
    "expired": "leases that ended without an answer",
    "late": "outcomes of leases that had expired",
    "outcomes": "fetches that compared two copies",
    "changed": "fetches that found a change",
    "unchanged": "fetches that found none",
    "unknown": "fetches that had nothing to compare with, such as first copies",
    "failed": "fetches that failed",
    "gone": "fetches that found the page gone",
    "moved": "fetches that found the page moved",
}
"""What has happened since the beginning; 0 where it never has."""


def exposition(frontier: Frontier, lag: float) -> str:
    """All metrics; `lag` is how long a call waited of late, at most.  O(sources), and a sample of pages: some 10 ms."""
    return "\n".join(_lines(frontier, lag)) + "\n"


def _lines(frontier: Frontier, lag: float) -> Iterator[str]:
    counted = dict.fromkeys(COUNTERS, 0) | frontier.statistics
    for name, value in counted.items():
        if name in GAUGES:
            yield from _metric(name, GAUGES[name], "gauge", [("", float(value))])
        else:
            what = COUNTERS.get(name, name.replace("_", " "))
            yield from _metric(f"{name}_total", f"{what}, since the beginning", "counter", [("", float(value))])
    wasted, seen = counted.get("unchanged", 0), counted.get("unchanged", 0) + counted.get("changed", 0)
    share = wasted / seen if seen else math.nan
    yield from _metric("waste", "share of all comparisons that found no change", "gauge", [("", share)])
    rate = frontier.rate
    limit = math.inf if rate is None else rate
    yield from _metric("rate_limit", "pages a second that may be leased", "gauge", [("", limit)])
    fresh = frontier.freshness()
    yield from _metric("freshness", "share of copies that are like their page, estimated", "gauge", [("", fresh.mean)])
    yield from _metric("freshness_weighted", "the same, by importance", "gauge", [("", fresh.weighted)])
    level = frontier.look(lambda state, _: float(state.level.value))
    yield from _metric("level", "crawl value of the pages that are leased now", "gauge", [("", level)])
    what = "seconds that a call waited for its answer, at most, in the last two minutes"
    yield from _metric("lag_seconds", what, "gauge", [("", lag)])
    yield from _sources(frontier)


def _sources(frontier: Frontier) -> Iterator[str]:
    sources = frontier.sources()
    for field, what, kind in (
        ("precision", "share of the signals that tell of a change", "gauge"),
        ("recall", "share of the changes that are signalled", "gauge"),
        ("latency", "seconds by which half of the signals are late", "gauge"),
        ("signals", "signals heard", "counter"),
    ):
        rows = [(f'{{source="{quoted(each.name)}"}}', float(getattr(each, field))) for each in sources]
        name = f"source_{field}_total" if kind == "counter" else f"source_{field}"
        yield from _metric(name, f"{what}, by source", kind, rows)


def _metric(name: str, what: str, kind: str, rows: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP recrawl_{name} {what}"
    yield f"# TYPE recrawl_{name} {kind}"
    for labels, value in rows:
        yield f"recrawl_{name}{labels} {number(value)}"


def number(value: float) -> str:
    """A number as Prometheus reads it.

    >>> number(2.0), number(float("inf")), number(float("nan"))
    ('2.0', '+Inf', 'NaN')
    """
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return "NaN" if math.isnan(value) else repr(value)


def quoted(text: str) -> str:
    r"""A label's value.

    >>> quoted('a"b\\c')
    'a\\"b\\\\c'
    """
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
