"""Long answers are read and written in slices, and come to the same."""

import json
from dataclasses import asdict

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier, warm_up
from recrawl.server import slices
from tests.server.live import ask, get, serving

URLS = [f"https://h{i % 7}.example/{i}" for i in range(1_000)]


@pytest.fixture(scope="module", autouse=True)
def _kernels():
    warm_up()


class Noting(Frontier):
    """Notes how many are asked for at a time."""

    def pages(self, after=-1, limit=1000):
        self.__dict__.setdefault("asked", []).append(limit)
        return super().pages(after, limit)


@pytest.fixture
def frontier():
    held = Noting(clock=ManualClock(1e9), rate=10.0)
    held.add(URLS)
    held.forget(URLS[100:700])
    held.add([f"https://new.example/{i}" for i in range(50)])
    (page,) = held.lease(1)
    held.complete(page.token, digest="1", validators={"etag": '"x"', "last_modified": "then"})
    return held


def told(view):
    """A page as JSON tells it."""
    fields = {name: None if value != value else value for name, value in asdict(view).items()}
    etag, last_modified = fields.pop("validators")
    return {**fields, "etag": etag, "last_modified": last_modified}


def test_pages_of_several_slices(frontier):
    expected = [told(view) for view in frontier.pages(limit=10_000)[0]]
    with serving(frontier) as url:
        frontier.asked.clear()
        first = get(url, "/v1/pages?limit=250")
        rest = get(url, f"/v1/pages?limit=9999&after={first['after']}")
        none = get(url, f"/v1/pages?after={rest['after']}")
    assert (len(first["pages"]), len(rest["pages"]), none) == (250, 200, {"pages": [], "after": rest["after"]})
    assert first["pages"] + rest["pages"] == expected
    assert max(frontier.asked) == slices.AT_ONCE


def test_lines_of_several_slices(frontier):
    expected = [view.url for view in frontier.pages(limit=10_000)[0]]
    with serving(frontier) as url:
        frontier.asked.clear()
        text = ask(url, "GET", "/v1/pages", headers={"Accept": "application/x-ndjson"})[2]
    assert [json.loads(line)["url"] for line in text.splitlines()] == expected
    assert max(frontier.asked) == slices.AT_ONCE


def test_hosts_of_several_slices():
    frontier = Frontier()
    frontier.add([f"https://h{i}.example/" for i in range(450)])
    with serving(frontier) as url:
        first = get(url, "/v1/hosts?limit=420")
        rest = get(url, f"/v1/hosts?after={first['after']}")
    assert (len(first["hosts"]), first["after"], len(rest["hosts"]), rest["after"]) == (420, 419, 30, 449)
    assert first["hosts"] + rest["hosts"] == [asdict(view) for view in frontier.hosts()]


def test_an_empty_frontier():
    with serving() as url:
        assert get(url, "/v1/pages") == {"pages": [], "after": -1}
        assert get(url, "/v1/hosts") == {"hosts": [], "after": -1}
