"""Sources of signals: what was learned of them."""

from collections.abc import Mapping
from typing import Any

from recrawl.errors import InputError
from recrawl.frontier import Frontier
from recrawl.server.views.memory import tick
from recrawl.server.views.plain import number


def sources(frontier: Frontier, params: Mapping[str, str]) -> dict[str, Any]:
    """Precision, recall and latency of each source, on all hosts or on `host`; an unknown host has none."""
    tick(frontier)
    host = params.get("host") or None
    try:
        found = frontier.sources(host)
    except InputError:
        found = []
    return {
        "host": host,
        "sources": [
            {
                "name": source.name,
                "signals": source.signals,
                "judged": source.judged,
                "precision": number(source.precision) if source.judged else None,
                "recall": number(source.recall),
                "latency": number(source.latency),
            }
            for source in sorted(found, key=lambda source: -source.signals)
        ],
    }
