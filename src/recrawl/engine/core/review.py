"""All pages looked at in the order of their rows: before the first decision, and where most promises have ended.

One after the other in the order of their events, pages would come from all over memory; in the order of their rows a
page costs little more than its value.
"""

import math

from recrawl._jit import inner, wide
from recrawl.engine.core.layout import (
    ASLEEP,
    CALLED,
    CHILD,
    CLONE_SLOTS,
    CLONE_TABLE,
    FORESEEN,
    FRESH,
    FRESH_ROOT,
    LAST,
    LEVEL,
    NEXT,
    NOW,
    OCCUPIED,
    PAGES,
    PREVIOUS,
    RANKED,
    ROOT,
    SCALE,
    SLOTS,
    TICK,
    TOP,
    UNDER,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    WORDS,
    Core,
)
from recrawl.engine.core.lists import wheel
from recrawl.engine.core.places import state_of
from recrawl.engine.core.pools import place_pool
from recrawl.engine.core.settle import enter, stand
from recrawl.engine.core.value import look, overdue

SAMPLE = 1024
"""Pages looked at to find a level."""


@inner
def _level_of_sample(core: Core, now: float) -> float:
    """The highest value among pages spread over all."""
    known = core.rest[PAGES]
    best = 0.0
    for i in range(0, known, max(known // SAMPLE, 1)):
        state = state_of(core, i)
        if state in (ASLEEP, RANKED):
            best = max(best, look(core, i, now)[1])
    return best


@inner
def empty_slots(core: Core) -> None:
    """Forget who sleeps in which bucket and when; the pages' own links are set as they are put back."""
    for slot in range(SLOTS):
        core.heads[slot] = -1
    for word in range(WORDS):
        core.rest[OCCUPIED + word] = 0
    core.rest[TOP] = -1
    core.rest[CALLED] = 0
    for slot in range(2 * CLONE_SLOTS):  # with the tails
        core.rest[CLONE_TABLE + slot] = -1  # or a page could hang behind one that is yet to be put back


@inner
def _unlink(core: Core, i: int) -> None:
    """Forget where page i was."""
    for column in (NEXT, PREVIOUS, CHILD, WHEEL_NEXT, WHEEL_PREVIOUS):
        core.links[i, column] = -1


@inner
def _put_back_fresh(core: Core, now: float) -> None:
    """Put fresh pages back among themselves, and those that are overdue among those."""
    if core.rest[FRESH_ROOT] < 0:
        return
    core.rest[FRESH_ROOT] = -1
    for i in range(core.rest[PAGES]):
        if state_of(core, i) == FRESH:
            _unlink(core, i)
            if overdue(core, i, now):
                stand(core, i, now, math.nan)
            else:
                enter(core, i, wide(FRESH))
                wheel.insert(core, i, wheel.event_time(core, i))


@inner
def review(core: Core, now: float) -> None:
    """Look at every page that stands somewhere, and give it a new promise."""
    core.pool_numbers[0, NOW] = now
    level = _level_of_sample(core, now)
    if level > 0.0:
        core.pool_numbers[0, LEVEL] = level
        core.pool_numbers[0, LAST] = level
        core.pool_numbers[0, FORESEEN] = 0.0  # from before the pause, when all was worth less
        core.pool_numbers[0, UNDER] = level
        if core.pool_numbers[0, SCALE] == 0.0:
            core.pool_numbers[0, SCALE] = 1.0 / level
    empty_slots(core)
    core.rest[TICK] = max(wheel.tick_of(core, now), core.rest[TICK])
    for pool in range(core.pool_links.shape[0]):
        core.pool_links[pool, ROOT] = -1
    _put_back_fresh(core, now)
    for i in range(core.rest[PAGES]):
        if state_of(core, i) in (ASLEEP, RANKED):
            _unlink(core, i)
            stand(core, i, now, math.nan)
    for pool in range(1, core.pool_links.shape[0]):
        place_pool(core, pool, now)
