"""Fifty greedy workers over real sockets: the rate is never exceeded in any stretch of time, and the budget is used."""

import asyncio

from recrawl.bench.talking import encoded, post
from tests.server.service import Service

RATE, WORKERS, SECONDS = 200.0, 50, 4.0
LASTS = 1000.0


async def greedy(service):
    """The moments at which pages were leased, by the service's clock."""
    urls = [f"https://host{k % 40}.example/{k}" for k in range(int(2 * RATE * SECONDS))]
    loop = asyncio.get_running_loop()
    leased = []
    async with asyncio.timeout(60.0 + SECONDS), service.connections(WORKERS) as lines:
        (await lines[0].ask("add", post("/v1/pages", encoded(urls=urls)))).json()
        end = loop.time() + SECONDS

        async def work(line):
            while loop.time() < end:
                said = (await line.ask("lease", post("/v1/lease", encoded(n=100, seconds=LASTS, wait=1.0)))).json()
                leased.extend([said["expires"] - LASTS] * len(said["pages"]))
                tokens = [page["token"] for page in said["pages"]]
                if tokens:
                    await line.ask("complete", post("/v1/complete", encoded(tokens=tokens, digest="same")))

        await asyncio.gather(*map(work, lines))
    return sorted(leased)


def excess(leased):
    """By how many pages some stretch of time had more than it may."""
    return max(
        k - i + 1 - (RATE * max(leased[k] - leased[i], 1.0) + 1.0)
        for i in range(len(leased))
        for k in range(i, len(leased))
    )


def test_fifty_greedy_workers_never_get_more_than_the_rate_and_leave_nothing_of_it(tmp_path):
    used = []
    for attempt in range(3):  # a machine that is busy for a second costs part of the budget
        with Service(tmp_path / str(attempt), "--rate", f"{RATE:g}/s") as service:
            leased = asyncio.run(greedy(service))
        assert excess(leased) <= 1e-3  # expires is a sum of numbers of about 2e9: rounding is some 2e-7 s
        lasted = leased[-1] - leased[0]
        assert lasted >= 0.8 * SECONDS, "it was a time in which the rate counts"
        used.append(len(leased) / (RATE * lasted))
        if used[-1] >= 0.95:
            return
    raise AssertionError(f"of the budget, these parts were used: {used}")
