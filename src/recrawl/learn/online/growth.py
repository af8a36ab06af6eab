"""Room for more pages, groups and sources in the learner's memory, and when and from which pages it begins."""

import numpy as np

from recrawl.learn.online.layout import (
    ADRIFT,
    GROUPS,
    NOW,
    NOW_BEFORE,
    ORIGIN,
    PAGES,
    PER_PAGE,
    SAMPLED,
    Memory,
    with_rows,
)
from recrawl.learn.online.sampling import sample_size, spread_over_groups


def grown(memory: Memory, pages: int, groups: int, sources: int) -> Memory:
    """With so many pages more, and that many groups and sources at least.

    After the first time there is room for a few more, so that growing costs O(1) a page.
    """
    numbers = memory.numbers
    before = int(numbers[PAGES])
    needed = before + pages
    if needed > len(memory.crawled):
        rows = needed if before == 0 else needed + needed // 32
        memory = memory._replace(**{name: with_rows(getattr(memory, name), rows) for name in PER_PAGE})
    numbers[PAGES] = needed
    held = int(numbers[GROUPS])
    extra = max(groups - held, 0), max(sources - (len(memory.pools) - held), 0)
    if any(extra):
        parts = [
            (with_rows(table[:held], held + extra[0]), with_rows(table[held:], len(table) - held + extra[1]))
            for table in (memory.pools, memory.sizes)
        ]
        pools, sizes = (np.concatenate(part) for part in parts)
        memory = memory._replace(pools=pools, sizes=sizes)
        numbers[GROUPS] = held + extra[0]
    return memory


def with_sample(memory: Memory) -> Memory:
    """Above 10,000 pages priors come from a sample, even over groups; chosen anew as pages are added."""
    numbers = memory.numbers
    pages, most = int(numbers[PAGES]), sample_size(int(numbers[GROUPS]))
    if pages <= most:
        return memory._replace(sample=np.zeros(0, dtype=np.int32))
    if pages <= 1.02 * numbers[SAMPLED]:
        return memory
    numbers[SAMPLED] = pages
    return memory._replace(sample=spread_over_groups(memory.group[:pages], most))


def begin(memory: Memory, time: float) -> None:
    """Nobody said when the learner began: at `time`, and all its pages with it."""
    numbers = memory.numbers
    numbers[ADRIFT] = 0.0
    numbers[[NOW, ORIGIN, NOW_BEFORE]] = time
    pages = int(numbers[PAGES])
    memory.born[:pages] = memory.crawled[:pages] = time
