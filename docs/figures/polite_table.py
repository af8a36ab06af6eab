"""How polite the crawler is, by the log of the web that it crawls: the table of docs/crawl.md, "Politeness measured".

`python docs/figures/polite_table.py [seconds]`: an hour of 200 hosts in so many seconds (120), once for each budget.
Every second host asks for 7 seconds between two requests; the crawler leaves the others 5.  Every host forbids a part
of itself, and its pages link to it.
"""
# ruff: noqa: T201

import asyncio
import sys
import tempfile
import threading
from dataclasses import replace

from recrawl.crawler import Crawler, Settings
from recrawl.frontier import warm_up
from recrawl.livingweb import LivingWeb, Score, many
from recrawl.livingweb.resolver import aiohttp_resolver

HOSTS, PAGES, A_DAY = 200, 20, 24.0
HOUR = 3600.0
GAP, ASKED = 5.0, 7.0
BUDGETS = (5.0, 20.0, None)
"""Requests a second of the web's clock; the last one is bounded by the hosts alone."""


def crawled(rate: float | None, seconds: float) -> Score:
    """What the web says of an hour."""
    plans = [
        replace(plan, disallow=("/private/",), crawl_delay=ASKED if k % 2 else None)
        for k, plan in enumerate(many(HOSTS, PAGES, a_day=A_DAY))
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        LivingWeb(plans, lasting=seconds, days=HOUR / 86_400.0, hold=True) as web,
    ):
        settings = Settings(
            sites=tuple(web.urls.values()),
            rate=rate,
            gap=GAP,
            max_in_flight=1,
            follow=3,
            data=folder,
            allow_private=True,
            user_agent="polite/1.0",
        )
        clock = web.begin()
        crawler = Crawler(settings, clock=clock, resolver=aiohttp_resolver())
        threading.Timer(clock.real(HOUR), crawler.stop).start()
        asyncio.run(crawler.run())
        return web.score("polite")


def main(seconds: float = 120.0) -> None:
    """Print the table."""
    warm_up()
    heads = ("budget", "requests", "forbidden", "shortest gap", "where 7 s are asked for", "at once", "in a second")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    for rate in BUDGETS:
        score = crawled(rate, seconds)
        gaps = list(score.gap.items())
        asked = min(gap for name, gap in gaps if int(name.removeprefix("h")) % 2)
        forbidden = score.disallowed + score.kinds.get("trap", 0)
        cells = (f"{score.shortest_gap:.2f} s", f"{asked:.2f} s", str(score.most_at_once), str(score.most_in_a_second))
        budget = "none" if rate is None else f"{rate:g}/s"
        print(f"| {budget} | {score.requests:,} | {forbidden} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
