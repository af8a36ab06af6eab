"""What the outside does to pages, as kernels over many ids."""

import math

from recrawl._jit import bare, inlined, inner, jit, pointer_to, prefetch_row, wide
from recrawl.engine.core.checks import first_unknown
from recrawl.engine.core.layout import (
    ALPHA,
    ASLEEP,
    CALLED,
    CLONES,
    CRAWLED,
    DEAD,
    DECISIONS,
    FREE,
    FRESH,
    GAP,
    GOAL,
    IN_FLIGHT,
    JUMPS,
    KAPPA,
    LAST,
    LEASED,
    LEVEL,
    NEXT,
    NOW,
    OCCUPIED,
    PAGES,
    PREVIOUS,
    RANKED,
    READY,
    RING,
    RINGS,
    SIZE,
    TAKEN,
    WAITING,
    WHEEL_NEXT,
    WHEEL_PREVIOUS,
    Core,
    Ids,
    Values,
)
from recrawl.engine.core.lists import wheel
from recrawl.engine.core.pick import note_crawl, pick
from recrawl.engine.core.places import host_of, pool_of, set_state, settle_in, state_of
from recrawl.engine.core.pools import come_home, place_pool
from recrawl.engine.core.settle import call, detach, enter, exit_heap, found_clone, settle, stand_at
from recrawl.engine.core.value import set_parameters, staleness_at, weight_of
from recrawl.engine.core.wake import look_at_called, wake_due

MOST_CALLED = 64
"""Signals leave the looks to the next decision until this part of all pages wait for it: it must not pause for long."""
AHEAD = 8
"""How many pages ahead memory is asked for."""


@bare
def add(core: Core, columns: Values, pools: Ids, ages: Values, now: float, ids: Ids) -> None:
    """Add pages (columns alpha, kappa, gamma, mu), crawled at `now`; ids of removed pages are used again first."""
    for k in range(len(ids)):
        i = core.rest[FREE]
        if i >= 0:
            core.rest[FREE] = core.links[i, NEXT]
        else:
            i = core.rest[PAGES]
            core.rest[PAGES] += 1
        ids[k] = i
        set_parameters(core.numbers, i, columns[0, k], columns[1, k], columns[2, k], columns[3, k])
        core.numbers[i, CRAWLED] = now
        core.numbers[i, JUMPS] = 0.0
        if len(core.max_age) > 0:
            core.max_age[i] = ages[k]
        core.links[i, WHEEL_NEXT] = -1
        core.links[i, WHEEL_PREVIOUS] = -1
        core.links[i, CLONES] = -1
        settle_in(core, i, pools[k], wide(DEAD))
        core.pool_links[0, SIZE] += 1
        settle(core, i, now, math.nan)


@inner
def _let_go(core: Core, i: int) -> None:
    """Take page i out of whatever holds it, in flight or waiting included."""
    state = state_of(core, i)
    if state == LEASED:
        core.pool_links[host_of(core, i), IN_FLIGHT] -= 1
    elif state == WAITING:
        exit_heap(core, i)
    else:
        detach(core, i)


@bare
def remove(core: Core, ids: Ids) -> None:
    """Forget pages."""
    now = core.pool_numbers[0, NOW]
    for i in ids:
        _let_go(core, i)
        core.pool_links[pool_of(core, i), SIZE] -= 1
        set_state(core, i, wide(DEAD))
        core.links[i, NEXT] = core.rest[FREE]
        core.rest[FREE] = i
        place_pool(core, host_of(core, i), now)
    if core.pool_links[0, SIZE] == 0:  # what comes next has no level yet
        core.pool_numbers[0, LEVEL] = core.pool_numbers[0, LAST] = core.pool_numbers[0, TAKEN] = 0.0


@bare
def update(core: Core, ids: Ids, columns: Values, now: float) -> None:
    """Give pages new parameters; the time of the crawl and what signals added stay."""
    for k in range(len(ids)):
        i = ids[k]
        state = state_of(core, i)
        held = state in (LEASED, WAITING)
        if not held:
            detach(core, i)
        set_parameters(core.numbers, i, columns[0, k], columns[1, k], columns[2, k], columns[3, k])
        if not held:
            settle(core, i, now, math.nan)


@bare
def set_max_age(core: Core, ids: Ids, ages: Values, now: float) -> None:
    """Give pages other greatest ages."""
    for k in range(len(ids)):
        i = ids[k]
        if state_of(core, i) in (LEASED, WAITING):
            core.max_age[i] = ages[k]
        else:
            detach(core, i)
            core.max_age[i] = ages[k]
            settle(core, i, now, math.nan)


