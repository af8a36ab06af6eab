"""How a crawler starts: on a machine where nothing is compiled yet, something is done before the frontier is there."""

import asyncio
import subprocess
import sys
import threading

import pytest

from recrawl.crawler import Crawler
from recrawl.crawler.status import read
from recrawl.errors import DataError, InUseError
from recrawl.frontier import Frontier
from recrawl.livingweb import LivingWeb, many
from tests.crawler.running import LIMIT_S, crawled, settings_for


def test_loading_the_crawler_loads_no_kernels():
    """What `import recrawl.crawler` brings must not compile; it is loaded before the first request."""
    code = "import sys, recrawl.crawler; print({m.split('.')[1] for m in sys.modules if m.startswith('recrawl.')})"
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "crawler" in got
    assert "engine" not in got
    assert "learn" not in got


def test_robots_is_asked_for_while_the_frontier_is_prepared(tmp_path):
    asked = threading.Event()

    with LivingWeb(many(2, 5)) as web:

        def prepare():
            while web.score("recrawl").kinds.get("robots", 0) < 2 and not asked.wait(0.01):
                pass
            asked.set()
            assert web.score("recrawl").useful == 0  # no page yet

        crawled(web, once=True, data=str(tmp_path), prepare=prepare)
        score = web.score("recrawl")
    assert asked.is_set()
    assert (score.kinds["robots"], score.useful) == (2, 10)  # once each: what was found then holds


def test_in_a_folder_with_a_past_nobody_is_asked_before_the_frontier_is_there(tmp_path):
    with LivingWeb(many(1, 5)) as web:
        with Frontier.open(tmp_path / "frontier"):
            pass
        before = []
        crawled(web, once=True, data=str(tmp_path), prepare=lambda: before.append(web.score("recrawl").requests))
    assert before == [0]


def test_a_crawler_whose_folder_is_in_use_says_so(tmp_path):
    with LivingWeb(many(1, 5)) as web, Frontier.open(tmp_path / "frontier"):
        crawler = Crawler(settings_for(web, data=str(tmp_path)))
        with pytest.raises(InUseError, match="in use"):
            asyncio.run(crawler.run())


def test_a_crawl_that_ends_by_an_error_says_so_in_its_status(tmp_path):
    async def broken(_):
        raise DataError("is damaged", "some file")

    with LivingWeb(many(1, 5)) as web:
        crawler = Crawler(settings_for(web, data=str(tmp_path)), beside=broken)
        with pytest.raises(DataError):
            asyncio.run(asyncio.wait_for(crawler.run(), LIMIT_S))
    status = read(tmp_path)
    assert (status.state, status.reason) == ("stopped", "by an error: some file: is damaged")
