"""The feed, step by step, with a Scrapy that is not running."""

import asyncio
import logging
from types import SimpleNamespace

import pytest
from scrapy import Request, Spider
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpErrorMiddleware
from twisted.python.failure import Failure

import recrawl
from recrawl.errors import MissingExtraError
from recrawl.frontier import Frontier
from recrawl.integrations.scrapy.addon import Addon
from recrawl.integrations.scrapy.desk import Desk
from recrawl.integrations.scrapy.door import opened
from recrawl.integrations.scrapy.downloading import DownloaderMiddleware
from recrawl.integrations.scrapy.feed import SpiderMiddleware
from recrawl.integrations.scrapy.options import Options
from tests.processes import finished

URL = "https://a.example/"


class Stage:
    """A feed with a frontier in memory, and as much of a crawler as it needs."""

    def __init__(self, **settings):
        self.spider = Spider("s", allowed_domains=["a.example"])
        self.frontier = Frontier()
        self.frontier.add(URL)
        stats = SimpleNamespace(inc_value=lambda key: None, get_value=lambda key: 0)
        crawler = SimpleNamespace(
            settings=Settings({"RECRAWL_DATA": "unused", **settings}),
            spider=self.spider,
            stats=stats,
            engine=SimpleNamespace(paused=False, needs_backout=lambda: False),
            get_spider_middleware=lambda cls: self.errors if cls is HttpErrorMiddleware else self.feed,
        )
        self.spider.crawler = crawler
        self.errors = HttpErrorMiddleware(crawler.settings)
        self.errors.crawler = crawler
        offsite = OffsiteMiddleware(stats)
        offsite.crawler = crawler
        crawler.get_downloader_middleware = lambda cls: offsite
        self.desk = Desk(Options.read(crawler.settings), lambda options: self.frontier)
        self.feed = SpiderMiddleware(crawler, self.desk)
        self.downloader = DownloaderMiddleware(crawler)
        self.feed._kick = lambda: None  # nothing runs here that could flush

    def leased(self, *start):
        """What the spider starts with, and the first page leased after it."""

        async def first():
            feed = self.feed.process_start(every(start))
            found = []
            async for out in feed:
                found.append(out)
                if isinstance(out, Request) and self.feed.owns(out):
                    break
            await feed.aclose()
            return found

        return asyncio.run(first())

    def scraped(self, response, *output):
        """What goes on after a callback with this output."""

        async def all_of():
            return [out async for out in self.feed.process_spider_output(response, every(output))]

        return asyncio.run(all_of())

    @property
    def page(self):
        self.desk.flush()
        return self.frontier.page(URL)


async def every(values):
    for value in values:
        yield value


def answered(stage, request, status=200, **more):
    response = Response(request.url, status=status, request=request, **more)
    stage.feed.response_received(response, request)
    return response


def failed(stage, request, error):
    failure = Failure(error)
    failure.request = request
    return stage.feed.errback(failure)


def test_a_page_that_is_not_modified_ends_before_scrapy_takes_it_for_an_error():
    stage = Stage()
    (request,) = stage.leased()
    stage.spider.recrawl_request = lambda page: Request(page.url, errback=pytest.fail)
    response = answered(stage, request, 304)
    with pytest.raises(IgnoreRequest) as raised:
        stage.feed.process_spider_input(response)
    assert failed(stage, request, raised.value) is None
    assert stage.page.failures == 0


@pytest.mark.parametrize("who", ["the spider", "the request", "the settings", "a spider without that middleware"])
def test_a_callback_that_wants_to_see_it_does(who):
    stage = Stage(**({"HTTPERROR_ALLOWED_CODES": [304]} if who == "the settings" else {}))
    (request,) = stage.leased()
    if who == "the spider":
        stage.spider.handle_httpstatus_list = [304]
    if who == "the request":
        request.meta["handle_httpstatus_list"] = [304]
    if who == "a spider without that middleware":
        stage.errors = None
    stage.feed.process_spider_input(answered(stage, request, 304))


def test_what_is_not_leased_is_scrapys():
    request = Request("https://a.example/own")
    Stage().feed.process_spider_input(Response(request.url, status=304, request=request))


def test_what_the_spider_starts_with_comes_first():
    own = Request("https://a.example/start")
    got = Stage().leased(own)
    assert [request.url for request in got] == [own.url, URL]
    assert got[1].dont_filter
    assert got[1].meta["recrawl_first"]


def test_a_page_fetched_before_is_asked_for_conditionally():
    stage = Stage()
    (lease,) = stage.frontier.lease(1).tokens
    stage.frontier.complete(lease, status=200, validators={"etag": '"x"', "last_modified": "yesterday"})
    (request,) = stage.leased()
    assert request.headers["If-None-Match"] == b'"x"'
    assert request.headers["If-Modified-Since"] == b"yesterday"
    assert answered(stage, request, 304)
    assert stage.page.fetches == 2