@inlined
def signal_one(core: Core, i: int, weight: float, now: float) -> None:
    """Add to the staleness of page i, and put it where it then belongs.  O(1)."""
    state = state_of(core, i)
    if state == LEASED:
        core.numbers[i, GOAL] += weight
    elif state == WAITING:
        core.numbers[i, JUMPS] += weight
    elif state == ASLEEP and core.links[i, CLONES] < 0 and not _wakes(core, i, weight, now):
        core.numbers[i, JUMPS] += weight
        if core.numbers[i, GOAL] < math.inf:
            wheel.move(core, i)
    else:
        detach(core, i)
        core.numbers[i, JUMPS] += weight
        many = core.rest[CALLED] > core.rest[PAGES] // MOST_CALLED + MOST_CALLED
        if many or core.pool_numbers[0, LEVEL] <= 0.0 or not call(core, i):
            settle(core, i, now, math.nan)


@inlined
def _wakes(core: Core, i: int, weight: float, now: float) -> bool:
    """Whether a signal of that weight brings sleeping page i to its goal."""
    goal = core.numbers[i, GOAL]  # infinite where no signal can
    return goal < math.inf and staleness_at(core.numbers, core.tables, i, now) + weight >= goal * (1.0 - 1e-12)


@inner
def _prefetch_neighbours(core: Core, i: int, now: float) -> None:
    """Ask for the pages that a signal to page i touches: its neighbours in the wheel, and in its bucket if it wakes."""
    goal = core.numbers[i, GOAL]
    if goal == math.inf:
        return
    prefetch_row(core.links, max(wide(core.links[i, WHEEL_NEXT]), 0))
    prefetch_row(core.links, max(wide(core.links[i, WHEEL_PREVIOUS]), 0))
    drift = core.numbers[i, ALPHA] * (now - core.numbers[i, CRAWLED])
    if drift + core.numbers[i, JUMPS] + core.numbers[i, KAPPA] >= goal:
        prefetch_row(core.links, max(wide(core.links[i, NEXT]), 0))
        prefetch_row(core.links, max(wide(core.links[i, PREVIOUS]), 0))


@bare
def signal(
    core: Core,
    ids: Ids,
    weights: Values,
    scales: Values,
    aged: bool,
    discard: Values,
    window: float,
    now: float,
    time: float,
) -> int:
    """Add a signal to each id; how many came within a window after the crawl and were dropped; -1 - k for a bad ids[k].

    `weights`: none (the pages' own), one, or one each, and so `scales`, which they are multiplied by; `aged`: they are
    those of signals long after the crawl, less is due to late ones soon after it.  `discard`: windows by page, or none;
    `window`: for all.
    O(1) a signal.
    """
    for k in range(len(ids)):
        if k + 4 * AHEAD < len(ids):
            prefetch_row(core.links, ids[k + 4 * AHEAD])
        if not 0 <= ids[k] < core.rest[PAGES] or state_of(core, ids[k]) == DEAD:
            return -1 - k
    dropped = 0
    for k in range(len(ids)):
        if k + 2 * AHEAD < len(ids):
            prefetch_row(core.numbers, ids[k + 2 * AHEAD])
            prefetch_row(core.links, ids[k + 2 * AHEAD])
        if k + AHEAD < len(ids):
            _prefetch_neighbours(core, ids[k + AHEAD], now)
        i = ids[k]
        own = max(window, discard[i]) if len(discard) > 0 else window
        if own > 0.0 and time - core.numbers[i, CRAWLED] < own:
            dropped += 1
            continue
        weight = core.numbers[i, KAPPA]
        if len(weights) > 0:
            weight = weights[k] if len(weights) > 1 else weights[0]
        if len(scales) > 0:
            weight *= scales[k] if len(scales) > 1 else scales[0]
        if aged:
            weight = weight_of(core.numbers, core.tables, i, weight, time)
        if weight > 0.0:  # not so for 0 times infinity, which adds nothing
            signal_one(core, i, weight, now)
    return dropped


@bare
def lift(core: Core, ids: Ids, weights: Values, now: float) -> None:
    """Add to the staleness of pages.  For those in flight it counts only if their fetch fails, for it is of before."""
    for k in range(len(ids)):
        if weights[k] > 0.0:
            state = state_of(core, ids[k])
            if state == LEASED:
                core.numbers[ids[k], JUMPS] += weights[k]
            elif state != DEAD:
                signal_one(core, ids[k], weights[k], now)


