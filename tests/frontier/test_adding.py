"""Adding and forgetting pages: one page a URL, however it is spelled."""

import math

import numpy as np
import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier

A, B = "https://a.example/", "https://b.example/"


@pytest.fixture
def clock():
    return ManualClock(1_000_000.0)


@pytest.fixture
def f(clock):
    return Frontier(clock=clock)


def test_new_and_known_pages_are_told(f):
    assert (f.add([A]).new, f.add([A, B]).known) == (1, 1)
    assert len(f) == 2


@pytest.mark.parametrize(
    "spelling", ["HTTPS://A.EXAMPLE", "https://a.example:443/#top", "https://a.example/x/..", " https://a.example/\n"]
)
def test_other_spellings_are_the_same_page(f, spelling):
    f.add(A)
    assert (f.add(spelling).known, len(f), spelling in f) == (1, 1, True)


def test_a_url_given_twice_is_one_page(f):
    got = f.add([A, "HTTPS://a.example", A])
    assert (got.new, got.known, len(f)) == (1, 2, 1)


@pytest.mark.parametrize("urls", [[A, B], (A, B), np.array([A, B]), iter([A, B]), {A: 1, B: 2}.keys()])
def test_many_kinds_of_lists(f, urls):
    assert f.add(urls).new == 2


def test_a_bad_url_is_an_error_and_nothing_is_added(f):
    with pytest.raises(InputError, match="urls in row 1: url must begin with http:// or https://"):
        f.add([A, "ftp://b.example/", B])
    assert len(f) == 0


def test_or_is_told_and_the_others_are_added(f):
    got = f.add([A, "ftp://b.example/", B], skip_bad=True)
    assert (got.new, [(entry.item, entry.reason) for entry in got.refused]) == (
        2, [(1, "url must begin with http:// or https://")])  # fmt: skip


def test_settings_come_one_for_all_or_one_each(f):
    f.add([A, B], importance=[3.0, 1.0], max_age=100.0)
    assert f.page(A).importance == pytest.approx(3.0 * f.page(B).importance)


def test_the_right_rows_go_with_the_urls_that_are_not_refused(f):
    f.add(["no URL", A, B], importance=[9.0, 3.0, 1.0], skip_bad=True)
    assert f.page(A).importance == pytest.approx(3.0 * f.page(B).importance)


def test_a_hint_tells_how_often_a_page_changes(clock):
    f = Frontier(clock=clock, rate=0.002)  # a page every 1,000 seconds
    f.add([A, B], every=[100.0, 10_000.0])
    assert f.page(A).change_rate > 5.0 * f.page(B).change_rate


def test_nan_is_for_no_hint(f):
    f.add([A], every=[np.nan], importance=np.nan, max_age=[np.nan])
    g = Frontier(clock=ManualClock(1_000_000.0))
    g.add([A])
    assert f.page(A) == g.page(A)


def test_importance_of_a_known_page_is_replaced(f):
    f.add([A, B])
    f.add(A, importance=5.0)
    assert f.page(A).importance == pytest.approx(5.0 * f.page(B).importance)


def test_what_is_not_given_stays(f):
    f.add([A, B], importance=[5.0, 1.0])
    f.add(A)
    assert f.page(A).importance == pytest.approx(5.0 * f.page(B).importance)


def test_a_page_too_old_is_fetched_before_all_others(f, clock):
    f.add([A, B], importance=[1.0, 1000.0], max_age=[50.0, np.nan])
    f.complete(f.lease(2).tokens, digest="v1")
    clock.advance(60.0)
    assert f.lease(1).urls == (A,)


def test_max_age_of_a_known_page_is_replaced(f, clock):
    f.add([A, B], importance=[1.0, 1000.0])
    f.complete(f.lease(2).tokens, digest="v1")
    f.add(A, max_age=50.0)
    clock.advance(60.0)
    assert f.lease(1).urls == (A,)


