"""When crawls happen: one each time the bandwidth has added up to one more."""

import math
from collections.abc import Sequence

import numpy as np

from recrawl.arguments import above
from recrawl.errors import InputError
from recrawl.sim.events import Times

MOST_CRAWLS = 3e8
"""Above this a run is refused: some gigabytes, and most likely a trace in seconds since 1970."""

_SLACK = 1e-9
"""A whole number of crawls may add up to a hair less."""

Schedule = Sequence[tuple[float, float]]
"""(time, rate) pairs: from that time on, this rate."""


def permits(rate: float, horizon: float, bandwidth: Schedule | None = None) -> Times:
    """The times up to the horizon at which the integral of the rate is 1, 2, 3, ...

    >>> permits(2.0, 3.0, bandwidth=[(1.0, 4.0), (2.0, 0.5)]).tolist()
    [0.5, 1.0, 1.25, 1.5, 1.75, 2.0]
    """
    rate = above("rate", rate, 0.0, finite=True)
    steps = [(0.0, float(rate)), *_checked(bandwidth or ())]
    times = np.array([time for time, _ in steps] + [horizon])
    times = np.minimum(times, horizon)
    rates = np.array([each for _, each in steps])
    spent = np.concatenate(([0.0], np.cumsum(np.diff(times) * rates)))
    if spent[-1] > MOST_CRAWLS:
        raise InputError(
            f"horizon must leave at most {MOST_CRAWLS:.0e} crawls, got {spent[-1]:.2g} by {horizon:g}; time counts "
            "from 0, in the unit of the rates",
            argument="horizon",
        )
    wanted = np.arange(1.0, math.floor(spent[-1] + _SLACK) + 1.0)
    piece = np.searchsorted(spent, wanted - 2.0 * _SLACK, side="left") - 1
    found = times[piece] + (wanted - spent[piece]) / rates[piece]
    return np.asarray(np.minimum(found, times[piece + 1]))


def _checked(bandwidth: Schedule) -> list[tuple[float, float]]:
    try:
        steps = [(float(time), float(rate)) for time, rate in bandwidth]
    except (TypeError, ValueError):
        raise InputError(f"bandwidth must be (time, rate) pairs, got {bandwidth!r:.80}", argument="bandwidth") from None
    before = 0.0
    for time, rate in steps:
        if not before <= time < math.inf:
            raise InputError(f"bandwidth must have times >= 0 that rise, got {time} after {before}", "bandwidth")
        _check_rate("bandwidth", rate, rate >= 0.0)
        before = time
    return steps


def _check_rate(name: str, rate: float, good: bool) -> None:
    if not good or rate == math.inf:
        rule = "finite and > 0" if name == "rate" else "of finite rates >= 0"
        raise InputError(f"{name} must be {rule}, got {rate}", argument=name)
