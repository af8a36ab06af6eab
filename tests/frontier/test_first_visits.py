"""Pages never fetched: who is visited first, what share they get, and what a first copy teaches."""

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.frontier.kept.firsts import FULL, LATER, READY, Firsts
from recrawl.store import MemoryStore

NOW = 1_000_000.0


def frontier(**settings):
    clock = ManualClock(NOW)
    return Frontier(clock=clock, **settings), clock


def urls(n, host="a"):
    return [f"https://{host}.example/{k}" for k in range(n)]


def fetched(f, n):
    """Add n pages and fetch each once."""
    f.add(urls(n, "old"))
    batch = f.lease(n)
    f.complete(batch.tokens, digest="v1")
    assert len(batch) == n


# -- a page without a copy --------------------------------------------------------------------------------------------


def test_a_page_never_fetched_is_new_and_certainly_stale():
    f, _ = frontier()
    f.add("https://a.example/")
    page = f.page("https://a.example/")
    assert (page.state, page.fetches, page.fetched, page.fresh) == ("new", 0, None, 0.0)


def test_it_is_worth_more_than_one_with_a_copy():
    f, clock = frontier()
    fetched(f, 5)
    clock.advance(1.0)
    f.add("https://a.example/")
    assert f.lease(1).urls == ("https://a.example/",)


def test_the_batch_says_which_are_first_visits():
    f, clock = frontier()
    fetched(f, 1)
    clock.advance(100.0)
    f.add("https://a.example/")
    assert {page.url: page.first for page in f.lease(5)} == {"https://a.example/": True, "https://old.example/0": False}


@pytest.mark.parametrize("discovery", [None, 0.5])
def test_the_first_outcome_teaches_nothing_but_existence(discovery):
    f, clock = frontier(discovery=discovery)
    f.add("https://a.example/")
    before = f.page("https://a.example/").change_rate
    clock.advance(86400.0)
    got = f.complete(f.lease(1).tokens, digest="v1", changed=True)
    assert (got.unknown, f.statistics["outcomes"], f.page("https://a.example/").change_rate) == (1, 0, before)


def test_the_interval_begins_at_the_first_copy_not_when_the_page_was_added():
    f, clock = frontier()
    f.add("https://a.example/")
    clock.advance(86400.0)
    f.complete(f.lease(1).tokens)
    assert f._state.pairing.learner.crawled([0]).tolist() == [NOW + 86400.0]


def test_a_failed_first_visit_leaves_the_page_new():
    f, clock = frontier()
    f.add("https://a.example/")
    f.complete(f.lease(1).tokens, error="timeout")
    clock.advance(100.0)
    assert f.page("https://a.example/").state == "new"
    assert f.lease(1).first == (True,)


def test_among_pages_of_one_host_the_more_important_come_first():
    f, _ = frontier(discovery=1.0)
    f.add(urls(3), importance=[1.0, 9.0, 3.0])
    assert f.lease(3).urls == tuple(urls(3)[k] for k in (1, 2, 0))


# -- the share ---------------------------------------------------------------------------------------------------------


def firsts_among(f, clock, rounds, n):
    first = 0
    for _ in range(rounds):
        clock.advance(1.0)
        batch = f.lease(n)
        assert len(batch) == n
        first += sum(batch.first)
        f.complete(batch.tokens, digest="v1")
    return first


@pytest.mark.parametrize(("share", "expected"), [(0.25, 25), (0.5, 50), (1.0, 100)])
def test_a_share_of_the_leases_is_for_first_visits(share, expected):
    f, clock = frontier(discovery=share)
    fetched(f, 50)
    f.add(urls(200))
    assert firsts_among(f, clock, 25, 4) == pytest.approx(expected, abs=5)  # up to five may be owed


def test_a_share_of_nothing_still_visits_when_nobody_else_is_there():
    f, _ = frontier(discovery=0.0)
    f.add(urls(3))
    assert len(f.lease(10)) == 3


def test_the_share_is_kept_with_small_batches():
    f, clock = frontier(discovery=0.25)
    fetched(f, 50)
    f.add(urls(200))
    assert firsts_among(f, clock, 100, 1) == pytest.approx(25, abs=5)


def test_what_first_visits_do_not_need_goes_to_the_others():
    f, clock = frontier(discovery=0.5)
    fetched(f, 20)
    clock.advance(1.0)
    f.add(urls(2))
    batch = f.lease(20)
    assert (len(batch), sum(batch.first)) == (20, 2)


def test_first_visits_keep_to_what_hosts_allow():
    f, clock = frontier(discovery=1.0, gap=10.0, max_in_flight=1)
    f.add(urls(5) + urls(5, "b"))
    batch = f.lease(10)
    assert sorted(batch.urls) == ["https://a.example/0", "https://b.example/0"]
    clock.advance(20.0)
    assert len(f.lease(10)) == 0  # both are in flight
    f.complete(batch.tokens)
    assert len(f.lease(10)) == 0  # the answers came a moment ago
    clock.advance(10.0)
    assert len(f.lease(10)) == 2


# -- failures ----------------------------------------------------------------------------------------------------------


def test_a_failed_first_visit_waits():
    f, clock = frontier(discovery=0.5)
    f.add("https://a.example/")
    f.complete(f.lease(1).tokens, error="timeout")
    clock.advance(44.0)
    assert len(f.lease(1)) == 0
    clock.advance(32.0)
    assert len(f.lease(1)) == 1


def test_it_waits_as_long_after_the_frontier_was_rebuilt():
    store, clock = MemoryStore(), ManualClock(NOW)
    f = Frontier(clock=clock, store=store, discovery=0.5)
    f.add("https://a.example/")
    f.complete(f.lease(1).tokens, error="timeout")
    again = Frontier(clock=clock, store=store.reopened())
    assert len(again.lease(1)) == 0


def test_a_page_that_failed_twice_does_not_come_back_with_the_first_wait():
    pages = Firsts()
    pages.push([7], [0], [1], not_before=60.0)
    pages.drop(7)  # someone took it
    pages.push([7], [0], [1], not_before=200.0)
    assert pages.pick(1, 100.0, lambda host: (READY, 0.0), lambda page: None) == []
    assert pages.delays() == [(200.0, 7)]
    assert pages.pick(1, 200.0, lambda host: (READY, 0.0), lambda page: None) == [7]


def test_hosts_that_are_full_or_not_ready_are_asked_again():
    pages, hosts = Firsts(), {0: (FULL, 0.0), 1: (LATER, 5.0), 2: (READY, 0.0)}
    pages.push([10, 11, 12], [0, 1, 2], [1, 1, 1])
    assert pages.pick(3, 0.0, hosts.get, lambda page: None) == [12]
    hosts[0] = hosts[1] = (READY, 0.0)
    assert pages.pick(3, 4.0, hosts.get, lambda page: None) == [10]
    assert pages.pick(3, 5.0, hosts.get, lambda page: None) == [11]
