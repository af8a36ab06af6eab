"""Predicted against observed change: whether the chances shown here can be trusted."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recrawl.frontier import Frontier
from recrawl.learn.pages.calibration import binned
from recrawl.server.views.memory import tick

BINS = 10
A_BIN = 20
"""Predictions for a bin, at least: with fewer there are fewer bins."""


def calibration(frontier: Frontier, _: Mapping[str, str]) -> dict[str, Any]:
    """Bins of about as many predictions each: mean prediction, share that had changed, its 95% interval, and count."""
    events = tick(frontier).events
    chance, changed, times = frontier.look(
        lambda *_: tuple(column[: len(events.predicted)].copy() for column in events.predicted.columns.values())
    )
    answer: dict[str, Any] = {"predictions": len(chance), "ever": events.predicted.total, "since": None, "bins": []}
    bins = min(BINS, len(chance) // A_BIN)
    if not bins:
        return answer
    found = binned(chance.astype(np.float64), changed.astype(np.float64), bins)
    names = ("predicted", "observed", "low", "high", "count")
    rows = zip(*(column.tolist() for column in found), strict=True)
    answer["bins"] = [dict(zip(names, row, strict=True)) for row in rows]
    return answer | {
        "since": float(times.min()),
        "predicted": float(chance.mean(dtype=np.float64)),
        "observed": float(changed.mean()),
    }
