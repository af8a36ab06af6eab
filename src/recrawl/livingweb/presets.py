"""Ready-made webs: `demo`, `many` and `hostile`."""

from dataclasses import replace

from recrawl.histories import shipped
from recrawl.histories.history import History
from recrawl.livingweb.changing import Builds, Bursty, Changing, Daily, Poisson, Replay
from recrawl.livingweb.faults import FAULTS
from recrawl.livingweb.plan import FeedPlan, HostPlan, SitemapPlan


def demo(
    history: History | None = None, *, pages: int | None = None, come_and_go: bool = False
) -> tuple[HostPlan, ...]:
    """One healthy host on a real history (default: the shipped one), of the pages that are there throughout or of all.

    lastmod follows half of the changes, and two of five of its advances are false: precision .6, recall .5.
    """
    past = shipped() if history is None else history
    past = past if come_and_go else past.alive_throughout()
    sitemap = SitemapPlan(build_days=1.0, recall=0.5, precision=0.6)
    return (HostPlan("docs", Replay(past, pages), sitemap, crawl_delay=None),)


def many(
    hosts: int, pages: int = 100, *, a_day: float = 0.05, crawl_delay: float | None = None
) -> tuple[HostPlan, ...]:
    """Healthy hosts h0, h1, ... with so many pages each: their pages change, and they say so, in turn in every way."""
    return tuple(_healthy(k, pages, a_day, crawl_delay) for k in range(hosts))


def hostile(
    hosts: int, pages: int = 20, *, share: float = 0.2, a_day: float = 0.05, crawl_delay: float | None = None
) -> tuple[HostPlan, ...]:
    """As `many`, but the given share of the hosts, spread evenly, has faults: each the next one of `FAULTS`.

    Faults that may lead a crawler to other machines are left out.  Where there are more such hosts than faults, every
    second time round their sitemaps and feeds have it, too.
    """
    plans, names, bad = [], [name for name, fault in FAULTS.items() if not fault.outside], 0
    for k in range(hosts):
        plan = _healthy(k, pages, a_day, crawl_delay)
        if int((k + 1) * share) > int(k * share):
            fault, sources = names[bad % len(names)], bad // len(names) % 2 == 1
            plan = replace(plan, faults=(fault,), fault_sources=sources)
            bad += 1
        plans.append(plan)
    return tuple(plans)


def _healthy(k: int, pages: int, a_day: float, crawl_delay: float | None) -> HostPlan:
    ways: tuple[Changing, ...] = (
        Poisson(pages, a_day),
        Bursty(pages, a_day),
        Daily(pages, a_day),
        Builds(pages, every_days=2.0 / max(a_day, 1e-9), between=Poisson(1, a_day / 2.0)),
    )
    sitemaps = (
        SitemapPlan(),
        SitemapPlan(recall=0.5, precision=0.6, gzip=True),
        SitemapPlan(lastmod="date", parts=2),
        SitemapPlan(lastmod="build", build_days=7.0),
        SitemapPlan(recall=0.8, lastmod="midnight", parts=2, gzip=True),
    )
    return HostPlan(
        f"h{k}",
        ways[k % len(ways)],
        sitemaps[k % len(sitemaps)],
        feed=FeedPlan(hub="fair" if k % 6 == 0 else "") if k % 3 == 0 else None,
        disallow=("/private/",) if k % 2 == 0 else (),
        crawl_delay=crawl_delay,
        noise=k % 4 == 1,
        chunked=k % 7 == 2,
        gzip=k % 7 == 4,
    )