@inner
def _mark_taken(core: Core, now: float, ids: Ids) -> None:
    """Count picked pages as crawled at `now`."""
    level, where = core.pool_numbers[0, LEVEL], pointer_to(core)
    for i in ids:
        x = staleness_at(core.numbers, core.tables, i, now)
        if core.numbers[i, GOAL] > level:  # a signal lifted it beyond
            x *= level / core.numbers[i, GOAL]
        core.numbers[i, CRAWLED] = now
        core.numbers[i, JUMPS] = 0.0
        if not found_clone(core, i):
            stand_at(where, i, now, x)


@inner
def _mark_leased(core: Core, ids: Ids) -> None:
    """Hold picked pages: not offered again until crawled or released."""
    for i in ids:
        set_state(core, i, wide(LEASED))
        core.numbers[i, GOAL] = 0.0


@inner
def _put_back(core: Core, now: float, ids: Ids) -> None:
    """Put picked pages back as they were."""
    core.rest[DECISIONS] -= len(ids)
    for i in ids:
        settle(core, i, now, math.nan)


@bare
def take(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and mark."""
    done = pick(core, now, n, False, out)
    for k in range(done):
        come_home(core, out[k], now)
    _mark_taken(core, now, out[:done])
    return done


@bare
def lease(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and hold."""
    done = pick(core, now, n, True, out)
    _mark_leased(core, out[:done])
    return done


@bare
def hold(core: Core, now: float, ids: Ids) -> None:
    """Lease these very pages, whatever they are worth and whatever their hosts allow."""
    for i in ids:
        _let_go(core, i)
        if core.pool_links.shape[0] > 1:
            note_crawl(core, i, now, True)
    _mark_leased(core, ids)
    core.rest[DECISIONS] += len(ids)


@jit
def peek(core: Core, now: float, n: int, out: Ids) -> int:
    """Pick and put back, hosts included."""
    ready = core.pool_numbers[:, READY].copy()
    done = pick(core, now, n, False, out)
    _put_back(core, now, out[:done])
    for k in range(done):
        host = host_of(core, out[k])
        core.pool_numbers[host, READY] = ready[host]
        place_pool(core, host, now)
    return done


@bare
def advance(core: Core, now: float, limit: int) -> int:
    """Let it be `now`, and give up to `limit` pages whose promise has ended another one; how many there were."""
    core.pool_numbers[0, NOW] = now
    done = look_at_called(core, now, limit, math.nan) if core.pool_numbers[0, LEVEL] > 0.0 else 0
    return done + wake_due(core, now, limit - done, math.nan)


@bare
def crawled(core: Core, ids: Ids, at: Values, now: float) -> int:
    """Restart pages at the time they were fetched; signals since the lease are kept.  -1 - k for a bad ids[k], or 0."""
    bad = first_unknown(core.links, core.rest[PAGES], ids)
    if bad >= 0:
        return -1 - bad
    for k in range(len(ids)):
        i = ids[k]
        time = at[k] if len(at) > 1 else at[0]
        kept = core.numbers[i, GOAL] if state_of(core, i) == LEASED else 0.0
        x = staleness_at(core.numbers, core.tables, i, now)
        _let_go(core, i)
        core.numbers[i, CRAWLED] = time
        core.numbers[i, JUMPS] = kept
        host = host_of(core, i)
        gap = core.pool_numbers[host, GAP]
        if gap > 0.0:
            core.pool_numbers[host, READY] = max(core.pool_numbers[host, READY], time + gap)
        come_home(core, i, now)
        settle(core, i, now, x)
        place_pool(core, host, now)
    return 0


@bare
def release(core: Core, ids: Ids, not_before: Values, now: float) -> None:
    """Put leased pages back as they were, signals since included, from `not_before` on."""
    for k in range(len(ids)):
        i = ids[k]
        core.numbers[i, JUMPS] += core.numbers[i, GOAL]
        host = host_of(core, i)
        core.pool_links[host, IN_FLIGHT] -= 1
        time = not_before[k] if len(not_before) > 1 else not_before[0]
        if time > now:
            core.numbers[i, GOAL] = time
            enter(core, i, wide(WAITING))
        else:
            settle(core, i, now, math.nan)
        place_pool(core, host, now)


@bare
def rewind(core: Core, quantum: float) -> None:
    """Go on with ticks of another length; pages are put into the wheel anew."""
    for slot in range(RINGS * RING):
        core.heads[slot] = -1
    for word in range(RINGS * RING // 32):
        core.rest[OCCUPIED + word] = 0
    wheel.restart(core, quantum)
    for i in range(core.rest[PAGES]):
        if state_of(core, i) in (ASLEEP, RANKED, FRESH):
            due = core.links[i, WHEEL_PREVIOUS] != -1
            core.links[i, WHEEL_NEXT] = -1
            core.links[i, WHEEL_PREVIOUS] = -1
            if due:
                wheel.insert(core, i, wheel.event_time(core, i))
