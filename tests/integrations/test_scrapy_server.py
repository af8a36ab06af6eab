"""Real runs of Scrapy against the living web, fed by a real service in a process of its own."""

import json
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from recrawl.client import Client
from recrawl.livingweb import HostPlan, LivingWeb, Poisson
from recrawl.server import tokens
from tests.processes import LIMIT_S, finished, started

SPIDER = Path(__file__).parent / "noting_spider.py"
PAGES = 40


@contextmanager
def serving(folder, *options, listen="127.0.0.1:0"):
    """The URL of a service on the folder, in a process that is killed with -9 when the block ends."""
    argv = [sys.executable, "-m", "recrawl", "serve", "--data", str(folder), "--listen", listen, *options]
    with started(argv) as process:
        line = process.stdout.readline()
        assert line.startswith("listening on "), process.stderr.read()
        yield line.split()[-1]


def scrapy(folder, url, *arguments, **settings):
    given = {"RECRAWL_SERVER": url, "NOTES": folder / "notes", "RECRAWL_GAP": 0.01, **settings}
    options = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
    return [sys.executable, "-m", "scrapy", "runspider", str(SPIDER), *options, *arguments]


@pytest.fixture
def web():
    plans = [HostPlan(f"h{k}", Poisson(PAGES // 4, 0.0), crawl_delay=None) for k in range(4)]
    with LivingWeb(plans, own_ports=True) as found:
        yield found


def test_a_crawl_fed_by_a_service(tmp_path, web):
    urls = list(web.page_urls())
    secret = tokens.made(tmp_path / "data", "scrapy", "work")
    with serving(tmp_path / "data", "--rate", "15/s") as url, Client(url, secret) as client:
        client.add(urls)
        done = finished(scrapy(tmp_path, url, RECRAWL_TOKEN=secret, OUTCOMES=PAGES + 20))
        assert done.returncode == 0, done.stderr
        assert "ERROR" not in done.stderr, done.stderr
        counts, views = client.statistics, client.pages()[0]
        score = web.score("mybot")
    assert score.first == PAGES
    assert score.statuses["304"] >= 10  # the validators have come back with the leases
    assert score.most_in_a_second <= 15 + 1 + len(score.gap)  # a robots.txt a host is not leased
    assert counts["leased"] == 0
    assert counts["unknown"] + counts["unchanged"] >= PAGES + 20
    assert {view.url: view.state for view in views} == dict.fromkeys(urls, "copy")


def test_a_service_that_is_killed_and_comes_back_loses_nothing(tmp_path, web):
    urls = list(web.page_urls())
    data = tmp_path / "data"
    with ExitStack() as stack:
        log = stack.enter_context((tmp_path / "log").open("w"))
        with serving(data, "--rate", "10/s") as url:
            with Client(url) as client:
                client.add(urls)
            crawl = stack.enter_context(started(scrapy(tmp_path, url, "-a", f"until={PAGES}"), stderr=log))
            for _ in range(PAGES // 4):
                assert crawl.stdout.readline()
        with serving(data, listen=url.removeprefix("http://")) as again, Client(again) as client:
            assert crawl.wait(LIMIT_S) == 0, (tmp_path / "log").read_text()
            counts, views = client.statistics, client.pages()[0]
    noted = {json.loads(line)["url"] for line in (tmp_path / "notes").read_text().splitlines()}
    assert noted == set(urls)
    assert sum(view.state == "copy" for view in views) >= PAGES - 1  # the callback of the last one ended the crawl
    assert counts["leased"] == 0


def test_a_token_that_is_refused_is_said_in_the_log(tmp_path, web):
    tokens.made(tmp_path / "data", "someone", "work")
    with serving(tmp_path / "data") as url:
        done = finished(scrapy(tmp_path, url, RECRAWL_TOKEN="rc_wrong", CLOSESPIDER_TIMEOUT=2))
    assert "does not allow it: give a token that was made here" in done.stderr
