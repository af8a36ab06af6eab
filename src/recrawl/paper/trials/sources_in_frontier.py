"""Three sources a page, one of them late: a frontier that knows nothing, beside an oracle that knows everything.

A unit of time is an hour.  Precision and recall of the sources are the same three pairs on every host, in another
order.  Signals of the first source come late, and say when the change happened; those of the others come at once and
say nothing.  False signals of a source look like true ones.
"""

from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.model import Pages
from recrawl.model.source_table import class_value
from recrawl.model.sources import Sources
from recrawl.paper.trials import instances
from recrawl.sim import Events, Hosts, Learning, Run, World, simulate
from recrawl.sim.permits import permits

Values = NDArray[np.float64]
Ids = NDArray[np.int64]

HOSTS = 20
QUALITIES = np.array([(0.9, 0.3), (0.5, 0.5), (0.2, 0.7)])
"""Precision and recall."""
LATE = 0
LATENESS = 1.0
"""Mean of an exponential distribution, in hours."""
SAME = 1.0 / 60.0
"""Hours within which signals of different sources are about one change to the oracle."""
HOUR = 3600.0
WAYS = ("ours", "happened ignored", "sources merged", "deaf")


@dataclass(frozen=True)
class Case:
    """A world, and the quality of its sources: a row a page, a column a source."""

    pages: Pages
    hosts: Ids
    recall: Values
    false_per_change: Values
    world: World


def draw(m: int, seed: int, horizon: float) -> Case:
    """Pages as in the paper, and their signals."""
    pages = instances.silent(m, seed)
    rng = np.random.default_rng([seed, 14])
    hosts = rng.integers(0, HOSTS, m)
    orders = np.array(list(permutations(range(3))))
    quality = QUALITIES[orders[rng.permutation(np.arange(HOSTS) % len(orders))][hosts]]
    precision, recall = quality[:, :, 0], quality[:, :, 1]
    false = recall * (1.0 / precision - 1.0)
    changes = Events.poisson(pages.change_rate, horizon, rng)
    parts = [_signals(k, changes, recall[:, k], false[:, k] * pages.change_rate, horizon, rng) for k in range(3)]
    times, whose, happened, true = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    senders = np.repeat(np.arange(3), [len(part[0]) for part in parts])
    order = np.argsort(times, kind="stable")
    order = order[times[order] <= horizon]
    world = World(
        horizon,
        changes,
        times[order],
        whose[order],
        true[order],
        senders[order],
        happened[order],
        given_requests=Events.grouped(np.empty(0, dtype=np.int64), np.empty(0), m),
    )
    return Case(pages, hosts, recall, false, world)


def _signals(
    source: int, changes: Events, recall: Values, false_rate: Values, horizon: float, rng: np.random.Generator
) -> tuple[Values, Ids, Values, NDArray[np.bool_]]:
    """When signals of a source come, of which pages, when they say that it happened, and which are true."""
    told = np.flatnonzero(rng.random(len(changes)) < np.repeat(recall, changes.counts))
    false = Events.poisson(false_rate, horizon, rng)
    when = np.concatenate((changes.times[told], false.times))
    whose = np.concatenate((changes.pages[told], false.pages))
    true = np.arange(len(when)) < len(told)
    if source != LATE:
        return when, whose, np.full(len(when), np.nan), true
    return when + rng.exponential(LATENESS, len(when)), whose, when, true


def learned(case: Case, way: str) -> Run:
    """A frontier that is told importance and signals, in one of WAYS."""
    world = case.world
    if way == "happened ignored":
        world = replace(world, signal_happened=None)
    if way == "sources merged":
        world = world.of_sources(np.ones(len(world.signal_times), dtype=np.bool_))
    if way == "deaf":
        world = world.of_sources(np.zeros(len(world.signal_times), dtype=np.bool_))
    learning = Learning(frontier=True, unit=HOUR)
    hosts = Hosts(case.hosts, gap=0.0)
    return simulate(case.pages, rate=instances.RATE, world=world, believed=learning, hosts=hosts)


