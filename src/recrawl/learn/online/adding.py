"""Room for more pages, hosts and kinds in the learner's memory, and when and from which pages it begins."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import Ids, column, counts, labels
from recrawl.learn.hints import Hints
from recrawl.learn.online.importance import keep_mean_of_more, mean_importance, request_scale, scale_back
from recrawl.learn.online.layout import (
    ADRIFT,
    BEGAN,
    CLOCK,
    CLOCK_BEFORE,
    HOST_COUNT,
    KIND_ROOM,
    MOST_LOOKS,
    PACE,
    PAGE_COUNT,
    PAGES,
    PER_PAGE,
    REGIME,
    REQUEST_TIME,
    REQUESTS,
    REQUESTS_FROM,
    TIME,
    TYPES,
    Memory,
)
from recrawl.learn.online.sampling import sample_size
from recrawl.roomy import longer, zeros


def grown(memory: Memory, pages: int, hosts: int, kinds: int) -> Memory:
    """The memory with `pages` more, and with room for this number of `hosts` and `kinds` in all, if it had less.

    After the first time it takes room for a few rows more than asked for, so that growing costs O(1) a page.
    """
    numbers = memory.numbers
    needed = int(numbers[PAGE_COUNT]) + pages
    memory = memory._replace(**{name: _with_rows(getattr(memory, name), needed) for name in PER_PAGE})
    numbers[PAGE_COUNT] = needed
    memory = _with_hosts(_with_kinds(memory, kinds), hosts)
    most = sample_size(int(numbers[HOST_COUNT]))
    return memory if needed <= most else memory._replace(sample=_with_rows(memory.sample, most))


def _with_rows(array: NDArray[Any], rows: int) -> NDArray[Any]:
    if rows <= len(array):
        return array
    return longer(array, rows if len(array) == 0 else rows + rows // 32)


def _with_hosts(memory: Memory, hosts: int) -> Memory:
    numbers = memory.numbers
    if hosts <= numbers[HOST_COUNT]:
        return memory
    numbers[HOST_COUNT] = hosts
    rows = int(numbers[KIND_ROOM]) + hosts
    pools, sizes = _with_rows(memory.pools, rows), _with_rows(memory.sizes, rows)
    by_host = {name: _with_rows(getattr(memory, name), 1 + hosts) for name in ("tally", "watch", "hits")}
    return memory._replace(pools=pools, sizes=sizes, **by_host)


def _with_kinds(memory: Memory, kinds: int) -> Memory:
    """Kinds are few, and seldom new: the pools of all hosts move up to make room for some more."""
    numbers = memory.numbers
    room, hosts = int(numbers[KIND_ROOM]), int(numbers[HOST_COUNT])
    if kinds <= room:
        return memory
    wider = max(kinds, room + room // 2)
    numbers[KIND_ROOM] = wider
    moved = {}
    for name in ("pools", "sizes"):
        old = getattr(memory, name)
        moved[name] = zeros((wider + hosts, *old.shape[1:]), old.dtype)
        moved[name][:room] = old[:room]
        moved[name][wider:] = old[room : room + hosts]
    return memory._replace(**moved)


def begin(memory: Memory, time: float) -> None:
    """Nobody said when the learner began: at `time`, and all its pages with it."""
    numbers = memory.numbers
    numbers[ADRIFT] = 0.0
    numbers[[CLOCK, BEGAN, CLOCK_BEFORE]] = time
    pages = int(numbers[PAGE_COUNT])
    memory.born[:pages] = memory.crawled[:pages] = time


class NewPages(NamedTuple):
    """Pages that are to come, checked."""

    host: NDArray[np.int32]
    kind: NDArray[np.int16]
    importance: NDArray[np.float64]
    hints: Hints | None


def as_hints(prior: Hints | ArrayLike | None) -> Hints | None:
    """Hints as they are, or of expected change rates."""
    if prior is not None and not isinstance(prior, Hints):
        column("prior", prior)  # refused by the name it was given under
    return prior if prior is None or isinstance(prior, Hints) else Hints(prior)


def checked(
    memory: Memory,
    n: int,
    hosts: ArrayLike | None,
    kinds: ArrayLike | None,
    prior: Hints | ArrayLike | None,
    importance: ArrayLike | None,
) -> NewPages:
    """What is said of n new pages; importance is that of an average page unless given."""
    pages, held = int(memory.numbers[PAGE_COUNT]) + n, int(memory.numbers[HOST_COUNT])
    host = labels("hosts", hosts, n, np.int32, 4 * pages + 1000 + held)
    kind = labels("kinds", kinds, n, np.int16, 4 * pages + 1000 + held + int(memory.numbers[KIND_ROOM]))
    given = np.full(n, float(mean_importance(memory))) if importance is None else counts("importance", importance, n)
    hints = as_hints(prior)
    if hints is not None:
        hints.check(n)
    return NewPages(host, kind, given, hints)


def begun(memory: Memory, ids: Ids, new: NewPages, now: float) -> Memory:
    """The memory with these pages, crawled at `now`, under ids that are new or used again."""
    more = max(int(ids.max(initial=-1)) + 1 - int(memory.numbers[PAGE_COUNT]), 0)
    again = ids[ids < int(memory.numbers[PAGE_COUNT])]
    memory = grown(memory, more, int(new.host.max(initial=-1)) + 1, int(new.kind.max(initial=-1)) + 1)
    numbers = memory.numbers
    numbers[CLOCK] = now
    watched = again[memory.sums[again, TIME] > 0.0]
    np.subtract.at(memory.watch[:, PAGES], memory.host[watched] + 1, 1.0)
    memory.regime[ids] = memory.watch[new.host + 1, REGIME]
    memory.host[ids], memory.kind[ids] = new.host, new.kind
    memory.born[ids] = memory.crawled[ids] = now
    memory.open[ids] = 0.0
    memory.looks[ids] = 0
    memory.sums[ids] = 0.0
    scale = 1.0
    if numbers[REQUESTS_FROM] < math.inf:
        scale_back(memory, now)
        scale = request_scale(memory, now)
    memory.sums[ids, REQUESTS] = new.importance * numbers[REQUEST_TIME] * scale
    likelihood = np.zeros((len(ids), TYPES), dtype=np.int16)
    if new.hints is not None:
        new.hints.write(memory.types, likelihood)
        memory.looks[ids[new.hints.known(len(ids))]] = MOST_LOOKS  # or the hint would be doubted, too
    memory.likelihood[ids] = likelihood
    memory.pace[ids] = numbers[PACE]
    keep_mean_of_more(memory)
    return memory
