"""The simulator's twin of a demo: the same learner, pages, changes and signals, and as many fetches; no HTTP.

What the sitemap showed at the moments at which our crawler really fetched it is worked out from the web's own world.
"""

import json
import os
from dataclasses import replace
from itertools import pairwise

import numpy as np

from recrawl.demo.settings import DAY, OURS
from recrawl.histories import History
from recrawl.livingweb.said.sitemaps import Sitemaps
from recrawl.livingweb.world import World
from recrawl.sim import Learning, simulate
from recrawl.sim.events import Ids, Times
from recrawl.sim.histories import true_pages, world_of
from recrawl.sim.run import Run
from recrawl.urls.folders import folder_ids


def sitemap_moments(log: str | os.PathLike[str], agent: str = OURS) -> Times:
    """When a crawler was given the sitemap, in days: by the living web's log of requests."""
    with open(log, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return np.array([x["begun"] / DAY for x in lines if x["kind"] == "sitemap" and x["agent"] == agent])


def heard(world: World, moments: Times) -> tuple[Times, Ids, Times]:
    """Signals of who reads the sitemap at these moments: when, of which page, and when it says that it happened."""
    host = world.hosts[0]
    plan = host.plan.sitemap
    assert plan is not None
    sitemaps = Sitemaps(world, 0.0)
    told = sitemaps.told(host)
    first, times = np.frombuffer(told.first, dtype=np.int64), np.frombuffer(told.times)
    arrivals, pages, happened = [], [], []
    before: Times | None = None
    for moment in moments.tolist():
        built = sitemaps.built(plan, moment * DAY)
        at = np.array([np.searchsorted(times[a:b], built, side="right") for a, b in pairwise(first)])
        # Whole seconds, as they are written; what never advanced is dated when the page came.
        shown = np.where(at > 0, np.floor(times[np.maximum(first[:-1] + at - 1, 0)]), np.frombuffer(world.created))
        if before is not None:
            news = np.flatnonzero(shown > before)
            arrivals.append(np.full(len(news), moment))
            pages.append(news)
            happened.append(shown[news] / DAY)
        before = shown
    none = np.empty(0)
    return (
        np.concatenate([*arrivals, none]),
        np.concatenate([*pages, none]).astype(np.int64),
        np.concatenate([*happened, none]),
    )


def simulated(past: History, importance: Times, world: World, moments: Times, fetches: int) -> Run:
    """What the simulator has a frontier do that fetches so many pages, and reads the sitemap at these moments."""
    arrivals, pages, happened = heard(world, moments)
    later = arrivals > 0.0
    stage = replace(
        world_of(past),
        signal_times=arrivals[later],
        signal_pages=pages[later],
        signal_true=None,
        signal_happened=happened[later],
    )
    believed = Learning(folders=folder_ids(path for _, path in world.pages()), frontier=True, unit=DAY)
    rate = fetches / past.end
    return simulate(true_pages(past, importance), "greedy-ncis", rate, believed=believed, world=stage)