def oracle(case: Case) -> Run:
    """The best rule we know for this world.  It looks at every page before each crawl.

    It knows all rates, qualities and the lateness.  Its belief that a page is fresh is exact: signals of two sources
    about one moment are certain news; a lone signal weighs by whether the late source would have spoken by now; and
    pages age by changes whose only signal is under way.  The value that goes with it is that of sources without
    lateness.
    """
    rows = np.concatenate((case.recall, case.false_per_change), axis=1)
    classes, which = np.unique(rows, axis=0, return_inverse=True)
    sources = Sources(classes[:, :3], classes[:, 3:])
    world, moments = case.world, permits(instances.RATE, case.world.horizon)
    assert world.signal_sources is not None
    assert world.signal_happened is not None
    said = np.where(np.isnan(world.signal_happened), world.signal_times, world.signal_happened)
    taken = np.empty(len(moments), dtype=np.int64)
    _crawl(
        moments,
        world.signal_times,
        world.signal_pages,
        world.signal_sources,
        said,
        case.pages.change_rate,
        case.pages.importance,
        case.recall,
        case.false_per_change,
        sources.tables,
        which.reshape(-1).astype(np.int64),
        taken,
    )
    return Run("oracle", world, case.pages.importance, moments, taken)


_OPEN = 64
"""Lone signals of a page whose weight still changes, at most; the oldest count as if it did not."""
_SETTLED = 6.0 * LATENESS


@jit
def _weight(recall: Values, false: Values, source: int, age: float) -> float:
    """What a lone signal of a source that is never late adds, so long after the change."""
    spoken = -np.expm1(-age / LATENESS)
    true = recall[source] * (1.0 - recall[3 - source]) * (1.0 - recall[LATE] * spoken)
    return float(np.log1p(true / false[source]))


@jit
def _settle(
    last: Values, open_at: Values, open_of: Ids, count: int, recall: Values, false: Values, until: float
) -> int:
    """Move lone signals that are older into the sum of what does not change, last[1]; how many are left."""
    done = 0
    while done < count and (open_at[done] < until or count - done == _OPEN):
        last[1] += _weight(recall, false, open_of[done], np.inf)
        done += 1
    for k in range(done, count):
        open_at[k - done], open_of[k - done] = open_at[k], open_of[k]
    return count - done


@jit
def _crawl(
    moments: Values,
    times: Values,
    whose: Ids,
    senders: Ids,
    said: Values,
    delta: Values,
    mu: Values,
    recall: Values,
    false: Values,
    tables: Values,
    classes: Ids,
    taken: Ids,
) -> None:
    m, k = len(delta), 0
    last = np.zeros((m, 2))  # the last crawl, and what signals have added since
    told = np.full((m, 3), -np.inf)
    open_at, open_of, count = np.empty((m, _OPEN)), np.empty((m, _OPEN), dtype=np.int64), np.zeros(m, dtype=np.int64)
    silent = (1.0 - recall[:, 1]) * (1.0 - recall[:, 2])
    for t in range(len(moments)):
        now = moments[t]
        while k < len(times) and times[k] <= now:
            i, source, moment = whose[k], senders[k], said[k]
            if moment > last[i, 0]:
                met = False
                for other in range(3):
                    near = abs(told[i, other] - moment) <= SAME and told[i, other] > last[i, 0]
                    met = met or (other != source and near)
                if met:
                    last[i, 1] = np.inf
                elif source == LATE:
                    last[i, 1] += np.log1p(recall[i, LATE] * silent[i] / false[i, LATE])
                else:
                    count[i] = _settle(last[i], open_at[i], open_of[i], count[i], recall[i], false[i], -np.inf)
                    open_at[i, count[i]], open_of[i, count[i]] = moment, source
                    count[i] += 1
            told[i, source] = max(told[i, source], moment)
            k += 1
        best, highest = 0, -1.0
        for i in range(m):
            age, x = now - last[i, 0], last[i, 1]
            if x < np.inf:
                count[i] = _settle(last[i], open_at[i], open_of[i], count[i], recall[i], false[i], now - _SETTLED)
                under_way = recall[i, LATE] * -np.expm1(-age / LATENESS) * LATENESS
                x = last[i, 1] + delta[i] * silent[i] * ((1.0 - recall[i, LATE]) * age + under_way)
                for j in range(count[i]):
                    x += _weight(recall[i], false[i], open_of[i, j], now - open_at[i, j])
            value = class_value(x, mu[i], delta[i], tables[classes[i]], 0)
            if value > highest:
                best, highest = i, value
        taken[t] = best
        last[best, 0], last[best, 1], count[best] = now, 0.0, 0


def late_freshness(run: Run) -> float:
    """In the second half of the time."""
    return float(run.timeline(run.horizon / 2.0).freshness[1])
