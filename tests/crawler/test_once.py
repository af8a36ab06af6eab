"""A crawl of every page once: what it says of itself at the end."""

import asyncio

from recrawl.crawler import Crawler, Settings
from recrawl.outputs import changes
from tests.crawler.running import LIMIT_S
from tests.crawler.site import site


def crawled(folder, *sites, urls=()):
    """Fetch once what there is; the last status."""
    named = {}
    if urls:
        (folder / "urls.txt").write_text("\n".join(urls))
        named = {"urls": str(folder / "urls.txt")}
    settings = Settings(
        sites=sites, rate=None, gap=0.0, allow_private=True, once=True, contact="me@a.example",
        data=str(folder / "data"), **named,
    )  # fmt: skip
    return asyncio.run(asyncio.wait_for(Crawler(settings).run(), LIMIT_S))


def test_parts_and_answers_without_content_are_not_told_as_versions(tmp_path):
    answers = {"/": (200, b"hello"), "/empty": (204, b""), "/part": (206, b"part")}
    with site(answers) as url:
        status = crawled(tmp_path, url, urls=[f"{url}empty", f"{url}part"])
    assert [(change.url, change.kind) for change in changes.read(tmp_path / "data" / "changes.ndjson")] == [
        (url, "new")
    ]
    assert status.counts["faults"]["no-content"] == 1
    assert status.counts["faults"]["bad-response"] == 1


def test_a_site_that_forbids_its_only_page(tmp_path):
    with site({"/robots.txt": (200, b"User-agent: *\nDisallow: /\n")}) as url:
        status = crawled(tmp_path, url)
    assert status.reason == "every page was tried; 1 could not be fetched (robots)"


def test_a_site_that_nobody_is_at(tmp_path):
    status = crawled(tmp_path, "http://127.0.0.1:1/")
    assert status.reason.startswith("every page was tried; 1 could not be fetched (")


def test_pages_that_came_that_are_gone_and_that_failed(tmp_path):
    answers = {"/": (200, b"hello"), "/broken": (500, b"")}
    with site(answers) as url:
        status = crawled(tmp_path, url, urls=[f"{url}missing", f"{url}broken"])
    assert status.reason == "every page was tried; 1 could not be fetched (status 500), 1 gone"


def test_a_second_run_does_not_wait_for_pages_that_failed_or_were_gone_in_the_first(tmp_path):
    answers = {"/": (200, b"hello"), "/broken": (403, b"")}
    with site(answers) as url:
        urls = [f"{url}missing", f"{url}broken"]
        crawled(tmp_path, url, urls=urls)
        status = crawled(tmp_path, url, urls=urls)
    assert status.reason == "every page was tried; 2 left alone for now after runs before"


def test_nothing_to_fetch(tmp_path):
    (tmp_path / "urls.txt").touch()
    settings = Settings(urls=str(tmp_path / "urls.txt"), once=True, contact="me@a.example")
    crawler = Crawler(settings)
    status = asyncio.run(asyncio.wait_for(crawler.run(), LIMIT_S))
    assert (status.reason, crawler.brought_nothing) == ("there was no page to fetch", True)
