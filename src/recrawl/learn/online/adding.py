"""Room for more pages, hosts and kinds in the learner's memory, and when and from which pages it begins."""

import numpy as np

from recrawl.learn.online.layout import (
    ADRIFT,
    BEGAN,
    CLOCK,
    CLOCK_BEFORE,
    HOST_COUNT,
    PAGE_COUNT,
    PER_PAGE,
    SAMPLED,
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
