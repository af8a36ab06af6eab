"""The crawler against real HTTP: it finds pages, keeps them fresh, is polite, and survives what hosts do."""

import json

import pytest

from recrawl.clock import ScaledClock
from recrawl.livingweb import FeedPlan, HostPlan, LivingWeb, Poisson, SitemapPlan, hostile, many
from recrawl.outputs import changes
from tests.crawler.running import crawled

DAY = 86_400.0


def test_once_fetches_every_page_once_and_stops(tmp_path):
    with LivingWeb(many(3, 20)) as web:
        _, status = crawled(web, once=True, data=str(tmp_path))
        score = web.score("recrawl")
    assert (status.state, status.reason) == ("stopped", "every page was fetched")
    assert (score.useful, score.wasted, score.disallowed) == (60, 0, 0)
    assert status.pages_new == 0
    kinds = [change.kind for change in changes.read(tmp_path / "changes.ndjson")]
    assert kinds == ["new"] * len(kinds)
    assert len(kinds) >= 60


def test_a_second_run_goes_on_and_tells_nothing_twice(tmp_path):
    with LivingWeb(many(1, 20)) as web:
        crawled(web, once=True, data=str(tmp_path))
        told = (tmp_path / "changes.ndjson").read_bytes()
        crawled(web, once=True, data=str(tmp_path))
        score = web.score("recrawl")
    assert (tmp_path / "changes.ndjson").read_bytes() == told
    assert (score.useful, score.wasted) == (20, 20)
    assert score.statuses["304"] >= 15  # but for the one in twenty that is asked for in full
    assert score.kinds["robots"] == 1


def test_a_living_web_is_kept_fresher_than_fetching_once_would():
    """Two years in twenty seconds, half a crawl a page and month: in ten, a busy machine was too late too often."""
    plans = [HostPlan("a", Poisson(100, 1.0 / 60.0), SitemapPlan(build_days=1.0))]
    with LivingWeb(plans, lasting=20.0, days=730.0, hold=True) as web:
        clock = web.begin()
        assert isinstance(clock, ScaledClock)
        scale = clock.scale
        _, status = crawled(
            web,
            lambda c: clock.wall() > clock.start + 700.0 * DAY,
            clock=clock,
            rate=0.5 * 100 / (30.0 * DAY),
            window=20.0 * scale,
            robots_fresh=90.0 * DAY,
        )
        score = web.score("recrawl")
    assert score.freshness > 0.5  # pages fetched once would be fresh for 60 of 730 days: 8%
    assert status.counts["signals of sitemap"]["heard"] > 100
    (sitemap,) = status.signals
    assert sitemap["name"] == "sitemap"
    assert sitemap["latency"] < 20.0 * DAY  # signals say when it happened


def test_politeness_by_the_webs_own_log():
    with LivingWeb(many(10, 10, crawl_delay=0.2)) as web:
        _, status = crawled(web, once=True, rate=40.0, gap=0.05, max_in_flight=1)
        score = web.score("recrawl")
    assert status.reason == "every page was fetched"
    assert (score.disallowed, score.too_soon, score.most_at_once) == (0, 0, 1)
    assert score.shortest_gap >= 0.2
    assert score.most_in_a_second <= 41


def test_hostile_hosts_are_counted_and_do_no_harm():
    with LivingWeb(hostile(40, 3, share=0.5)) as web:
        crawler, status = (
            crawled(
                web,
                lambda c: c.clock.monotonic() - began > 8.0,
                rate=200.0,
                timeout=3.0,
                idle_timeout=1.0,
                connect_timeout=1.0,
                body_bytes=1 << 20,
            )
            if (began := _now())
            else (None, None)
        )
        score = web.score("recrawl")
    assert status.reason == "seen enough"
    assert "mistakes" not in status.counts
    faults = status.counts["faults"]
    assert len(faults) >= 8, faults
    healthy = [name for k, name in enumerate(web.hosts) if k % 2 == 0]
    assert min(score.by_host[name] for name in healthy) > 0.3
    assert crawler is not None


def _now():
    from recrawl.clock import SystemClock

    return SystemClock().monotonic()


def test_robots_are_obeyed_and_disallowed_pages_not_even_added():
    plans = [HostPlan("a", Poisson(20, 0.05), disallow=("/private/",))]
    with LivingWeb(plans) as web:
        crawled(web, once=True, follow=3)
        score = web.score("recrawl")
    assert score.disallowed == 0
    assert score.kinds.get("trap", 0) == 0


@pytest.mark.parametrize("robots", ["absent", "moved", "huge", "html"])
def test_robots_of_every_kind(robots):
    with LivingWeb([HostPlan("a", Poisson(5, 0.05), robots=robots)]) as web:
        crawled(web, once=True)
        score = web.score("recrawl")
    assert (score.useful, score.disallowed) == (5, 0)


def test_a_site_that_cannot_say_what_is_forbidden_is_left_alone():
    with LivingWeb([HostPlan("a", Poisson(5, 0.05), robots="unavailable")]) as web:
        _, status = crawled(web, lambda c: c.counts.get("faults", "robots-unreachable") >= 1)
        score = web.score("recrawl")
    assert set(score.kinds) == {"robots"}
    assert status.counts["faults"]["robots-unreachable"] >= 1


def test_feeds_that_a_site_advertises_are_read():
    plans = [HostPlan("a", Poisson(30, 0.5), sitemap=None, feed=FeedPlan(window=20))]
    with LivingWeb(plans, scale=DAY, days=365.0) as web:
        _, status = crawled(
            web, lambda c: c.counts.get("signals of feed", "heard") > 5, clock=web.clock, rate=20.0 / DAY, follow=2
        )
    assert status.sources.get("feed", 0) >= 1
    assert status.counts["signals of feed"]["heard"] > 5


def test_warc_files_and_changes_point_at_each_other(tmp_path):
    with LivingWeb(many(1, 5)) as web:
        crawled(web, once=True, data=str(tmp_path / "data"), warc=str(tmp_path / "warc"))
    (file,) = (tmp_path / "warc").iterdir()
    found = list(changes.read(tmp_path / "data" / "changes.ndjson"))
    assert {change.warc[0] for change in found} == {file.name}
    assert len({change.warc[1] for change in found}) == len(found)


def test_the_status_is_there_afterwards(tmp_path):
    with LivingWeb(many(1, 5)) as web:
        crawled(web, once=True, data=str(tmp_path))
    status = json.loads((tmp_path / "status.json").read_text())
    assert status["state"] == "stopped"
    assert status["counts"]["requests"]["robots.txt"] == 1
