"""Our part of the demo: the crawler that `recrawl run` runs, with nothing changed but the clock."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from recrawl.clock import ScaledClock
from recrawl.crawler import Crawler, Settings, Status
from recrawl.crawler.kept import FRONTIER
from recrawl.demo.settings import DAY, OURS
from recrawl.demo.stage import Stage

ROBOTS_DAYS = 90.0
"""robots.txt is asked for again after so long.  A day, as on the real web, would take a quarter of so small a
budget."""
CONNECTIONS = 1
"""Under way at a time.  One, so that pages are chosen as late as possible: a hundredth of a second is a quarter of a
day here."""
WINDOW_S = 20.0
"""The machine's seconds over which the budget is kept: what was missed while the machine did something else is made
good."""


def settings_of(stage: Stage) -> Settings:
    """As `recrawl run` would be given them."""
    return Settings(
        sitemaps=(f"{stage.base}/sitemap.xml",),
        rate=stage.rate / DAY,
        data=stage.data,
        allow_private=True,
        user_agent=f"{OURS}/demo",
        gap=0.0,
        max_in_flight=CONNECTIONS,
        connections=CONNECTIONS,
        robots_fresh=ROBOTS_DAYS * DAY,
        window=WINDOW_S * stage.scale,
        compare="bytes",
    )


async def first_copies(stage: Stage, clock: ScaledClock) -> Status:
    """Have every page fetched once, while time stands still; importance is all that is told of the pages."""

    def told() -> None:
        from recrawl.frontier import Frontier, start_at_once

        start_at_once()
        with Frontier.open(Path(stage.data) / FRONTIER, clock=clock) as frontier:
            frontier.add(stage.urls, importance=stage.importance)

    settings = replace(settings_of(stage), rate=None, once=True, max_in_flight=16, connections=16)
    return await Crawler(settings, clock=clock, seed=stage.seed, prepare=told).run()


def ready() -> None:
    """Have all kernels, compiled where they never were on this machine, so that nothing waits once time has begun."""
    from recrawl.frontier import warm_up

    warm_up()


def kept_fresh(stage: Stage, clock: ScaledClock, on_status: Callable[[Status], None]) -> Crawler:
    """The crawler that goes on from there."""
    beside = None
    if stage.serve is not None:
        from recrawl.server.along import along

        beside = along(stage.serve, None, lambda url: setattr(crawler, "serves", url))
    crawler = Crawler(settings_of(stage), clock=clock, seed=stage.seed, on_status=on_status, beside=beside)
    return crawler
