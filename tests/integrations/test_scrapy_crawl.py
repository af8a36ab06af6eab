"""Real runs of Scrapy against the living web, and what the web and the frontier say of them afterwards."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from recrawl.frontier import Frontier, warm_up
from recrawl.frontier.facts import decode
from recrawl.livingweb import HostPlan, LivingWeb, Poisson
from tests.processes import finished

SPIDER = Path(__file__).parent / "noting_spider.py"
LATE_S = 0.15
"""How late a request may come after it was leased: its queues and busy sockets.  The next one may be on time."""
SELECT = "twisted.internet.selectreactor.SelectReactor"


@pytest.fixture(scope="module", autouse=True)
def _kernels():
    warm_up()


def crawl(folder, urls, outcomes, *arguments, **settings):
    """Have Scrapy crawl these pages until so many outcomes were told; what it logged."""
    with Frontier.open(folder / "data") as frontier:
        frontier.add(urls)
    given = {"RECRAWL_DATA": folder / "data", "NOTES": folder / "notes", "OUTCOMES": outcomes, **settings}
    options = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
    done = finished([sys.executable, "-m", "scrapy", "runspider", str(SPIDER), *options, *arguments])
    assert done.returncode == 0, done.stderr
    return done.stderr


def healthy(hosts, pages):
    return [HostPlan(f"h{k}", Poisson(pages, 0.0), crawl_delay=None) for k in range(hosts)]


def leases(folder):
    """When pages of each host were leased, by the journal."""
    with Frontier.open(folder) as frontier:
        hosts = frontier.look(lambda state, _: state.book.host.copy())
        facts = [fact for group in frontier._store.history() for fact in decode(group.data)]
    found = {}
    for fact in facts:
        if fact.kind == "lease":
            for page in fact.columns["ids"].tolist():
                found.setdefault(int(hosts[page]), []).append(fact.fields["now"])
    return found


def asked(log):
    """When pages of each host were asked for, by the web's log."""
    found = {}
    for line in map(json.loads, log.read_text().splitlines()):
        if line["page"] >= 0:
            found.setdefault(line["host"], []).append(line["begun"])
    return {host: np.sort(times) for host, times in found.items()}


@pytest.mark.parametrize("reactor", ["", SELECT], ids=["asyncio", "select"])
def test_rate_and_gap_hold_on_the_wire(tmp_path, reactor):
    settings = {"TWISTED_REACTOR": reactor, "FORCE_ASYNCIO": False} if reactor else {}
    log = tmp_path / "log"
    with LivingWeb(healthy(4, 20), own_ports=True, log=log) as web:
        err = crawl(tmp_path, list(web.page_urls()), 100, RECRAWL_RATE="15/s", RECRAWL_GAP=0.2, **settings)
        score = web.score("mybot")
        web.flush()
    assert "ERROR" not in err, err
    assert score.first == 80
    leased = leases(tmp_path / "data")
    assert len(leased) == 4
    assert all(np.diff(times).min() >= 0.2 - 1e-6 for times in leased.values())
    for times in asked(log).values():
        assert (times[5:] - times[:-5]).min() >= 5 * 0.2 - LATE_S
    assert score.most_in_a_second <= 15 + 1 + len(score.gap)  # a robots.txt a host is not leased
    assert score.statuses["304"] >= 15  # pages fetched again
    assert "Ignoring response" not in err
    assert score.wasted >= 15  # and it had them
    assert score.time < 60.0  # not 5 s a page


def test_what_came_of_a_page_is_told(tmp_path):
    faults = ("moved", "elsewhere", "not-found", "error", "reset-early", "loop", "bad-gzip")
    plans = [HostPlan(name, Poisson(1, 0.0), faults=(name,), fault_share=1.0) for name in faults]
    plans += [HostPlan("forbidden", Poisson(1, 0.0), disallow=("/docs/",)), HostPlan("raising", Poisson(1, 0.0))]
    with LivingWeb(plans, own_ports=True) as web:
        urls = dict(zip(web.hosts, web.page_urls(), strict=True))
        bug = urls["raising"].split("127.0.0.1")[1]
        # Pages that can be had are fetched again and again while others are on their way.
        settings = {"RECRAWL_GAP": 0.01, "REDIRECT_MAX_TIMES": 3}
        err = crawl(tmp_path, list(urls.values()), 60, "-a", f"raises={bug}", **settings)
        score = web.score("mybot")
        with Frontier.open(tmp_path / "data") as frontier:
            views = {name: frontier.page(url) for name, url in urls.items()}
            new = frontier.page(urls["moved"].replace("/docs/", "/moved/docs/", 1))
            leased = sum(host.in_flight for host in frontier.hosts())
    assert score.disallowed == 0
    assert leased == 0
    assert views.pop("moved") is None, err
    assert new.state == "copy"
    got = {name: (view.state, view.failures) for name, view in views.items()}
    failed = ("new", 1)
    assert got == {
        "elsewhere": ("copy", 0),
        "not-found": ("gone", 1),
        "error": failed,
        "reset-early": failed,
        "loop": failed,
        "bad-gzip": failed,
        "forbidden": failed,
        "raising": failed,
    }
