"""`simulate`: one policy in one world."""

import os
from typing import Any

import numpy as np

from recrawl.arguments import some_importance
from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.model.latencies import DrawnLatency, KnownLatency
from recrawl.model.pages import some_pages
from recrawl.model.sources import Sources
from recrawl.policies import ValuePolicy
from recrawl.sim.events import Ids, Times
from recrawl.sim.hosts import Hosts
from recrawl.sim.learning import Learning, crawl_and_learn
from recrawl.sim.loop import drive
from recrawl.sim.permits import Schedule, permits
from recrawl.sim.progress import stretches
from recrawl.sim.rules import LEARN, MakeRule, Policy, check_can_learn, find_learning
from recrawl.sim.run import Run
from recrawl.sim.trace import Trace
from recrawl.sim.trace_file import read_trace
from recrawl.sim.world import World

RATE, HORIZON = 100.0, 1000.0
"""Where none are given: those of the paper's experiments."""


def simulate(
    pages: Pages,
    policy: Policy = "greedy-ncis",
    rate: float = RATE,
    horizon: float | None = None,
    seed: int = 0,
    warmup: float = 0.0,
    latency: DrawnLatency | None = None,
    discard: float = 0.0,
    bandwidth: Schedule | None = None,
    believed: Pages | Learning | str | None = None,
    hosts: Hosts | None = None,
    trace: str | os.PathLike[str] | Trace | None = None,
    *,
    believed_latency: str | KnownLatency | None = None,
    sources: Sources | None = None,
    source_class: Ids | None = None,
    world: World | None = None,
) -> Run:
    """What `policy` does to these pages, crawled `rate` times per unit of time from 0 to the horizon.

    `rate` counts the crawls of all pages together; it is 100 where it is not given, as in the paper.  All pages are
    crawled at 0.  The world is drawn from `seed` and does not depend on the policy: runs of one seed are paired.
    `world` hands in one that was made before (with its own horizon, seed and latency), `trace` a recorded one (a file
    or a `Trace`).  The horizon is 1,000 where it is not given, or the last event of the trace.

    ==================== ======================================================================================
    `warmup`             nothing before this time is measured
    `latency`            how late true signals come: `sim.Constant`, `sim.Exponential`, `sim.Poisson`
    `discard`            for how long after a crawl the policy drops signals of the page (the paper's NCIS-D)
    `believed_latency`   the policy weighs signals by their age, as if they came that late; "true": as they do
    `sources`            `Sources`: the signals come from several sources, which greedy-ncis tells apart
    `bandwidth`          (time, rate) pairs: from that time on, that rate
    `believed`           pages with the parameters the policy is to believe in, where they differ from the true ones;
                         "learn" or `sim.Learning`: none to begin with, it learns (so does "greedy-ncis:learn")
    `hosts`              `sim.Hosts`: which pages share a host, and the least time between its crawls
    ==================== ======================================================================================

    >>> pages = Pages.from_rates(change_rate=[1.0, 2.0, 0.5], importance=1.0, recall=0.5, false_signal_rate=0.2)
    >>> run = simulate(pages, "greedy-ncis", rate=3.0, horizon=2000.0, seed=1)
    >>> blind = simulate(pages, "greedy", rate=3.0, horizon=2000.0, seed=1)
    >>> run.freshness > blind.freshness + 0.02
    True
    """
    some_pages(pages)
    if world is None:
        world = make_world(pages, horizon, seed, latency, trace, sources, source_class)
    else:
        _refuse_beside_world(horizon=horizon, latency=latency, trace=trace)
        if world.presence is not None:
            raise InputError(
                "world must have pages that are there throughout; see sim.coming_and_going for others", argument="world"
            )
    name, chosen, believed = _learning(policy, believed)
    _check(pages, world, warmup, discard, believed)
    weighed = latency_of(believed_latency, latency)
    moments = permits(rate, world.horizon, bandwidth)
    held = pages if believed is None else believed
    if isinstance(held, Learning):
        if weighed is not None or sources is not None:
            raise InputError(
                "believed_latency and sources must be left out for a policy that learns", argument="believed"
            )
        value = check_can_learn(name.removesuffix(LEARN), chosen)
        taken = crawl_and_learn(held, pages.importance, value, world, moments, discard, hosts)
    elif isinstance(chosen, ValuePolicy):
        keywords: dict[str, Any] = {"discard": discard, "latency": weighed}
        if sources is not None and chosen.name == "greedy-ncis":
            keywords |= {"sources": sources, "source_class": source_class}
        taken = _replayed(held, chosen, world, moments, hosts, keywords)
    elif weighed is not None:
        message = f"believed_latency must be left out for {name}, which is a rule and not a value"
        raise InputError(message, argument="believed_latency")
    elif hosts is not None:
        raise InputError(f"hosts must be left out for {name}, which is a rule and not a value", argument="hosts")
    else:
        taken = drive(chosen(held, rate), world, moments, discard)
    used = taken >= 0
    return Run(name, world, pages.importance, moments[used], taken[used], warmup, int((~used).sum()))


