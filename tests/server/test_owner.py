"""Who waits for pages: how long, and what becomes of the pages of somebody who has gone."""

import asyncio
import threading

import pytest

from recrawl.frontier import Frontier
from recrawl.server.owner import Owner

URLS = [f"https://a.example/{k}" for k in range(5)]


def slow(monkeypatch):
    """A frontier with pages whose lease says that it has begun, and waits until it may go on."""
    frontier = Frontier()
    frontier.add(URLS)
    lease, begun, go_on = frontier.lease, threading.Event(), threading.Event()

    def leased(*args, **options):
        begun.set()
        go_on.wait()
        return lease(*args, **options)

    monkeypatch.setattr(frontier, "lease", leased)
    return frontier, begun, go_on


def test_pages_that_were_leased_when_it_turned_out_that_nobody_is_there_are_offered_again(monkeypatch):
    frontier, begun, go_on = slow(monkeypatch)

    async def run():
        owner = Owner(frontier)
        with owner.running():
            gone = asyncio.Event()
            asking = asyncio.create_task(owner.lease(5, None, 0.0, None, gone.wait()))
            await asyncio.to_thread(begun.wait)
            gone.set()
            assert len(await asking) == 0
            go_on.set()
            async with asyncio.timeout(60.0):
                return await owner.lease(5, None, 60.0, None)

    assert sorted(asyncio.run(run()).urls) == URLS


def test_who_has_gone_waits_no_longer_and_the_next_gets_the_pages():
    frontier = Frontier()

    async def run():
        owner = Owner(frontier)
        with owner.running():
            gone = asyncio.Event()
            asking = asyncio.create_task(owner.lease(5, None, 60.0, None, gone.wait()))
            await owner.call(len, frontier)
            gone.set()
            assert len(await asking) == 0
            await owner.call(frontier.add, URLS)
            return await owner.lease(5, None, 60.0, None)

    assert sorted(asyncio.run(run()).urls) == URLS


def test_pages_dealt_under_a_key_are_not_given_back_when_who_asked_has_gone(monkeypatch):
    """Who has the key may have asked again meanwhile, and has these very pages then."""
    frontier, begun, go_on = slow(monkeypatch)

    async def run():
        owner = Owner(frontier)
        with owner.running():
            gone = asyncio.Event()
            asking = asyncio.create_task(owner.lease(5, None, 0.0, "k", gone.wait()))
            await asyncio.to_thread(begun.wait)
            gone.set()
            assert len(await asking) == 0
            go_on.set()
            again = await owner.lease(5, None, 0.0, "k")
            return again, await owner.lease(5, None, 0.0, None)

    again, others = asyncio.run(run())
    assert sorted(again.urls) == URLS
    assert others.urls == ()


@pytest.mark.parametrize("rate", [0.0, 1e-6])
def test_who_waits_is_answered_in_time_where_there_will_be_no_pages_for_longer_than_that(rate):
    frontier = Frontier(rate=rate)
    frontier.add(URLS)
    frontier.lease(5)  # the rate lets a first page through at once

    async def run():
        owner = Owner(frontier)
        with owner.running():
            async with asyncio.timeout(5.0):  # a hundred times as long
                return await owner.lease(5, None, 0.05, None)

    assert asyncio.run(run()).urls == ()
