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
