"""Demand: importance is learned from requests."""

import numpy as np
import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier

A, B, C = (f"https://{name}.example/" for name in "abc")


@pytest.fixture
def clock():
    return ManualClock(1_000_000.0)


@pytest.fixture
def f(clock):
    frontier = Frontier(clock=clock)
    frontier.add([A, B])
    return frontier


def test_a_page_that_is_asked_for_more_matters_more(f, clock):
    clock.advance(1000.0)
    f.request([A, B], [90, 10])
    assert f.page(A).importance > 2.0 * f.page(B).importance


def test_it_is_fetched_more_often(f, clock):
    fetched = {A: 0, B: 0}
    for _ in range(60):
        clock.advance(10.0)
        f.request([A, B], [50, 1])
        batch = f.lease(1)
        fetched[batch.urls[0]] += 1
        f.complete(batch.tokens, changed=True)
    assert fetched[A] > 1.5 * fetched[B]


def test_what_was_counted_is_told(f):
    got = f.request([A, C, A], 2)
    assert (got.counted, got.unknown) == (2, (C,))
    assert f.statistics["requests"] == 4


def test_one_count_for_all_or_one_each(f):
    f.request([A, B], 3)
    f.request([A, B], [1, 2])
    f.request([A, B], np.array([1, 0]))
    assert f.statistics["requests"] == 10


def test_a_url_may_occur_several_times(f, clock):
    twin = Frontier(clock=clock)
    twin.add([A, B])
    clock.advance(100.0)
    f.request([A, A, B], [1, 2, 5])
    twin.request([A, B], [3, 5])
    assert f.page(A).importance == pytest.approx(twin.page(A).importance, rel=1e-6)  # sums are kept in 32 bits


def test_requests_for_nobody_are_no_error(f):
    before = f.statistics
    assert f.request([C], 5).counted == 0
    assert f.statistics == before


def test_refused_urls_are_told(f):
    got = f.request([A, "no URL"], skip_bad=True)
    assert (got.counted, [entry.item for entry in got.refused]) == (1, [1])


def test_a_request_is_no_signal(f, clock):
    f.complete(f.lease(2).tokens)
    f.request(A, 1000)
    assert f.page(A).fresh == 1.0


def test_a_page_added_later_is_as_important_as_others(f, clock):
    clock.advance(1000.0)
    f.request([A, B], [90, 10])
    f.add(C)
    assert f.page(B).importance <= f.page(C).importance <= f.page(A).importance
