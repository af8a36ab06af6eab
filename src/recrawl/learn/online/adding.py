"""Room for more pages, hosts and kinds in the learner's memory, and when and from which pages it begins."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import Ids, column, counts, labels
from recrawl.learn.hints import Hints
from recrawl.learn.online.importance import mean_importance, request_scale, scale_back
from recrawl.learn.online.layout import (
    ADRIFT,
    BEGAN,
    CLOCK,
    CLOCK_BEFORE,
    HOST_COUNT,
    PACE,
    PAGE_COUNT,
    PER_PAGE,
    REQUEST_TIME,
    REQUESTS,
    REQUESTS_FROM,
    SAMPLED,
    TYPES,
    Memory,
    with_rows,
)
from recrawl.learn.online.sampling import sample_size, spread_over_hosts


def grown(memory: Memory, pages: int, hosts: int, kinds: int) -> Memory:
    """The memory with `pages` more, and with room for this number of `hosts` and `kinds` in all, if it had less.

    After the first time it takes room for a few pages more than asked for, so that growing costs O(1) a page.
    """
    numbers = memory.numbers
    before = int(numbers[PAGE_COUNT])
    needed = before + pages
    if needed > len(memory.crawled):
        rows = needed if before == 0 else needed + needed // 32
        memory = memory._replace(**{name: with_rows(getattr(memory, name), rows) for name in PER_PAGE})
    numbers[PAGE_COUNT] = needed
    held = int(numbers[HOST_COUNT])
    extra = max(hosts - held, 0), max(kinds - (len(memory.pools) - held), 0)
    if any(extra):
        parts = [
            (with_rows(table[:held], held + extra[0]), with_rows(table[held:], len(table) - held + extra[1]))
            for table in (memory.pools, memory.sizes)
        ]
        pools, sizes = (np.concatenate(part) for part in parts)
        memory = memory._replace(pools=pools, sizes=sizes)
        numbers[HOST_COUNT] = held + extra[0]
    return memory


def with_sample(memory: Memory) -> Memory:
    """Above 10,000 pages priors come from a sample, even over hosts; chosen anew as pages are added."""
    numbers = memory.numbers
    pages, most = int(numbers[PAGE_COUNT]), sample_size(int(numbers[HOST_COUNT]))
    if pages <= most:
        return memory._replace(sample=np.zeros(0, dtype=np.int32))
    if pages <= 1.02 * numbers[SAMPLED]:
        return memory
    numbers[SAMPLED] = pages
    return memory._replace(sample=spread_over_hosts(memory.host[:pages], most))


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
    kind = labels("kinds", kinds, n, np.int16, 4 * pages + 1000 + len(memory.pools))
    given = np.full(n, float(mean_importance(memory))) if importance is None else counts("importance", importance, n)
    hints = as_hints(prior)
    if hints is not None:
        hints.check(n)
    return NewPages(host, kind, given, hints)


def begun(memory: Memory, ids: Ids, new: NewPages, now: float) -> Memory:
    """The memory with these pages, crawled at `now`, under ids that are new or used again."""
    more = max(int(ids.max(initial=-1)) + 1 - int(memory.numbers[PAGE_COUNT]), 0)
    memory = grown(memory, more, int(new.host.max(initial=-1)) + 1, int(new.kind.max(initial=-1)) + 1)
    numbers = memory.numbers
    numbers[CLOCK] = now
    memory.host[ids], memory.kind[ids] = new.host, new.kind
    memory.born[ids] = memory.crawled[ids] = now
    memory.open[ids] = 0
    memory.sums[ids] = 0.0
    scale = 1.0
    if numbers[REQUESTS_FROM] < math.inf:
        scale_back(memory, now)
        scale = request_scale(memory, now)
    memory.sums[ids, REQUESTS] = new.importance * numbers[REQUEST_TIME] * scale
    likelihood = np.zeros((len(ids), TYPES), dtype=np.int16)
    if new.hints is not None:
        new.hints.write(memory.types, likelihood)
    memory.likelihood[ids] = likelihood
    memory.pace[ids] = numbers[PACE]
    return memory
