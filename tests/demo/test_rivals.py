"""The rivals over HTTP: within the budget, and as the simulator has them."""

import asyncio
import json

import numpy as np
import pytest

from recrawl.clock import ScaledClock
from recrawl.demo.needs import RULES
from recrawl.demo.rivals import Rival, rule_of
from recrawl.demo.settings import RIVALS, Settings
from recrawl.fetch.client import Fetcher
from recrawl.livingweb import LivingWeb, demo
from recrawl.livingweb.world import DAY
from recrawl.sim.histories import world_of
from recrawl.sim.permits import permits
from recrawl.sim.run import Run

RATE = 0.5
"""Requests a day."""


async def crawled(web, agent, days):
    clock = ScaledClock(web.settings.scale, web.settings.start, float("inf"))
    urls = list(web.page_urls())
    async with Fetcher(f"{agent}/1.0", allow_private=True, clock=clock) as fetcher:
        rival = Rival(fetcher, urls, rule_of(agent, len(urls)), clock)
        await rival.fill()
        clock.began = web.begin().began
        await rival.run(RATE, days)
    return rival.requests


def moments_of(log, copies):
    """When the web was asked, in days, after the first copies; those after the end of time count as at its end."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return np.sort([line["begun"] / DAY for line in lines])[copies:]


@pytest.mark.parametrize("agent", RIVALS)
def test_as_many_requests_as_the_budget_and_as_fresh_as_simulated(agent, tmp_path):
    settings = Settings(pages=40)
    past = settings.history()
    importance = settings.importance(past)
    log = tmp_path / "log"
    with LivingWeb(demo(past), lasting=2.0, importance=importance, hold=True, log=log) as web:
        got = asyncio.run(crawled(web, agent, past.end))
        score = web.score(agent)
        web.flush()
    assert got == score.requests == score.pages == 40 + int(RATE * past.end)
    world = world_of(past)
    # The simulator crawls when the web was asked, not when it should have been: a millisecond is a day here, and a busy
    # machine may be late by many.
    moments = np.minimum(moments_of(log, 40), past.end)
    expected = Run(agent, world, importance, moments, RULES[agent](world, moments)).freshness
    # What is left is the order of requests that are under way together.
    assert score.freshness == pytest.approx(expected, abs=0.02)


def test_requests_come_when_the_budget_has_added_up_to_one_more(tmp_path):
    settings, log = Settings(pages=40), tmp_path / "log"
    past = settings.history()
    with LivingWeb(demo(past), lasting=2.0, hold=True, log=log) as web:
        asyncio.run(crawled(web, RIVALS[0], past.end))
        web.flush()
    late = moments_of(log, 40) - permits(RATE, past.end)
    assert late.min() > -1e-6  # never early, and nothing is skipped
