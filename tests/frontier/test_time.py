"""Clocks that are set back or forth, within a run and while the frontier is closed."""

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.store import MemoryStore

NOW = 1_000_000_000.0
DAY = 86_400.0
URLS = [f"https://a.example/{k}" for k in range(100)]
JUMPS = [-DAY, DAY, -1e9, 1e8]


@pytest.fixture
def clock():
    return ManualClock(NOW)


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def f(clock, store):
    frontier = Frontier(clock=clock, store=store, rate=4.0)
    frontier.add(URLS)
    return frontier


def jump(clock, seconds):
    clock.set_wall(clock.wall() + seconds)


# -- within a run ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", JUMPS)
def test_a_jump_of_the_wall_clock_lets_no_lease_expire(f, clock, seconds):
    batch = f.lease(1)
    jump(clock, seconds)
    clock.advance(299.0)
    assert f.complete(batch.tokens).late == 0


@pytest.mark.parametrize("seconds", [-DAY, DAY])
def test_a_fetch_dated_by_a_clock_that_was_set_is_taken(f, clock, seconds):
    batch = f.lease(1)
    jump(clock, seconds)
    f.complete(batch.tokens, digest="v1", at=clock.wall())
    assert f.page(batch.urls[0]).fetched == NOW


@pytest.mark.parametrize("seconds", JUMPS)
def test_nor_does_it_keep_one_from_expiring(f, clock, seconds):
    batch = f.lease(1)
    jump(clock, seconds)
    clock.advance(300.0)
    assert f.complete(batch.tokens).late == 1


@pytest.mark.parametrize("seconds", JUMPS)
def test_there_is_no_burst_and_no_drought(f, clock, seconds):
    got = 0
    for step in range(32):
        if step == 16:
            jump(clock, seconds)
        got += len(f.lease(100))
        clock.advance(0.25)
    assert 4.0 * 31 * 0.25 <= got <= 4.0 * 32 * 0.25 + 1


@pytest.mark.parametrize("seconds", JUMPS)
def test_intervals_are_those_of_the_monotonic_clock(f, clock, seconds):
    f.complete(f.lease(1).tokens, digest="v1")
    jump(clock, seconds)
    clock.advance(50.0)
    f.forget(URLS[1:])
    f.complete(f.lease(1).tokens, digest="v2")
    assert f.page(URLS[0]).fetched == NOW + 50.0


def test_jumps_to_and_fro_are_as_if_none_had_been(clock):
    still, shaken = Frontier(clock=ManualClock(NOW), rate=4.0), Frontier(clock=clock, rate=4.0)
    answers = []
    for f in (still, shaken):
        f.add(URLS)
        mine = []
        for step in range(40):
            f._time._clock.advance(0.25)
            if f is shaken:
                jump(clock, DAY if step % 2 else -3 * DAY)
            batch = f.lease(3)
            mine.append((batch, f.complete(batch.tokens, digest=str(step % 3)), f.signal(URLS[step])))
        answers.append(repr((mine, f.pages(), f.freshness())))
    assert answers[0] == answers[1]


# -- across restarts ---------------------------------------------------------------------------------------------------


def reopened(clock, store):
    return Frontier(clock=clock, store=store.reopened())


@pytest.mark.parametrize("seconds", JUMPS)
def test_leases_last_while_nobody_is_there(f, clock, store, seconds):
    batch = f.lease(1)
    jump(clock, seconds)
    again = reopened(clock, store)
    assert len(again.lease(100)) <= 5
    clock.advance(299.0)
    assert again.complete(batch.tokens).late == 0


def test_and_expire_as_much_later(f, clock, store):
    batch = f.lease(1)
    clock.advance(DAY)
    again = reopened(clock, store)
    clock.advance(300.0)
    assert again.complete(batch.tokens).late == 1


@pytest.mark.parametrize("seconds", JUMPS)
def test_there_is_no_burst_after_opening(f, clock, store, seconds):
    f.lease(100)
    jump(clock, seconds)
    again = reopened(clock, store)
    assert len(again.lease(100)) <= 5


@pytest.mark.parametrize("seconds", [-DAY, -1e9])
def test_time_goes_on_from_where_it_was_when_the_wall_clock_is_behind(f, clock, store, seconds):
    clock.advance(10.0)
    f.complete(f.lease(1).tokens, digest="v1")
    jump(clock, seconds)
    again = reopened(clock, store)
    clock.advance(5.0)
    again.complete(again.lease(1).tokens, digest="v1")
    assert sorted(page.fetched for page in again.pages()[0] if page.fetched) == [NOW + 10.0, NOW + 15.0]


def test_the_time_it_was_closed_counts_for_pages(f, clock, store):
    f.complete(f.lease(1).tokens, digest="v1")
    before = next(page for page in f.pages()[0] if page.fetched)
    clock.advance(1000.0)
    after = reopened(clock, store).page(before.url)
    assert after.fresh < before.fresh


@pytest.mark.parametrize("seconds", JUMPS)
def test_a_frontier_that_was_opened_often_goes_on(f, clock, store, seconds):
    for _ in range(4):
        jump(clock, seconds / 4)
        store = store.reopened()
        f = Frontier(clock=clock, store=store)
        clock.advance(1.0)
        batch = f.lease(2)
        assert f.complete(batch.tokens, digest="v1").late == 0
        assert len(batch) == 2


def test_times_of_signals_follow_the_frontiers_clock(f, clock):
    f.forget(URLS[1:])
    f.complete(f.lease(1).tokens)
    jump(clock, DAY)
    clock.advance(10.0)
    assert f.signal(URLS[0], happened=NOW + 5.0).heard == 1
    assert f.signal(URLS[0], happened=NOW - 5.0).old == 1
