"""Where the level will soon be, and promises made for it beforehand.

Theory of operation
-------------------
1. Most pages sleep under bounds a little below the level.  Where few pages are worth as much as the level and all
   others far less, it will fall as soon as those are taken (or believed to be worth less), and one decision would have
   to look at every sleeper whose bound lies between.
2. So a sample of pages is looked at now and then.  What one page in a few is worth at least is where the level will be
   when so many have been taken, if nothing grows meanwhile.  It is *foreseen* if that is much lower than the level.
3. Pages worth less than that are then bounded below it.  A page that grows beyond it costs a few looks more on its way.
4. Promises made earlier are revised, from the highest bucket down, a few for each page taken.
5. What is foreseen only says how to promise, as the level does: a decision never depends on it.
"""

from recrawl._jit import inlined, inner, prefetch_row, wide
from recrawl.engine.core.layout import (
    ASLEEP,
    BUCKETS,
    CLONE,
    DECISIONS,
    FORESEEN,
    FORESEEN_AT,
    FRESH,
    LEVEL,
    MU,
    NEXT,
    PAGES,
    RANKED,
    REVISED,
    UNBOUNDED,
    UNDER,
    Core,
)
from recrawl.engine.core.lists import seen, slots
from recrawl.engine.core.places import pool_of, state_of
from recrawl.engine.core.promise import bound_over, bucket_of, level_ahead
from recrawl.engine.core.settle import lift, promise
from recrawl.engine.core.value import look

SHARE = 16
"""The level foreseen is what one page in this many is worth at least."""
LEAST, MOST = 8, 512
"""Pages in a sample: one in 128, within these."""
RARELY = 4
"""A sample is taken when this many times as many pages have been."""
GOLDEN = 0.6180339887498949
"""Multiples of it, less their whole part, lie evenly, but in no step that ids may have been given out by."""
LOWER = 0.8
"""Promises are revised when what is foreseen has fallen to this part of what they were made for."""
A_DECISION = 16
"""How many promises are revised for each page taken."""


@inner
def foresee(core: Core, now: float, taken: int) -> None:
    """After a decision that took so many pages: look ahead if it is time to, and go on with revising promises."""
    sample = min(max(core.rest[PAGES] // 128, LEAST), MOST)
    since = core.rest[DECISIONS] - core.rest[FORESEEN_AT]
    if since >= RARELY * sample or since < 0:
        core.rest[FORESEEN_AT] = core.rest[DECISIONS]
        core.pool_numbers[0, FORESEEN] = _high_value(core, now, sample)
        _decide_to_revise(core)
    if core.rest[REVISED] >= 0:
        _revise(core, now, A_DECISION * taken)


@inner
def _high_value(core: Core, now: float, sample: int) -> float:
    """What one page in SHARE is worth at least, of a sample of those that compete; 0 where there are none.

    The highest values are sorted in the array of pages seen, which is empty between decisions.
    """
    room, found = min(sample // SHARE + 1, len(core.seen_ids)), 0
    for k in range(room):
        core.seen[k, seen.VALUE] = 0.0
    for k in range(core.rest[DECISIONS], core.rest[DECISIONS] + sample):
        i = wide(((k * GOLDEN) % 1.0) * core.rest[PAGES])
        state = state_of(core, i)
        if not (state in (ASLEEP, RANKED, FRESH, CLONE) and core.numbers[i, MU] > 0.0 and pool_of(core, i) == 0):
            continue
        found += 1
        _sort_in(core, look(core, i, now)[1], room)
    return core.seen[min(found // SHARE, room - 1), seen.VALUE]


@inlined
def _sort_in(core: Core, value: float, room: int) -> None:
    """Keep the highest values, in descending order."""
    k = room - 1
    if value <= core.seen[k, seen.VALUE]:
        return
    while k > 0 and core.seen[k - 1, seen.VALUE] < value:
        core.seen[k, seen.VALUE] = core.seen[k - 1, seen.VALUE]
        k -= 1
    core.seen[k, seen.VALUE] = value


@inner
def _decide_to_revise(core: Core) -> None:
    """Begin with the highest bucket where promises were made for a level much higher than the one ahead."""
    numbers, ahead = core.pool_numbers[0], level_ahead(core)
    under = numbers[LEVEL]  # what was promised above it has been looked at
    if numbers[UNDER] > 0.0:
        under = min(under, numbers[UNDER])
    if ahead < LOWER * under:
        core.rest[REVISED] = UNBOUNDED - 1
        under = ahead
    numbers[UNDER] = max(under, ahead)


@inner
def _revise(core: Core, now: float, limit: int) -> None:
    """Revise the promises of whole buckets, from the highest to the level ahead, until there were so many."""
    ahead, done = level_ahead(core), 0
    last = max(bucket_of(core, ahead), 0)
    while done < limit:
        bucket = slots.last_occupied(core, wide(BUCKETS), BUCKETS + core.rest[REVISED]) - BUCKETS
        if bucket < last:
            core.rest[REVISED] = -1
            return
        done += _revise_bucket(core, bucket, now, ahead)
        core.rest[REVISED] = bucket - 1


@inner
def _revise_bucket(core: Core, bucket: int, now: float, ahead: float) -> int:
    """Look at every page of a bucket, and bound those worth less than the level ahead below it; how many there were."""
    i, count = wide(core.heads[BUCKETS + bucket]), 0
    while i >= 0:
        after = wide(core.links[i, NEXT])
        if after >= 0:
            prefetch_row(core.numbers, after)
            prefetch_row(core.links, after)
        x, value, slope = look(core, i, now)
        if value < ahead:
            lift(core, i)
            promise(core, i, x, value, slope, bound_over(core, i, value))
        i = after
        count += 1
    return count
