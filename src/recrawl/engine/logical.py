"""All that decisions depend on, as plain columns: for journals and snapshots that outlive the engine's own structure.

`snapshot.py` keeps the arrays as they are, to go on in the very same way.  These columns are fewer, mean the same in
every version, and can be read a range of pages at a time, between other calls.  A scheduler made from them decides
exactly as the one they were read from.

Pages: `alpha`, `kappa`, `gamma`, `mu` as the policy sees them; `crawled`, the time of the last crawl; `jumps`, what
signals have added to the staleness; `host` (-1: none); `max_age`; `state`, one of OFFERED, HELD (leased), PUT_OFF and
REMOVED; `held`, what signals have added since the lease, or until when a page is put off; and `aside`, a hint: whether
the page waits where the others of its host do.

Beside the pages: `host_gap`, `host_ready`, `host_most` by host, `free`, the ids of removed pages in the order in which
they are used again, `now`, and two hints, `level` and `host_level`.  A wrong hint costs looks, never a decision.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import Ids, Values, finite_time, labels, numbers, whole_number
from recrawl.engine import growth
from recrawl.engine.beliefs import MOST_VALUE, Beliefs
from recrawl.engine.core.checks import fill_columns
from recrawl.engine.core.layout import (
    GAP,
    LAST,
    LEVEL,
    LOWEST,
    MOST_IN_FLIGHT,
    NOW,
    ORIGIN,
    PAGES,
    QUANTUM,
    READY,
    SCALE,
    SIZE,
    Core,
    empty_core,
)
from recrawl.engine.core.logical import HELD, OFFERED, PUT_OFF, REMOVED, place_pages, read_free, read_pages, write_pages
from recrawl.engine.core.places import MOST_HOSTS
from recrawl.engine.core.tables import no_tables
from recrawl.errors import InputError
from recrawl.policies import ValuePolicy

if TYPE_CHECKING:
    from recrawl.engine.scheduler import Scheduler

__all__ = ["HELD", "OFFERED", "PUT_OFF", "REMOVED", "beside_pages", "of_ids", "of_pages", "rebuilt"]

S = TypeVar("S", bound="Scheduler")
Columns = dict[str, NDArray[Any]]

_NUMBERS = ("alpha", "kappa", "gamma", "mu", "crawled", "jumps", "held")
_NOT_BELOW_0 = ("alpha", "kappa", "gamma", "mu", "jumps")
_FINITE = ("alpha", "mu", "crawled")


def of_pages(scheduler: "Scheduler", start: int, stop: int | None) -> Columns:
    """Copies of the columns of the pages from `start` up to `stop`."""
    known = int(scheduler._core.rest[PAGES])
    start = min(whole_number("start", start, 0), known)
    stop = known if stop is None else min(whole_number("stop", stop, start), known)
    return of_ids(scheduler, np.arange(start, stop))


def of_ids(scheduler: "Scheduler", ids: Ids) -> Columns:
    """Copies of the columns of these pages; their ids may be those of removed ones."""
    _refuse_what_has_no_columns(scheduler)
    core, count = scheduler._core, len(ids)
    rows, host = np.empty((len(_NUMBERS), count)), np.empty(count, dtype=np.int64)
    state, aside = np.empty(count, dtype=np.uint8), np.empty(count, dtype=np.uint8)
    read_pages(core, ids, rows, host, state, aside)
    max_age = core.max_age[ids] if len(core.max_age) else np.full(count, np.inf)
    max_age[state == REMOVED] = np.inf
    found = dict(zip(_NUMBERS, rows, strict=True))
    return {**found, "host": host.astype(np.int32), "max_age": max_age, "state": state, "aside": aside}


def beside_pages(scheduler: "Scheduler") -> Columns:
    """Copies of what is not kept by page."""
    _refuse_what_has_no_columns(scheduler)
    core = scheduler._core
    free = np.empty(int(core.rest[PAGES]) - int(core.pool_links[:, SIZE].sum()), dtype=np.int64)
    read_free(core, free)
    return {
        "host_gap": core.pool_numbers[1:, GAP].copy(),
        "host_ready": core.pool_numbers[1:, READY].copy(),
        "host_most": core.pool_links[1:, MOST_IN_FLIGHT].astype(np.int64),
        "host_level": core.pool_numbers[1:, LEVEL].copy(),
        "free": free,
        "now": core.pool_numbers[0, NOW : NOW + 1].copy(),
        "level": core.pool_numbers[0, LEVEL : LEVEL + 1].copy(),
    }


def rebuilt(columns: Mapping[str, ArrayLike], policy: str | ValuePolicy, cls: type[S]) -> S:
    """A scheduler of that class from all columns."""
    beliefs = Beliefs(policy)
    rows, host, state, aside = _checked_pages(columns)
    pages, hosts = len(host), np.size(_given(columns, "host_gap"))
    ages = _numbers(columns, "max_age", pages)
    if not np.all(ages > 0.0):
        raise InputError("max_age must be > 0 for each page", argument="max_age")
    aged = bool(np.any(ages < np.inf))
    now = finite_time(float(_numbers(columns, "now", 1)[0]))
    core = empty_core(max(pages, 16), hosts + 1, beliefs.terms, now, aged, no_tables())
    if aged:
        core.max_age[:pages] = ages
    _set_pools(core, columns, hosts)
    if pages and host.max() >= hosts:
        raise InputError(f"host must be below {hosts}, the number of hosts, got {host.max()}", argument="host")
    free = _checked_free(_given(columns, "free"), state)
    write_pages(core, rows, host, state, aside)
    core.pool_numbers[0, [ORIGIN, QUANTUM]] = now, growth.tick_length(core) if pages else 1.0
    place_pages(core, state, free)
    return cls._of(beliefs, core)


def _refuse_what_has_no_columns(scheduler: "Scheduler") -> None:
    """What only some callers use is not in the columns; leaving it out in silence would change decisions."""
    used = {
        "discard": len(scheduler._discard) > 0,
        "source_discard": bool(np.any(scheduler._source_discard > 0.0)),
        "sources": scheduler._beliefs.several_sources or scheduler._beliefs.classes is not None,
        "latency": scheduler._core.tables.shape[0] > 0,
    }
    for name, there in used.items():
        if there:
            raise InputError(f"{name} must be left out of a scheduler that is read as columns; use save", argument=name)


def _given(columns: Mapping[str, ArrayLike], name: str) -> ArrayLike:
    if name not in columns:
        raise InputError(f"columns must hold {name}", argument=name)
    return columns[name]


def _numbers(columns: Mapping[str, ArrayLike], name: str, count: int) -> Values:
    given = numbers(name, _given(columns, name))
    if given.shape != (count,):
        raise InputError(f"{name} must be {count} numbers, got shape {given.shape}", argument=name)
    return given


def _checked_pages(columns: Mapping[str, ArrayLike]) -> tuple[Values, Ids, NDArray[np.uint8], NDArray[np.uint8]]:
    """Numbers, hosts, states and who is aside, one column a page each."""
    state = np.ascontiguousarray(_given(columns, "state"), dtype=np.uint8).copy()
    if state.ndim != 1 or np.any(state > REMOVED):
        raise InputError(f"state must be one of {OFFERED} to {REMOVED} for each page", argument="state")
    rows = np.empty((len(_NUMBERS), len(state)))
    for k, name in enumerate(_NUMBERS):
        rows[k] = _numbers(columns, name, len(state))
        least = 0.0 if name in _NOT_BELOW_0 else -np.inf
        if not np.all(rows[k] >= least) or (name in _FINITE and not np.all(rows[k] < np.inf)):
            raise InputError(f"{name} must be finite and, but for times, >= 0", argument=name)
    bad = fill_columns(rows[0], rows[1], rows[2], rows[3], MOST_VALUE, np.empty((4, len(state))))
    if bad >= 0:
        raise InputError(f"mu must be at most {MOST_VALUE:g} times the change rate, not so in row {bad}", argument="mu")
    host: Ids = labels("host", _given(columns, "host"), len(state), np.int64, MOST_HOSTS - 1)
    aside = np.ascontiguousarray(_given(columns, "aside"), dtype=np.uint8).copy()
    if aside.shape != state.shape:
        raise InputError("aside must be one for each page", argument="aside")
    return rows, host, state, aside


def _checked_free(given: ArrayLike, state: NDArray[np.uint8]) -> Ids:
    """The free ids, which must be those of all removed pages."""
    free = np.array(given, dtype=np.int64)
    removed = np.flatnonzero(state == REMOVED)
    if free.ndim != 1 or not np.array_equal(np.sort(free), removed):
        raise InputError("free must be the ids of the removed pages, each once", argument="free")
    return free


def _set_pools(core: Core, columns: Mapping[str, ArrayLike], hosts: int) -> None:
    """Limits of hosts, and levels, which tell pages where to lie down."""
    gap, most = _numbers(columns, "host_gap", hosts), _numbers(columns, "host_most", hosts)
    ready = _numbers(columns, "host_ready", hosts)
    level, levels = _numbers(columns, "level", 1), _numbers(columns, "host_level", hosts)
    if not np.all(gap >= 0.0) or not np.all(most >= 1.0) or np.any(np.isnan(ready)):
        raise InputError("host_gap must be >= 0, host_most >= 1 and host_ready a time for each host", "host_gap")
    if not np.all((level >= 0.0) & (level < np.inf)) or not np.all((levels >= 0.0) & (levels < np.inf)):
        raise InputError("level and host_level must be finite and >= 0", argument="level")
    core.pool_numbers[1:, GAP], core.pool_numbers[1:, READY] = gap, ready
    core.pool_links[1:, MOST_IN_FLIGHT] = np.minimum(most, np.iinfo(np.int32).max).astype(np.int32)
    for column in (LEVEL, LAST, LOWEST):
        core.pool_numbers[0, column], core.pool_numbers[1:, column] = level[0], levels
    if level[0] > 0.0:
        core.pool_numbers[0, SCALE] = 1.0 / level[0]
