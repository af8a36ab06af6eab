"""Policies that are told nothing about the pages and learn while they crawl."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import labels
from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.learn import Hints, Learner
from recrawl.learn.neighbours.neighbours import Neighbours
from recrawl.pairing import Pairing
from recrawl.policies import ValuePolicy, get
from recrawl.policies.rule import Rule
from recrawl.sim.events import Ids, Times
from recrawl.sim.hosts import Hosts
from recrawl.sim.learning_loop import learn_while_crawling
from recrawl.sim.loop import drive
from recrawl.sim.scheduled import Scheduled
from recrawl.sim.world import World

Keys = NDArray[np.uint64]

MOST_FOLDERS = (1 << 62) - 1


@dataclass(frozen=True)
class Learning:
    """How a policy learns in a simulation; the settings are those of `recrawl.learn.Learner`.

    Importance is known.  `hosts` are those of the simulation, where it has any, unless they are given.

    `folders`: a number for each page, -1 for none.  Pages of one folder are neighbours, and a change found on one of
    them is news for the others (learn/neighbours/news.py).

    With `frontier` a whole `Frontier` in memory is driven, by URL, instead of a scheduler and a learner alone: slower,
    and what a crawler really runs.  It takes `folders`, `half_life` and `explore` only, and hears who sent a signal and
    when that says that the change happened, where the world tells.  `unit` is how many seconds a unit of time is to it.
    """

    hosts: ArrayLike | None = None
    kinds: ArrayLike | None = None
    folders: ArrayLike | None = None
    prior: Hints | ArrayLike | None = None
    half_life: float = inf
    explore: float = 100.0
    explore_rounds: float = 30.0
    tilt: float = 1.0
    frontier: bool = False
    unit: float = 1.0

    def learner(self, importance: Times, hosts: Hosts | None = None) -> Learner:
        """A learner that has seen nothing yet."""
        told = hosts.of_page if self.hosts is None and hosts is not None else self.hosts
        return Learner(
            len(importance),
            told,
            self.kinds,
            self.prior,
            self.half_life,
            importance=importance,
            explore=self.explore,
            explore_rounds=self.explore_rounds,
            tilt=self.tilt,
            now=0.0,
        )

    def folder_keys(self, n: int) -> Keys | None:
        """A key for the folder of each of n pages, 0 for none; None where no folders were given."""
        if self.folders is None:
            return None
        numbers = labels("folders", self.folders, n, np.int64, MOST_FOLDERS, "less than 2^62")
        return (numbers + 1).astype(np.uint64)

    def neighbours(self, n: int, pages: Ids | None = None) -> Neighbours | None:
        """What knows the folders of n pages, or of some of them, numbered anew; None where no folders were given."""
        keys = self.folder_keys(n)
        if keys is None:
            return None
        chosen = keys if pages is None else keys[pages]
        neighbours = Neighbours()
        neighbours.join(np.arange(len(chosen)), chosen)
        return neighbours


class Learned(Scheduled):
    """A scheduler and a learner, step by step: what a crawler would write."""

    def __init__(self, pairing: Pairing) -> None:
        super().__init__(pairing.scheduler)
        self.pairing = pairing

    def signalled(self, pages: Sequence[int], times: Sequence[float]) -> None:
        """Both hear of it."""
        for page, time in zip(pages, times, strict=True):
            self.pairing.signal([page], time)

    def crawled(self, page: int, now: float, elapsed: float, signals: int, changed: bool) -> None:
        """The outcome changes what is believed of the page, and now and then of all."""
        del elapsed, signals  # the learner counts itself
        self.pairing.found([page], [changed], now)


def crawl_and_learn(
    learning: Learning,
    importance: Times,
    policy: ValuePolicy,
    world: World,
    moments: Times,
    discard: float,
    hosts: Hosts | None,
) -> Ids:
    """The page crawled at each moment, -1 for none.

    Compiled for policies that believe pages as they are, and for GREEDY; the others go step by step, in Python.
    """
    if learning.frontier:
        return drive(_in_frontier(learning, importance, policy, hosts, world, discard), world, moments)
    learner = learning.learner(importance, hosts)
    scheduler = Scheduler(learner.pages(), policy, discard=discard, hosts=None if hosts is None else hosts.of_page)
    if hosts is not None:
        hosts.limit(scheduler)
    silent = policy.believe is get("greedy").believe
    neighbours = learning.neighbours(len(importance))
    if silent and neighbours is not None:
        rule = "for a policy that hears of no changes between two crawls"
        raise InputError(f"folders must be left out {rule}, got {policy.name}", argument="believed")
    if silent or policy.believe is get("greedy-ncis").believe:
        return learn_while_crawling(scheduler, learner, world, moments, discard, silent, neighbours)
    return drive(Learned(Pairing(scheduler, learner, neighbours=neighbours)), world, moments, discard)


def _in_frontier(
    learning: Learning, importance: Times, policy: ValuePolicy, hosts: Hosts | None, world: World, discard: float
) -> Rule:
    from recrawl.sim.in_frontier import InFrontier  # with its store; most simulations do without

    plain = Learning(half_life=learning.half_life, explore=learning.explore, frontier=True, unit=learning.unit)
    folders = learning.folder_keys(len(importance))
    if discard > 0.0:
        raise InputError("discard must be left out for a frontier, which has no such window", argument="discard")
    arrays = (learning.hosts, learning.kinds, learning.prior)
    numbers = replace(learning, hosts=None, kinds=None, prior=None, folders=None)
    if any(array is not None for array in arrays) or numbers != plain or policy.name != "greedy-ncis":
        rule = "folders, half_life and explore only, and the policy must be greedy-ncis"
        raise InputError(f"believed must have {rule}, for a frontier; got {learning!r:.200}", argument="believed")
    return InFrontier(importance, hosts, learning.half_life, learning.explore, world, learning.unit, folders)