def test_a_known_page_keeps_its_history(f, clock):
    f.add(A)
    f.complete(f.lease(1).tokens, digest="v1")
    before = f.page(A)
    f.add(A)
    assert f.page(A) == before


def test_a_leased_page_stays_leased(f):
    f.add(A)
    f.lease(1)
    f.add(A, importance=2.0)
    assert f.page(A).leased
    assert len(f.lease(1)) == 0


def test_hosts_come_from_the_url_with_the_port_where_it_is_unusual(f):
    f.add([A, "https://a.example:8443/", "http://b.example:80/"])
    assert [host.name for host in f.hosts()] == ["a.example", "a.example:8443", "b.example"]


def test_or_are_told(f):
    f.add([A, B], group="one site")
    assert [(host.name, host.pages) for host in f.hosts()] == [("one site", 2)]


def test_one_group_each(f):
    f.add([A, B], group=["x", "y"])
    assert (f.page(A).host, f.page(B).host) == ("x", "y")


# -- forgetting --------------------------------------------------------------------------------------------------------


def test_forgotten_pages_are_gone(f):
    f.add([A, B])
    assert f.forget([A, A, "https://c.example/"]) == 1
    assert (len(f), f.page(A), [host.pages for host in f.hosts()]) == (1, None, [0, 1])


def test_a_forgotten_page_is_not_leased(f):
    f.add([A, B])
    f.forget(A)
    assert f.lease(5).urls == (B,)


def test_a_page_added_again_has_no_history(f, clock):
    f.add(A)
    f.complete(f.lease(1).tokens, digest="v1", validators={"etag": "x"})
    f.signal(A)
    f.forget(A)
    f.add(A)
    page = f.page(A)
    assert (page.state, page.fetches, page.fetched, page.digest, page.validators.etag) == ("new", 0, None, None, "")
    assert f.lease(1).first == (True,)


def test_a_leased_page_can_be_forgotten(f):
    f.add([A, B])
    f.lease(2)
    f.forget(A)
    assert (f.statistics["leased"], [host.in_flight for host in f.hosts()]) == (1, [0, 1])


def test_forgetting_all_and_beginning_anew(f):
    for _ in range(3):
        f.add([A, B])
        f.complete(f.lease(2).tokens, digest="v1")
        assert f.forget([A, B]) == 2
    assert (len(f), f.pages()[0], f.freshness().pages) == (0, [], 0)


def test_pages_are_listed_in_order(f):
    urls = [f"https://a.example/{k}" for k in range(5)]
    f.add(urls)
    first, after = f.pages(limit=3)
    rest, end = f.pages(after=after, limit=3)
    assert [page.url for page in first + rest] == urls
    assert f.pages(after=end) == ([], end)


def test_of_a_url_given_twice_in_a_call_all_that_is_said_counts():
    f = Frontier()
    assert f.add([A, A, A], importance=[1.0, 5.0, math.nan]).new == 1
    assert f.page(A).importance == pytest.approx(5.0)
    f.add([A, A], importance=[7.0, math.nan])
    assert f.page(A).importance == pytest.approx(7.0)


def test_importance_beyond_all_bounds_does_not_keep_pages_out(tmp_path):
    with Frontier.open(tmp_path / "data") as f:
        f.add(A)
        f.request(A, 1e15)
        f.request(A, 1e15)
        assert f.add("https://b.example/").new == 1
    with Frontier.open(tmp_path / "data") as again:
        assert len(again) == 2


def test_a_rate_next_to_nothing_does_not_keep_pages_out():
    assert Frontier(rate=1e-300).add(A).new == 1


def test_pages_beyond_a_long_gap(monkeypatch):
    monkeypatch.setattr("recrawl.frontier.views.LOOK", 4)
    f = Frontier()
    urls = [f"https://a.example/{i}" for i in range(60)]
    f.add(urls)
    f.forget(urls[3:47] + urls[50:])
    found, after = f.pages(limit=5)
    assert [page.url for page in found] == [*urls[:3], *urls[47:49]]
    assert [page.url for page in f.pages(after)[0]] == urls[49:50]
