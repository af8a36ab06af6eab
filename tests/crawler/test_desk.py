"""Results are handed over at once where few come, and in larger groups where many do."""

import asyncio

from recrawl.clock import SystemClock
from recrawl.crawler import desk as module
from recrawl.crawler.desk import ENOUGH, GROUP, MANY, Desk
from recrawl.crawler.results import Result


def put(desk, n):
    for k in range(n):
        desk.put(Result(f"https://a.example/{k}", k, True, 0.0, None))


def sizes(steps, *, patience=60.0, stopping=False, monkeypatch):
    """How many results `take` gives: of each step some are there before it is called, and some come after."""
    monkeypatch.setattr(module, "PATIENCE_S", patience)

    async def main():
        desk, found = Desk(SystemClock()), []
        desk.stopping = stopping
        for before, after in steps:
            put(desk, before)
            taking = asyncio.create_task(desk.take())
            await asyncio.sleep(0)
            put(desk, after)
            async with asyncio.timeout(10.0):
                group = await taking
            found.append(len(group))
            desk.handed_over(group)
        return found, desk.in_hand

    return asyncio.run(main())


def test_few_are_taken_at_once(monkeypatch):
    assert sizes([(1, 0), (0, 1), (MANY - 1, 0), (2, 0)], monkeypatch=monkeypatch) == ([1, 1, MANY - 1, 2], 0)


def test_after_many_the_next_group_waits_for_more(monkeypatch):
    assert sizes([(MANY, 0), (1, ENOUGH - 1)], monkeypatch=monkeypatch) == ([MANY, ENOUGH], 0)


def test_it_does_not_wait_for_long(monkeypatch):
    assert sizes([(MANY, 0), (1, 0), (1, 0)], patience=0.001, monkeypatch=monkeypatch) == ([MANY, 1, 1], 0)


def test_it_waits_for_nothing_when_the_crawler_stops(monkeypatch):
    assert sizes([(MANY, 0), (1, 0)], stopping=True, monkeypatch=monkeypatch) == ([MANY, 1], 0)


def test_no_group_is_larger_than_allowed(monkeypatch):
    assert sizes([(GROUP + 3, 0), (ENOUGH, 0)], monkeypatch=monkeypatch) == ([GROUP, ENOUGH + 3], 0)
