"""Which parameters the outcomes determine, which run off to infinity, and the maximum for the rest.

The likelihood grows without end in a parameter exactly when no unchanged interval bears on it (always changed, or never
a false signal): its estimate is inf.  It is flat where two parameters explain the same intervals: they cannot be told
apart.  Everything else has one finite maximum.
"""

from dataclasses import dataclass

import numpy as np

from recrawl.learn.fit.likelihood import Array, Flags, maximise
from recrawl.learn.outcomes import Outcomes

_FLAT = 1e-10
"""Features this nearly proportional (squared sine of the angle) count as proportional: rounding could do it."""

CERTAIN = 40.0
"""1 - e^-40 is 1 in float64, so a staleness of 40 is as good as infinite."""


@dataclass(frozen=True)
class Solution:
    """Maximum of the likelihood; where a parameter is not determined, its value is one of many as good.

    `unknown` says why, for each parameter; it is empty where the parameter is determined.
    """

    theta: Array
    unknown: tuple[str, ...]
    log_likelihood: float
    converged: bool

    @property
    def determined(self) -> Flags:
        """Which parameters have one best value."""
        return np.array([not why for why in self.unknown])


def solve(data: Outcomes) -> Solution:
    """Maximise over alpha, kappa >= 0."""
    scaled, units, heavy = data.scaled()
    p = len(units)
    rows, weights, linear = scaled.rows, scaled.row_weights, scaled.linear
    exposed: Flags = np.asarray((scaled.features > 0.0).any(axis=0))
    runaway = exposed & (linear == 0.0)
    theta = np.where(runaway, np.inf, 0.0)
    needed = _needed(rows, runaway)

    rest = ~(rows[:, runaway] > 0.0).any(axis=1)
    rows, weights = np.ascontiguousarray(rows[rest]), weights[rest]
    moving = exposed & ~runaway & (rows > 0.0).any(axis=0)
    unknown = _unexposed(exposed) | _unneeded(runaway, needed) | _flat(rows, linear, moving)
    none = np.zeros(p)
    start = np.where(moving, _start(rows, weights, linear), 0.0)
    value, converged = maximise(start, ~moving, rows, weights, np.where(moving, linear, 0.0), none, none)
    theta[moving] = start[moving]
    with np.errstate(over="ignore"):
        theta = theta / units
    reasons = tuple(unknown.get(i, "") for i in range(p))
    return Solution(theta, reasons, value * heavy if len(data.features) else 0.0, converged)


def _needed(rows: Array, runaway: Flags) -> Flags:
    """Parameters that alone explain some changed interval; one with another beside it might be anything."""
    needed = np.zeros_like(runaway)
    alone = (rows[:, runaway] > 0.0).sum(axis=1) == 1
    needed[runaway] = (rows[alone][:, runaway] > 0.0).any(axis=0)
    return needed


def _unexposed(exposed: Flags) -> dict[int, str]:
    """Why parameters that no interval bears on cannot be told."""
    if not exposed[0]:
        return dict.fromkeys(range(len(exposed)), "there is no interval with a known outcome")
    if not exposed[1:].any():
        return dict.fromkeys(range(1, len(exposed)), "no interval had a signal")
    return {int(i): f"no interval had a signal of source {i - 1}" for i in np.flatnonzero(~exposed)}


def _unneeded(runaway: Flags, needed: Flags) -> dict[int, str]:
    """Why parameters cannot be told where only changed intervals bear on them, and another explains each of those."""
    if runaway[0]:
        why = "every interval changed, so time and signals explain it equally well"
    else:
        why = "every interval with signals of some sources changed, and they came together, so either explains it"
    return {int(i): why for i in np.flatnonzero(runaway & ~needed)}


def _flat(rows: Array, linear: Array, moving: Flags) -> dict[int, str]:
    """Why parameters with a direction in which neither changed nor unchanged intervals move cannot be told."""
    if not moving.any():
        return {}
    of = np.flatnonzero(moving)
    rows, linear = rows[:, of], linear[of]
    loose = _unmoved(np.vstack((rows, linear * (rows.max() / linear.max()))))
    found = {}
    for i, row in zip(of, loose, strict=True):
        partners = of[np.abs(row) > 1e-6]
        if len(partners):
            sources = " and ".join(str(k - 1) for k in partners)
            what = "signals go with elapsed time" if partners[0] == 0 else f"signals of sources {sources} go together"
            found[int(i)] = f"{what}, so their parts cannot be told apart"
    return found


def _unmoved(seen: Array) -> Array:
    """Projection onto what is at right angles to all rows.

    Only directions count, so that neither weights nor the number of intervals can drown the one that tells parameters
    apart: axes are picked one by one, each time that of the row furthest from those before.
    """
    left = seen / seen.max(axis=0)
    left /= left.max(axis=1, keepdims=True)
    left /= np.sqrt((left**2).sum(axis=1, keepdims=True))
    loose = np.eye(left.shape[1])
    for _ in range(left.shape[1]):
        sizes = (left**2).sum(axis=1)
        furthest = int(np.argmax(sizes))
        if sizes[furthest] <= _FLAT:
            break
        axis = left[furthest] / np.sqrt(sizes[furthest])
        left = left - np.outer(left @ axis, axis)
        loose = loose - np.outer(axis, axis)
    return loose


def _start(rows: Array, weights: Array, linear: Array) -> Array:
    """Each parameter as if it alone explained its share of the changes; beyond certainty all is as good as flat."""
    exposure = linear + weights @ rows
    share = weights.sum() / rows.shape[1]
    start: Array = np.divide(share, exposure, out=np.zeros_like(exposure), where=exposure > 0.0)
    return np.asarray(np.minimum(start, CERTAIN))
