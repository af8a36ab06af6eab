"""A recorded stretch of time through the engine in one call: the same kernels in the same order, without the calls.

A simulation asks for one page at each of a hundred thousand moments, and the engine decides faster than Python calls
it.  Nothing here knows about pages: each step is what `Scheduler.signal` and `Scheduler.take(1)` do.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from recrawl._jit import jit
from recrawl.engine.actions import signal, take, take_polite
from recrawl.engine.best import Ids, Values
from recrawl.engine.layout import NOW, Core
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.engine.scheduler import Scheduler


@jit
def _hear(
    core: Core, k: int, until: float, times: Values, ids: Ids, weights: Values, discard: Values, window: float
) -> int:
    """Pass on the signals from the k-th on that came by `until`; the number of the first that did not."""
    one = np.empty(1, dtype=np.int64)  # a slice for each signal would cost as much as the signal
    own = np.empty(min(1, len(weights)))
    while k < len(times) and times[k] <= until:
        one[0] = ids[k]
        if len(weights) > 0:
            own[0] = weights[k]
        signal(core, one, own, discard, window, core.pool_numbers[0, NOW], times[k])
        k += 1
    return k


@jit
def _replay(
    core: Core, moments: Values, times: Values, ids: Ids, weights: Values, discard: Values, window: float, out: Ids
) -> None:
    k = 0
    for t in range(len(moments)):
        k = _hear(core, k, moments[t], times, ids, weights, discard, window)
        if take(core, moments[t], 1, out[t : t + 1]) == 0:
            out[t] = -1


@jit
def _replay_polite(
    core: Core, moments: Values, times: Values, ids: Ids, weights: Values, discard: Values, window: float, out: Ids
) -> None:
    k = 0
    for t in range(len(moments)):
        k = _hear(core, k, moments[t], times, ids, weights, discard, window)
        if take_polite(core, moments[t], 1, out[t : t + 1]) == 0:
            out[t] = -1


def replay(scheduler: "Scheduler", times: ArrayLike, signal_times: ArrayLike, signal_ids: ArrayLike) -> Ids:
    """See `Scheduler.replay`."""
    core = scheduler._core
    moments = _rising("times", times)
    heard = _rising("signal_times", signal_times)
    ids = scheduler._ids(signal_ids)
    if len(ids) != len(heard):
        raise InputError(
            f"signal_ids must be as many as signal_times, got {len(ids)} and {len(heard)}", argument="signal_ids"
        )
    now = float(core.pool_numbers[0, NOW])
    if len(moments) and moments[0] < now:
        raise InputError(f"times must not begin before {now}, the time of the last call", argument="times")
    weights = np.empty(0)
    if scheduler._beliefs.several_sources:
        weights = scheduler._beliefs.weights(core.numbers, scheduler._weights, ids, 0, None)
    out = np.empty(len(moments), dtype=np.int64)
    run = _replay if core.pool_links.shape[0] == 1 else _replay_polite
    run(core, moments, heard, ids, weights, scheduler._discard, float(scheduler._source_discard[0]), out)
    return out


def _rising(name: str, values: ArrayLike) -> Values:
    given = np.ascontiguousarray(values, dtype=np.float64)
    if given.ndim != 1 or not np.isfinite(given).all() or np.any(given[1:] < given[:-1]):
        raise InputError(f"{name} must be finite times that do not go back", argument=name)
    return given
