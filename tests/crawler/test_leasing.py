"""How many pages are leased at once; a fetch that takes longer than its lease is given up, and the others go on."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from recrawl import Frontier
from recrawl.clock import ManualClock, SystemClock
from recrawl.crawler.counts import Counts
from recrawl.crawler.desk import Desk
from recrawl.crawler.leasing import Leasing
from recrawl.crawler.results import Result
from recrawl.frontier import views
from recrawl.frontier.answers import LeasedPage, Validators


class Slow:
    """A worker whose pages of that name never come."""

    async def page(self, page):
        if "never" in page.url:
            await asyncio.Event().wait()
        return Result(page.url, page.token, page.first, 0.0, None, "fine")


def leasing(desk, lease):
    settings = SimpleNamespace(connections=4, lease=lease, gap=0.0)
    return Leasing(settings, SystemClock(), None, None, Slow(), desk, Counts(), None)


def pages(*names):
    return [LeasedPage(f"https://a.example/{name}", k, Validators(), True) for k, name in enumerate(names)]


async def taken(desk, n):
    found = []
    while len(found) < n:
        found += await desk.take()
    return {result.token: result.refused for result in found}


def test_late_fetches_are_given_up():
    async def main():
        desk = Desk(SystemClock())
        ours = leasing(desk, 0.05)
        for page in pages("never", "a", "never-either"):
            ours._start(page)
        async with asyncio.timeout(10.0):
            return await taken(desk, 3), ours._tasks, ours._late

    assert asyncio.run(main()) == ({0: "given-up", 1: "fine", 2: "given-up"}, {}, set())


def test_a_fetch_that_somebody_else_ends_gives_no_result():
    async def main():
        desk = Desk(SystemClock())
        ours = leasing(desk, 60.0)
        ours._start(pages("never")[0])
        await asyncio.sleep(0)
        tasks = tuple(ours._tasks)
        ours.cancel()
        await asyncio.wait(tasks)
        return desk.in_hand, [task.cancelled() for task in tasks]

    assert asyncio.run(main()) == (0, [True])


def test_more_pages_are_leased_at_once_where_many_results_come():
    async def main():
        desk = Desk(SystemClock())
        ours = leasing(desk, 60.0)
        few = ours._room()
        desk.many = True
        many = ours._room()
        ours._start(pages("never")[0])
        under_way = ours._room()
        ours.cancel()
        await asyncio.wait(ours._tasks)
        return few, many, under_way

    assert asyncio.run(main()) == (8, 12, 11)


def test_a_source_that_is_offered_before_its_time_is_put_off_until_then():
    frontier = Frontier(clock=ManualClock(1e9), gap=0.0)
    names = ["https://a.example/page", "https://a.example/sitemap.xml"]
    frontier.add(names)

    async def main():
        waits = {names[1]: 3600.0}
        settings = SimpleNamespace(connections=4, lease=60.0, gap=0.0)
        early = Leasing(
            settings, SystemClock(), frontier, None, Slow(), Desk(SystemClock()), Counts(), None,
            lambda url, _: waits.get(url, 0.0),
        )  # fmt: skip
        with ThreadPoolExecutor(1) as pool:
            return [page.url for page in await early._ripe(pool, frontier.lease(4))]

    assert asyncio.run(main()) == names[:1]
    assert frontier.look(lambda state, now: views.put_off(state, names, now)) == names[1:]
    assert [host.failures for host in frontier.hosts()] == [0]
