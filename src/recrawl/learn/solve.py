"""Which parameters the outcomes determine, which run off to infinity, and the maximum for the rest.

The likelihood grows without end in a parameter exactly when no unchanged interval bears on it (always changed, or never
a false signal): its estimate is inf.  It is flat where two parameters explain the same intervals: they cannot be told
apart.  Everything else has one finite maximum.
"""

from dataclasses import dataclass

import numpy as np

from recrawl.learn.likelihood import Array, Flags, maximise
from recrawl.learn.outcomes import Outcomes

_FLAT = 1e-10
"""Features this nearly proportional (squared sine of the angle) count as proportional: rounding could do it."""

CERTAIN = 40.0
"""1 - e^-40 is 1 in float64, so a staleness of 40 is as good as infinite."""


@dataclass(frozen=True)
class Solution:
    """Maximum of the likelihood; where a parameter is not `determined`, its value is one of many as good."""

    theta: Array
    determined: Flags
    log_likelihood: float
    converged: bool


def solve(data: Outcomes) -> Solution:
    """Maximise over alpha, kappa >= 0."""
    p = data.features.shape[1]
    rows, weights, linear = data.rows, data.row_weights, data.linear
    exposed = (data.features > 0.0).any(axis=0) if len(data.features) else np.zeros(p, dtype=bool)
    runaway = exposed & (linear == 0.0)
    theta = np.where(runaway, np.inf, 0.0)
    determined = exposed & ~runaway | _needed(rows, runaway)

    rest = ~(rows[:, runaway] > 0.0).any(axis=1)
    rows, weights = np.ascontiguousarray(rows[rest]), weights[rest]
    moving = exposed & ~runaway & (rows > 0.0).any(axis=0)
    if moving.any():
        determined &= ~_flat(rows, linear, moving)
    none = np.zeros(p)
    start = np.where(moving, _start(rows, weights, linear), 0.0)
    value, converged = maximise(start, ~moving, rows, weights, np.where(moving, linear, 0.0), none, none)
    theta[moving] = start[moving]
    return Solution(theta, determined, value if len(data.features) else 0.0, converged)


def _needed(rows: Array, runaway: Flags) -> Flags:
    """Parameters that alone explain some changed interval; one with another beside it might be anything."""
    needed = np.zeros_like(runaway)
    alone = (rows[:, runaway] > 0.0).sum(axis=1) == 1
    needed[runaway] = (rows[alone][:, runaway] > 0.0).any(axis=0)
    return needed


def _flat(rows: Array, linear: Array, moving: Flags) -> Flags:
    """Parameters with a direction in which neither the changed intervals nor the unchanged ones move."""
    seen = np.vstack((rows, linear))[:, moving]
    seen = seen / np.sqrt((seen**2).sum(axis=0))
    spread, axes = np.linalg.eigh(seen.T @ seen)
    flat = np.zeros_like(moving)
    flat[moving] = (np.abs(axes[:, spread < _FLAT * spread[-1]]) > 1e-6).any(axis=1)
    return flat


def _start(rows: Array, weights: Array, linear: Array) -> Array:
    """Each parameter as if it alone explained its share of the changes."""
    exposure = linear + weights @ rows
    share = weights.sum() / rows.shape[1]
    start: Array = np.divide(share, exposure, out=np.zeros_like(exposure), where=exposure > 0.0)
    return start