def _refuse_beside_world(**arguments: object) -> None:
    for argument, given in arguments.items():
        if given is not None:
            raise InputError(f"{argument} must be left out with a world, which has its own", argument=argument)


def _learning(
    policy: Policy, believed: Pages | Learning | str | None
) -> tuple[str, ValuePolicy | MakeRule, Pages | Learning | None]:
    """Name and policy, and what it believes: a policy that learns is named so, or told so."""
    name, chosen, learns = find_learning(policy)
    if learns and isinstance(believed, Pages):
        raise InputError(f"believed must be left out for {name}, which learns, or be sim.Learning", argument="believed")
    if believed == "learn" or (learns and not isinstance(believed, Learning)):
        believed = Learning()
    if isinstance(believed, str):
        raise InputError(f"believed must be Pages, 'learn' or Learning, got {believed!r:.80}", argument="believed")
    if isinstance(believed, Learning):
        name = name if learns else name + LEARN
    return name, chosen, believed


def make_world(
    pages: Pages,
    horizon: float | None,
    seed: int,
    latency: DrawnLatency | None,
    trace: str | os.PathLike[str] | Trace | None,
    sources: Sources | None = None,
    source_class: Ids | None = None,
) -> World:
    """A world for `simulate`, to be shared by several runs."""
    if trace is None:
        return World.draw(pages, HORIZON if horizon is None else horizon, seed, latency, sources, source_class)
    if sources is not None:
        raise InputError("sources must be left out with a trace, which does not tell them apart", argument="sources")
    if latency is not None:
        raise InputError("latency must be left out with a trace, whose signals come when they came", argument="latency")
    if isinstance(trace, str | os.PathLike):
        trace = read_trace(trace, len(pages))
    elif not isinstance(trace, Trace):
        raise InputError(f"trace must be a file or a sim.Trace, got {trace!r:.80}; see sim.Trace.of", argument="trace")
    return World.from_trace(trace, horizon)


def _check(pages: Pages, world: World, warmup: float, discard: float, believed: Pages | Learning | None) -> None:
    some_importance(pages.importance)
    if len(world) != len(pages):
        raise InputError(f"world must have the {len(pages)} pages, got {len(world)}", argument="world")
    learns = believed is None or isinstance(believed, Learning)
    if not learns and (not isinstance(believed, Pages) or len(believed) != len(pages)):
        raise InputError(f"believed must be Pages, one for each of {len(pages)}, got {believed!r:.80}", "believed")
    if not discard >= 0.0:
        raise InputError(f"discard must be >= 0, got {discard}", argument="discard")
    if not 0.0 <= warmup < world.horizon:
        raise InputError(f"warmup must be in [0, {world.horizon:g}), before the horizon, got {warmup}", "warmup")


def latency_of(believed: str | KnownLatency | None, latency: DrawnLatency | None) -> KnownLatency | None:
    """The latency a policy believes in: that of the world for "true"."""
    if not isinstance(believed, str):
        return believed
    if believed != "true":
        message = f"believed_latency must be 'true' or a latency, got {believed!r}"
        raise InputError(message, argument="believed_latency")
    if latency is None:
        message = "believed_latency='true' must have a latency to know; give latency, or what is to be believed"
        raise InputError(message, argument="believed_latency")
    return latency


def _replayed(
    pages: Pages,
    policy: ValuePolicy,
    world: World,
    moments: Times,
    hosts: Hosts | None,
    keywords: dict[str, Any],
) -> Ids:
    if hosts is not None and not isinstance(hosts, Hosts):
        raise InputError(f"hosts must be sim.Hosts(of_page, gap), got {hosts!r:.80}", argument="hosts")
    scheduler = Scheduler(pages, policy, hosts=None if hosts is None else hosts.of_page, **keywords)
    if hosts is not None:
        hosts.limit(scheduler)
    senders = world.signal_sources if "sources" in keywords else None
    taken = np.empty(len(moments), dtype=np.int64)
    heard = 0
    for stretch in stretches(len(moments)):
        until = int(np.searchsorted(world.signal_times, moments[stretch][-1], side="right"))
        part = slice(heard, until)
        sources = 0 if senders is None else senders[part]
        taken[stretch] = scheduler.replay(moments[stretch], world.signal_times[part], world.signal_pages[part], sources)
        heard = until
    return taken
