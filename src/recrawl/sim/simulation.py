"""`simulate`: one policy in one world."""

import os

from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.policies import ValuePolicy
from recrawl.sim.delays import Delay
from recrawl.sim.events import Ids, Times
from recrawl.sim.hosts import Hosts
from recrawl.sim.loop import drive
from recrawl.sim.permits import Schedule, permits
from recrawl.sim.rules import Policy, find
from recrawl.sim.run import Run
from recrawl.sim.trace import Trace
from recrawl.sim.trace_file import read_trace
from recrawl.sim.world import World

HORIZON = 1000.0


def simulate(
    pages: Pages,
    policy: Policy = "greedy-ncis",
    rate: float = 100.0,
    horizon: float | None = None,
    seed: int = 0,
    warmup: float = 0.0,
    delay: Delay | None = None,
    discard: float = 0.0,
    bandwidth: Schedule | None = None,
    believed: Pages | None = None,
    hosts: Hosts | None = None,
    trace: str | os.PathLike[str] | Trace | None = None,
    *,
    world: World | None = None,
) -> Run:
    """What `policy` does to these pages, crawled `rate` times per unit of time from 0 to the horizon.

    All pages are crawled at 0.  The world is drawn from `seed` and does not depend on the policy: runs of one seed are
    paired.  `world` hands in one that was made before (with its own horizon, seed and delay), `trace` a recorded one (a
    file or a `Trace`).  The horizon is 1,000 where it is not given, or the last event of the trace.

    ============= ============================================================================================
    `warmup`      nothing before this time is measured
    `delay`       how late true signals come: `sim.Constant`, `sim.Exponential`, `sim.Poisson`
    `discard`     for how long after a crawl the policy drops signals of the page (the paper's NCIS-D)
    `bandwidth`   (time, rate) pairs: from that time on, that rate
    `believed`    pages with the parameters the policy is to believe in, where they differ from the true ones
    `hosts`       `sim.Hosts`: which pages share a host, and the least time between its crawls
    ============= ============================================================================================

    >>> pages = Pages.from_rates(change_rate=[1.0, 2.0, 0.5], importance=1.0, recall=0.5, false_signal_rate=0.2)
    >>> run = simulate(pages, "greedy-ncis", rate=3.0, horizon=2000.0, seed=1)
    >>> blind = simulate(pages, "greedy", rate=3.0, horizon=2000.0, seed=1)
    >>> run.freshness > blind.freshness + 0.02
    True
    """
    if world is None:
        world = make_world(pages, horizon, seed, delay, trace)
    else:
        for argument, value in (("horizon", horizon), ("delay", delay), ("trace", trace)):
            if value is not None:
                raise InputError(f"{argument} must be left out with a world, which has its own", argument=argument)
    _check(pages, world, warmup, discard, believed)
    name, chosen = find(policy)
    held = pages if believed is None else believed
    moments = permits(rate, world.horizon, bandwidth)
    if isinstance(chosen, ValuePolicy):
        taken = _replayed(held, chosen, world, moments, discard, hosts)
    elif hosts is not None:
        raise InputError(f"hosts must be left out for {name}, which is a rule and not a value", argument="hosts")
    else:
        taken = drive(chosen(held, rate), world, moments, discard)
    used = taken >= 0
    return Run(name, world, pages.importance, moments[used], taken[used], warmup, int((~used).sum()))


def make_world(
    pages: Pages, horizon: float | None, seed: int, delay: Delay | None, trace: str | os.PathLike[str] | Trace | None
) -> World:
    """A world for `simulate`, to be shared by several runs."""
    if trace is None:
        return World.draw(pages, HORIZON if horizon is None else horizon, seed, delay)
    if delay is not None:
        raise InputError("delay must be left out with a trace, whose signals come when they came", argument="delay")
    if isinstance(trace, str | os.PathLike):
        trace = read_trace(trace, len(pages))
    elif not isinstance(trace, Trace):
        raise InputError(f"trace must be a file or a sim.Trace, got {trace!r:.80}; see sim.Trace.of", argument="trace")
    return World.from_trace(trace, horizon)


def _check(pages: Pages, world: World, warmup: float, discard: float, believed: Pages | None) -> None:
    if len(world) != len(pages):
        raise InputError(f"world must have the {len(pages)} pages, got {len(world)}", argument="world")
    if believed is not None and (not isinstance(believed, Pages) or len(believed) != len(pages)):
        raise InputError(f"believed must be Pages, one for each of {len(pages)}, got {believed!r:.80}", "believed")
    if not discard >= 0.0:
        raise InputError(f"discard must be >= 0, got {discard}", argument="discard")
    if not 0.0 <= warmup < world.horizon:
        raise InputError(f"warmup must be in [0, {world.horizon:g}), before the horizon, got {warmup}", "warmup")


def _replayed(
    pages: Pages, policy: ValuePolicy, world: World, moments: Times, discard: float, hosts: Hosts | None
) -> Ids:
    if hosts is not None and not isinstance(hosts, Hosts):
        raise InputError(f"hosts must be sim.Hosts(of_page, gap), got {hosts!r:.80}", argument="hosts")
    scheduler = Scheduler(pages, policy, discard=discard, hosts=None if hosts is None else hosts.of_page)
    if hosts is not None:
        hosts.limit(scheduler)
    return scheduler.replay(moments, world.signal_times, world.signal_pages)
