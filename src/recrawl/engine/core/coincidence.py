"""Signals of several sources: lone ones weigh what their source's do, those of two sources at once are certain news.

Two signals of different sources within the window tell of one change.  It came before the first of them: where the page
was crawled in between, the crawl saw it, and the second signal says nothing.
"""

import math

from recrawl._jit import bare, inner
from recrawl.engine.core.actions import signal_one
from recrawl.engine.core.layout import CRAWLED, DEAD, GAMMA, KAPPA, PAGES, Core, Ids, Values
from recrawl.engine.core.places import state_of
from recrawl.model.source_table import SIZE

TIME, SOURCE = range(2)
"""What is remembered of a page's last signal."""


@inner
def weigh(core: Core, i: int, source: int, heard: Values, together: float, time: float) -> float:
    """What a signal of `source` adds to the staleness of page i; it is remembered for the next one."""
    weight = core.numbers[i, KAPPA]
    if core.numbers[i, GAMMA] < 0.0:
        weight = core.tables[int(-core.numbers[i, GAMMA]), SIZE + source]
        if weight < 0.0:  # a source that announces nothing coincides by chance only
            return 0.0
        near = abs(time - heard[i, TIME]) <= together  # signals need not come in the order of their times
        if heard[i, SOURCE] >= 0.0 and heard[i, SOURCE] != source and near:
            if min(time, heard[i, TIME]) <= core.numbers[i, CRAWLED]:
                return 0.0  # and the first signal stays the one to compare with
            weight = math.inf
    if time >= heard[i, TIME]:
        heard[i, TIME] = time
        heard[i, SOURCE] = source
    return weight


@bare
def signal(
    core: Core,
    ids: Ids,
    sources: Ids,
    heard: Values,
    together: float,
    discard: Values,
    window: float,
    now: float,
    time: float,
) -> int:
    """`actions.signal` where pages have classes of sources; `sources`: one, or one each.  O(1) a signal."""
    for k in range(len(ids)):
        if not 0 <= ids[k] < core.rest[PAGES] or state_of(core, ids[k]) == DEAD:
            return -1 - k
    dropped = 0
    for k in range(len(ids)):
        i = ids[k]
        own = max(window, discard[i]) if len(discard) > 0 else window
        if own > 0.0 and time - core.numbers[i, CRAWLED] < own:
            dropped += 1
            continue
        source = sources[k] if len(sources) > 1 else sources[0]
        weight = weigh(core, i, source, heard, together, time)
        if weight > 0.0:
            signal_one(core, i, weight, now)
    return dropped
