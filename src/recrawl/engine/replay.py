"""A recorded stretch of time through the engine in one call: the same kernels in the same order, without the calls.

A simulation asks for one page at each of a hundred thousand moments, and the engine decides faster than Python calls
it.  Nothing here knows about pages: each step is what `Scheduler.signal` and `Scheduler.take(1)` do.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recrawl._jit import jit
from recrawl.engine.core import coincidence
from recrawl.engine.core.actions import signal, take
from recrawl.engine.core.layout import NOW, Core, Ids, Values
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.engine.scheduler import Scheduler


class Heard(NamedTuple):
    """Signals in order of time, and what is needed to weigh them."""

    times: Values
    ids: Ids
    sources: Ids
    weights: Values  # one a signal, or none: the pages' own
    by_class: bool
    last: Values  # of pages with classes: time and source of the last signal (coincidence.py)
    together: float
    discard: Values
    windows: Values


@jit
def _hear(core: Core, k: int, until: float, heard: Heard) -> int:
    """Pass on the signals from the k-th on that came by `until`; the number of the first that did not."""
    one = np.empty(1, dtype=np.int64)  # a slice for each signal would cost as much as the signal
    of = np.empty(1, dtype=np.int64)
    own, as_it_is = np.empty(min(1, len(heard.weights))), np.empty(0)
    while k < len(heard.times) and heard.times[k] <= until:
        one[0], of[0] = heard.ids[k], heard.sources[k]
        if len(heard.weights) > 0:
            own[0] = heard.weights[k]
        time = heard.times[k]
        now = core.pool_numbers[0, NOW]
        window = heard.windows[of[0]] if len(heard.windows) > 1 else heard.windows[0]
        if heard.by_class:
            coincidence.signal(core, one, of, heard.last, heard.together, heard.discard, window, now, time)
        else:
            signal(core, one, own, as_it_is, True, heard.discard, window, now, time)
        k += 1
    return k


@jit
def _replay(core: Core, moments: Values, heard: Heard, out: Ids) -> None:
    k = 0
    for t in range(len(moments)):
        k = _hear(core, k, moments[t], heard)
        if take(core, moments[t], 1, out[t : t + 1]) == 0:
            out[t] = -1


def replay(
    scheduler: "Scheduler",
    times: ArrayLike,
    signal_times: ArrayLike,
    signal_ids: ArrayLike,
    signal_sources: ArrayLike = 0,
) -> Ids:
    """See `Scheduler.replay`."""
    core = scheduler._core
    moments = _rising("times", times)
    heard = _heard(scheduler, signal_times, signal_ids, signal_sources)
    now = float(core.pool_numbers[0, NOW])
    if len(moments) and moments[0] < now:
        raise InputError(f"times must not begin before {now}, the time of the last call", argument="times")
    out = np.empty(len(moments), dtype=np.int64)
    _replay(core, moments, heard, out)
    return out


def _heard(scheduler: "Scheduler", times: ArrayLike, pages: ArrayLike, sources: ArrayLike) -> Heard:
    arrivals, ids, beliefs = _rising("signal_times", times), scheduler._ids(pages), scheduler._beliefs
    if len(ids) != len(arrivals):
        raise InputError(
            f"signal_ids must be as many as signal_times, got {len(ids)} and {len(arrivals)}", argument="signal_ids"
        )
    given = np.asarray(sources)
    if given.shape not in ((), ids.shape):
        raise InputError(f"signal_sources must be one or {len(ids)}, got shape {given.shape}", "signal_sources")
    of = np.array(np.broadcast_to(given, ids.shape), dtype=np.int64)
    for source in (of.min(initial=0), of.max(initial=0)):
        scheduler._check_source(int(source))
    weights = np.empty(0)
    if beliefs.several_sources:
        weights = beliefs.weights(scheduler._core.numbers, scheduler._weights, ids, of, None)
    return Heard(
        arrivals,
        ids,
        of,
        weights,
        beliefs.classes is not None,
        scheduler._heard,
        float(scheduler._coincidence),
        scheduler._discard,
        scheduler._source_discard,
    )


def _rising(name: str, values: ArrayLike) -> Values:
    given = np.ascontiguousarray(values, dtype=np.float64)
    if given.ndim != 1 or not np.isfinite(given).all() or np.any(given[1:] < given[:-1]):
        raise InputError(f"{name} must be finite times that do not go back", argument=name)
    return given
