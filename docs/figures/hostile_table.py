"""What hostile hosts cost the healthy ones: the tables of docs/crawl.md, "Hostile hosts".

`python docs/figures/hostile_table.py [seeds] [seconds]`: for each seed the crawler keeps a web of healthy hosts fresh,
and the same web with hostile hosts added, so that they are a fifth of all.  The healthy pages and their changes are the
same, and so is the budget a page.  A last table has what the crawler calls each fault, from a host that has only that.
"""
# ruff: noqa: T201

import asyncio
import multiprocessing
import os
import sys
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from recrawl.clock import ScaledClock
from recrawl.crawler import Crawler, Settings
from recrawl.frontier import warm_up
from recrawl.livingweb import HostPlan, LivingWeb, Poisson, many
from recrawl.livingweb.faults import FAULTS
from recrawl.livingweb.resolver import aiohttp_resolver

DAY = 86_400.0
HEALTHY, PAGES, A_DAY = 240, 10, 0.5
DAYS, WARM_DAYS = 10.0, 3.0
RATE = 1.0
"""Requests a page and day."""
WINDOW_S = 20.0
"""The machine's seconds over which the budget is kept, as in the demo: else each moment at which the machine does
something else is hours of this web in which nothing is fetched, and is never made good."""
NAMES = [name for name, fault in FAULTS.items() if not fault.outside]
PATIENCE: dict[str, Any] = {"timeout": 6.0, "idle_timeout": 2.0, "connect_timeout": 1.0, "body_bytes": 1 << 20}
"""Network time-outs go by the machine's clock, on which a day of this web takes some seconds."""


def hostile_hosts() -> tuple[HostPlan, ...]:
    """Every fault on a host by itself, and on another one whose sitemaps and feeds have it, too."""
    plans = many(2 * len(NAMES), PAGES, a_day=A_DAY)
    return tuple(
        replace(plan, name=f"bad{k}", faults=(NAMES[k % len(NAMES)],), fault_sources=k >= len(NAMES))
        for k, plan in enumerate(plans)
    )


def resident() -> float:
    """MiB of memory that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def crawl(pipe: Connection, settings: Settings, clock: tuple[float, float, float], seed: int) -> None:
    """Run the crawler, in a process of its own; sends its memory after warming up and at the end, and its counts."""
    time = ScaledClock(*clock)
    memory: list[tuple[float, float]] = []
    crawler = Crawler(
        settings,
        clock=time,
        resolver=aiohttp_resolver(),
        seed=seed,
        on_status=lambda _: memory.append((time.monotonic() / DAY, resident())),
    )
    threading.Timer(time.real(DAYS * DAY - time.monotonic()), crawler.stop).start()
    status = asyncio.run(crawler.run())
    pipe.send((memory, status.counts))


def measured(plans: Iterable[HostPlan], seed: int, seconds: float) -> tuple[float, list[tuple[float, float]], Any, Any]:
    """True freshness of the healthy hosts, memory by day, counts of the crawler, and the web's score."""
    plans = tuple(plans)
    with (
        tempfile.TemporaryDirectory() as folder,
        LivingWeb(plans, lasting=seconds, days=DAYS, seed=seed, counted_from=WARM_DAYS, hold=True) as web,
    ):
        settings = Settings(
            sites=tuple(web.urls.values()),
            rate=RATE * len(plans) * PAGES / DAY,
            window=WINDOW_S * web.settings.scale,
            robots_fresh=30.0 * DAY,
            data=os.path.join(folder, "data"),
            allow_private=True,
            user_agent="recrawl/1.0",
            **PATIENCE,
        )
        ours, theirs = multiprocessing.Pipe()
        clock = web.begin()
        child = multiprocessing.get_context("spawn").Process(
            target=crawl, args=(theirs, settings, (clock.scale, clock.start, clock.began), seed)
        )
        child.start()
        theirs.close()
        memory, counts = ours.recv()
        child.join()
        score = web.score("recrawl")
    healthy = [score.by_host[plan.name] for plan in plans if not plan.faults]
    return float(np.mean(healthy)), memory, counts, score


def by_fault(name: str) -> str:
    """What the crawler counts at a host that has one fault only."""
    plan = HostPlan("a", Poisson(3, 0.0), faults=(name,))
    with LivingWeb([plan]) as web:
        settings = Settings(
            sites=tuple(web.urls.values()), rate=None, gap=0.0, max_in_flight=4, allow_private=True, **PATIENCE
        )
        crawler = Crawler(settings, resolver=aiohttp_resolver())
        threading.Timer(5.0, crawler.stop).start()
        counts = asyncio.run(crawler.run()).counts
    return ", ".join(counts.get("faults", {})) or "none: " + ", ".join(counts.get("statuses", {}))


def main(seeds: int = 5, seconds: float = 60.0) -> None:
    """Print the tables."""
    warm_up()
    good, bad = many(HEALTHY, PAGES, a_day=A_DAY), hostile_hosts()
    print(f"{len(good)} healthy hosts, {len(bad)} hostile ones, {PAGES} pages each; {DAYS:g} days in {seconds:g} s\n")
    print(
        "| seed | healthy alone | with hostile hosts | ratio | budget used | MiB after warm-up, at the end | mistakes |"
    )
    print("|---|---|---|---|---|---|---|")
    ratios, faults, done, both = [], {}, {}, len(good) + len(bad)
    for seed in range(seeds):
        alone, _, _, before = measured(good, seed, seconds)
        among, memory, counts, score = measured((*good, *bad), seed, seconds)
        warm = next((mib for day, mib in memory if day >= WARM_DAYS), float("nan"))
        end = memory[-1][1]
        ratios.append(among / alone)
        mistakes = sum(counts.get("mistakes", {}).values())
        used = [found.requests / (RATE * hosts * PAGES * DAYS) for found, hosts in ((before, HEALTHY), (score, both))]
        cells = (
            f"{alone:.4f} | {among:.4f} | {among / alone:.4f} | {used[0]:.3f}, {used[1]:.3f} | {warm:.0f}, {end:.0f}"
        )
        print(f"| {seed} | {cells} | {mistakes} |", flush=True)
        for into, found in ((faults, counts["faults"]), (done, score.faults)):
            for name, number in found.items():
                into[name] = into.get(name, 0) + number
    error = np.std(ratios, ddof=1) / np.sqrt(seeds) if seeds > 1 else float("nan")
    print(f"\nhealthy hosts keep {100 * np.mean(ratios):.2f}% of their freshness (standard error {100 * error:.2f})\n")
    print("counted by the crawler:", ", ".join(f"{name} {number:,}" for name, number in sorted(faults.items())))
    print("\n| fault | done by the web | what the crawler calls it |\n|---|---|---|")
    for name in NAMES:
        print(f"| `{name}` | {done.get(name, 0):,} | {by_fault(name)} |", flush=True)


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, float), sys.argv[1:], strict=False)))
