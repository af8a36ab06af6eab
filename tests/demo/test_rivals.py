"""The rivals over HTTP: within the budget, and as the simulator has them."""

import asyncio

import pytest

from recrawl.clock import ScaledClock
from recrawl.demo.needs import RULES
from recrawl.demo.rivals import Rival, rule_of
from recrawl.demo.settings import RIVALS, Settings
from recrawl.fetch.client import Fetcher
from recrawl.livingweb import LivingWeb, demo
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


@pytest.mark.parametrize("agent", RIVALS)
def test_as_many_requests_as_the_budget_and_as_fresh_as_simulated(agent):
    settings = Settings(pages=40)
    past = settings.history()
    importance = settings.importance(past)
    with LivingWeb(demo(past), lasting=2.0, importance=importance, hold=True) as web:
        got = asyncio.run(crawled(web, agent, past.end))
        score = web.score(agent)
    assert got == score.requests == score.pages == 40 + int(RATE * past.end)
    world = world_of(past)
    moments = permits(RATE, past.end)
    expected = Run(agent, world, importance, moments, RULES[agent](world, moments)).freshness
    # Moments are off by some milliseconds, which are days here; a busy machine may add some.
    assert score.freshness == pytest.approx(expected, abs=0.02)