def test_a_copy_counts_when_its_items_have_passed_the_pipelines():
    stage = Stage()
    (request,) = stage.leased()
    response = answered(stage, request)
    stage.scraped(response, {"an": "item"}, None)
    assert stage.page.state == "new"
    stage.feed.item_done(response)
    assert stage.page.state == "copy"


@pytest.mark.parametrize("signal", ["item_error", "spider_error"])
def test_a_page_whose_callback_or_pipeline_raised_failed(signal):
    stage = Stage()
    (request,) = stage.leased()
    response = answered(stage, request)
    if signal == "item_error":
        stage.scraped(response, {"an": "item"})
    getattr(stage.feed, signal)(response)
    assert (stage.page.state, stage.page.failures) == ("new", 1)


def test_a_callback_that_asks_for_another_try_keeps_the_lease():
    stage = Stage()
    (request,) = stage.leased()
    again = get_retry_request(request, spider=stage.spider, reason="empty", max_retry_times=2)
    assert stage.scraped(answered(stage, request), again) == [again]
    assert stage.page.state == "new"
    stage.scraped(answered(stage, again))
    assert stage.page.state == "copy"


def test_requests_made_from_a_page_are_not_of_its_lease():
    stage = Stage()
    (request,) = stage.leased()
    response = answered(stage, request)
    (more,) = stage.scraped(response, Request("https://a.example/more", meta=dict(request.meta)))
    assert not stage.feed.owns(more)
    assert "recrawl_lease" not in more.meta


def test_requests_become_pages_where_that_is_asked_for():
    stage = Stage(RECRAWL_DISCOVER=True)
    (request,) = stage.leased(Request("https://a.example/start"))
    post = Request("https://a.example/form", method="POST")
    not_this = Request("https://a.example/api", meta={"recrawl_page": False})
    output = [Request("https://a.example/new"), Request("https://off.example/"), post, not_this]
    assert stage.scraped(answered(stage, request), *output) == [post, not_this]
    stage.desk.flush()
    found = [stage.frontier.page(f"https://a.example/{name}") for name in ("start", "new")]
    assert [page.state for page in found] == ["new", "new"]
    assert stage.frontier.page("https://off.example/") is None


def test_a_download_that_failed_is_told_and_the_spiders_errback_called():
    stage = Stage()
    heard = []
    stage.spider.recrawl_request = lambda page: Request(page.url, errback=lambda failure: heard.append(failure.value))
    (request,) = stage.leased()
    error = TimeoutError()
    failed(stage, request, error)
    assert heard == [error]
    assert stage.page.failures == 1


def test_a_page_that_moved_off_site_is_gone():
    stage = Stage()
    (request,) = stage.leased()
    answered(stage, request, 301, headers={"Location": "https://off.example/"})
    assert stage.page.state == "gone"


def test_permanent_redirects_are_not_followed_and_others_are():
    for status, expected in ((301, True), (302, None)):
        stage = Stage()
        (request,) = stage.leased()
        stage.downloader.process_response(request, HtmlResponse(URL, status=status, headers={"Location": "/new"}))
        assert request.meta.get("dont_redirect") is expected


def test_a_page_whose_lease_is_over_is_not_sent():
    stage = Stage()
    (request,) = stage.leased()
    stage.downloader.process_request(request)
    assert request.meta["download_slot"] == "a.example"
    stage.feed.request_dropped(request)
    with pytest.raises(IgnoreRequest):
        stage.downloader.process_request(request)
    assert stage.page.failures == 1


def test_a_closed_crawl_gives_back_its_leases():
    stage = Stage()
    stage.leased()
    assert stage.frontier.page(URL).leased
    stage.frontier.close = lambda: None
    asyncio.run(stage.feed.spider_closed(stage.spider))
    assert not stage.frontier.page(URL).leased


def test_the_add_on_is_stronger_than_the_project_and_weaker_than_the_spider():
    settings = Settings({"RECRAWL_DATA": "unused", "RECRAWL_GAP": 0.5, "DOWNLOAD_DELAY": 1, "CONCURRENT_REQUESTS": 3})
    settings.set("AUTOTHROTTLE_ENABLED", True, "spider")
    Addon().update_settings(settings)
    assert settings.getfloat("DOWNLOAD_DELAY") == 0.5
    assert settings.getbool("AUTOTHROTTLE_ENABLED")
    assert settings.getint("CONCURRENT_REQUESTS") == 3
    assert logging.getLogger("numba").level == logging.WARNING


def test_a_server_is_spoken_to_by_the_client():
    client = opened(Options.read(Settings({"RECRAWL_SERVER": "http://127.0.0.1:8700", "RECRAWL_TOKEN": "t"})))
    assert isinstance(client, recrawl.Client)
    assert repr(client) == "<Client of http://127.0.0.1:8700>"


def test_without_scrapy_the_error_is_the_command_that_brings_it():
    import sys

    program = "import sys; sys.modules['scrapy'] = None; import recrawl.scrapy"
    done = finished([sys.executable, "-c", program])
    assert f"{MissingExtraError('the feed for Scrapy', 'scrapy')}" in done.stderr
