"""The tiers of a pool: lists of sleeping pages, none of which is worth more than its tier's bound.

Theory of operation
-------------------
1. There are STEPS steps of bounds: the first ends just below the level (about the value of the pages taken), each
   further one leaves a wider gap, up to three quarters of the level.  Pages climb from step to step, so that few are
   near the level, and only those cost looks.
2. A bound may be raised at any time (it stays true), but lowered only when its tier is empty, so that of a
   long tier is raised only when it has fallen far behind.  When the level falls below a bound, the decision wakes that
   tier at once (select.py).  Next to the level tiers are short, so this stays cheap.
3. How far a page climbs at once depends on how restless the level is.  A goal next to the level saves looks on the way,
   but fills the tier there, to be woken whenever the level falls below its bound.  FALL is the share of the level lost
   by falls for each share of all pages taken (rises between do not make up for it: falls are what wakes tiers).  A page
   that climbs leaves that share of its gap, since about so much of it will be lost before it arrives: at least a 64th,
   where the level hardly falls, as in batches, of which only the last page counts; at most an eighth, which is where
   single decisions are.
4. A long tier is not left until then: when the level has fallen half the way to its bound, it is *closed*; a second
   tier takes its step, and each decision moves a few pages over.  The level falls no faster than pages are taken, so
   in a slow fall the closed tier is empty in time; in a sudden one what is left of it is woken.
"""

import math

from recrawl._jit import inner
from recrawl.engine.layout import (
    BATCH,
    BOUNDS,
    CLOSING,
    FALL,
    GAPS,
    HEADS,
    LEVEL,
    SHORT_STEPS,
    SIZE,
    STEPS,
    WIDTH,
    Core,
)

HOT_PAGES = 8.0
"""About how many pages are meant to be hot, beside as many as are taken at once."""


@inner
def wanted_hot(core: Core, pool: int) -> float:
    """How many pages are meant to be hot; fewer in small pools, of which there may be many."""
    return min(HOT_PAGES, 1.0 + core.pool_links[pool, SIZE] / 32.0) + 0.25 * (core.pool_numbers[pool, BATCH] - 1.0)


@inner
def note_fall(core: Core, pool: int, fall: float, n: int) -> None:
    """Note that the level fell by that share when n pages were taken."""
    numbers = core.pool_numbers[pool]
    numbers[FALL] += min(n / 512.0, 0.5) * (fall * core.pool_links[pool, SIZE] / n - numbers[FALL])


@inner
def left_by_climb(core: Core, pool: int) -> float:
    """Which share of its gap to the level a page's goal is to leave."""
    return min(max(core.pool_numbers[pool, FALL], 1.0 / 64.0), 0.125)


@inner
def step_ratio(width: float) -> float:
    """How much wider the gap of each step is than that of the one above."""
    return max(math.pow(0.75 / width, 1.0 / (STEPS - 1)), 8.0)


@inner
def set_level(core: Core, pool: int, level: float) -> None:
    """Set the level, and move the tiers' bounds along where they may."""
    numbers = core.pool_numbers[pool]
    numbers[LEVEL] = level
    width = min(max(wanted_hot(core, pool) / max(core.pool_links[pool, SIZE], 1), 1e-12), 0.25)
    numbers[WIDTH] = width
    ratio = step_ratio(width)
    for step in range(STEPS):
        if step < SHORT_STEPS:
            _set_bound(core, pool, step, level, width, True)
        else:
            first = SHORT_STEPS + 2 * (step - SHORT_STEPS)
            for tier in (first, first + 1):
                _set_bound(core, pool, tier, level, width, False)
            _take_turns(core, pool, first, first + 1, level * (1.0 - width))
            _take_turns(core, pool, first + 1, first, level * (1.0 - width))
        width = min(width * ratio, 0.75)


@inner
def _set_bound(core: Core, pool: int, tier: int, level: float, gap: float, short: bool) -> None:
    """Have a tier's bound follow the level; close the tier where the level comes close."""
    numbers = core.pool_numbers[pool]
    if core.pool_links[pool, HEADS + tier] < 0 or (short and numbers[BOUNDS + tier] < level * (1.0 - gap)):
        numbers[BOUNDS + tier] = level * (1.0 - gap)
        numbers[GAPS + tier] = gap
    elif numbers[BOUNDS + tier] < level * (1.0 - 4.0 * gap):
        # Not higher than that, and not sooner: a bound raised in a high hour wakes its whole tier in a low one.
        numbers[BOUNDS + tier] = level * (1.0 - 2.0 * gap)
        numbers[GAPS + tier] = 2.0 * gap
    if not short and numbers[BOUNDS + tier] > level * (1.0 - 0.5 * numbers[GAPS + tier]):
        core.pool_links[pool, CLOSING] |= 1 << tier
    else:
        core.pool_links[pool, CLOSING] &= ~(1 << tier)


@inner
def _take_turns(core: Core, pool: int, closed: int, other: int, bound: float) -> None:
    """Have the other tier take the pages of a closed one: they would flood the step above if its bound stayed low."""
    closing = core.pool_links[pool, CLOSING]
    if closing >> closed & 1 and not closing >> other & 1 and core.pool_numbers[pool, BOUNDS + other] < bound:
        core.pool_numbers[pool, BOUNDS + other] = bound
        core.pool_numbers[pool, GAPS + other] = 1.0 - bound / core.pool_numbers[pool, LEVEL]
