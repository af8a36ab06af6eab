"""Worlds in which a learner is held against an oracle that is told the parameters."""

from dataclasses import dataclass

import numpy as np

from recrawl.engine import Scheduler
from recrawl.model import Pages
from recrawl.paper.trials import instances
from recrawl.sim import Events, Learning, Run, World, simulate
from recrawl.sim.permits import permits

HOSTS = 20
QUALITY = (0.2, 0.95)
"""Precision and recall of a host's signals are drawn between these."""
DRIFTING = 3
"""One page in this number changes twice as often from half-time on."""

KINDS = ("paper", "host", "drift")


@dataclass(frozen=True)
class LearningWorld:
    """Pages, what they become at half-time where they drift, their hosts, and the events."""

    pages: Pages
    later: Pages | None
    hosts: np.ndarray
    world: World


def draw(kind: str, m: int, seed: int, horizon: float = instances.HORIZON) -> LearningWorld:
    """A world of one of KINDS, from its seed."""
    rng = np.random.default_rng([seed, 7])
    hosts = rng.integers(0, HOSTS, size=m)
    if kind == "host":
        plain = instances.silent(m, seed)
        precision, recall = rng.uniform(*QUALITY, size=(2, HOSTS))
        pages = Pages.from_quality(plain.change_rate, plain.importance, precision[hosts], recall[hosts])
        return LearningWorld(pages, None, hosts, World.draw(pages, horizon, seed))
    pages = instances.noisy(m, seed)
    if kind == "paper":
        return LearningWorld(pages, None, hosts, World.draw(pages, horizon, seed))
    factor = np.ones(m)
    factor[rng.permutation(m)[: m // DRIFTING]] = 2.0
    later = Pages.from_rates(pages.change_rate * factor, pages.importance, pages.recall, pages.false_signal_rate)
    half = horizon / 2.0
    return LearningWorld(
        pages, later, hosts, joined(World.draw(pages, half, seed), World.draw(later, half, seed + 2**32))
    )


def joined(first: World, second: World) -> World:
    """One world after the other."""
    at = first.horizon
    whose = np.concatenate((first.changes.pages, second.changes.pages))
    when = np.concatenate((first.changes.times, second.changes.times + at))
    return World(
        at + second.horizon,
        Events.grouped(whose, when, len(first)),
        np.concatenate((first.signal_times, second.signal_times + at)),
        np.concatenate((first.signal_pages, second.signal_pages)),
        given_requests=Events.grouped(np.empty(0, dtype=np.int64), np.empty(0), len(first)),
    )


def oracle(drawn: LearningWorld) -> Run:
    """The policy that knows the parameters, and at once when they change."""
    world = drawn.world
    if drawn.later is None:
        return simulate(drawn.pages, rate=instances.RATE, world=world)
    moments = permits(instances.RATE, world.horizon)
    half = world.horizon / 2.0
    scheduler = Scheduler(drawn.pages)
    begun = int(np.searchsorted(moments, half, side="right"))
    heard = int(np.searchsorted(world.signal_times, moments[begun - 1], side="right"))
    first = scheduler.replay(moments[:begun], world.signal_times[:heard], world.signal_pages[:heard])
    scheduler.update(np.arange(len(drawn.pages)), drawn.later, half)
    second = scheduler.replay(moments[begun:], world.signal_times[heard:], world.signal_pages[heard:])
    return Run("oracle", world, drawn.pages.importance, moments, np.concatenate((first, second)))


def learned(drawn: LearningWorld, learning: Learning) -> Run:
    """The policy that is told nothing but the importance of pages."""
    return simulate(drawn.pages, rate=instances.RATE, world=drawn.world, believed=learning)
