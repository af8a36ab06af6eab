"""Freshness, bandwidth, waste and signals over time."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from recrawl.frontier import Frontier
from recrawl.server.views.memory import tick
from recrawl.server.views.plain import choice_of, number, share
from recrawl.server.views.samples import Sample

SPANS = {"hour": 3600.0, "day": 86400.0, "week": 7 * 86400.0, "quarter": 90 * 86400.0}
MOST_POINTS = 400
SMOOTH = 24.0
"""Waste is that of a stretch this part of the span long: of a few fetches it would jump up and down."""
FIELDS = ("time", "fresh", "of_copies", "with_signals", "without_signals", "equal")


def series(frontier: Frontier, params: Mapping[str, str]) -> dict[str, Any]:
    """Columns over the last `span` (hour, day, week or quarter), the oldest first.

    Counts are of the time since the point before, as pages a second; at the first point there are none.
    """
    span = choice_of(params, "span", SPANS)
    memory = tick(frontier)
    last = memory.samples.last
    assert last is not None
    some = _thinned(memory.samples.since(last.time - SPANS[span]))
    columns: dict[str, list[float | None]] = {
        name: [number(getattr(sample, name)) for sample in some] for name in FIELDS
    }
    columns["budget"] = [number(sample.budget) for sample in some]
    steps = [_step(before, after) for before, after in pairwise(some)]
    for name in ("crawls", "failed", "signals"):
        columns[name] = [None, *(step[name] for step in steps)]
    columns["waste"] = _waste(some, SPANS[span] / SMOOTH)
    return {"span": span, "seconds": SPANS[span], "now": last.time, **columns}


def _thinned(samples: list[Sample]) -> list[Sample]:
    """Every so many of them, the newest included."""
    every = -(-len(samples) // MOST_POINTS)
    return samples[::-1][::every][::-1] if samples else []


def _waste(samples: list[Sample], seconds: float) -> list[float | None]:
    """The share of fetches that found nothing, of so many seconds up to each sample."""
    found: list[float | None] = []
    first = 0
    for sample in samples:
        while first < len(samples) - 1 and samples[first + 1].time <= sample.time - seconds:
            first += 1
        changed = sample.changed - samples[first].changed
        unchanged = sample.unchanged - samples[first].unchanged
        found.append(share(unchanged, changed + unchanged))
    return found


def _step(before: Sample, after: Sample) -> dict[str, float]:
    seconds = max(after.time - before.time, 1e-9)
    return {
        "crawls": (after.leases - before.leases) / seconds,
        "failed": (after.failed - before.failed) / seconds,
        "signals": (after.signals - before.signals) / seconds,
    }
