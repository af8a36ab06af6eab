"""Settings that are given again when a frontier is opened."""

import math

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.learn.online.layout import EXPLORE, HALF_LIFE
from recrawl.store import MemoryStore


def test_they_reach_the_learner():
    store = MemoryStore()
    Frontier(store=store, clock=ManualClock(1.7e9)).add("https://a.example/")
    again = Frontier(store=store.reopened(), clock=ManualClock(1.7e9), half_life=500.0, explore=7.0)
    numbers = again._state.pairing.learner.columns()["numbers"]
    assert (numbers[HALF_LIFE], numbers[EXPLORE]) == (500.0, 7.0)


def test_hints_count_without_a_rate():
    f = Frontier(clock=ManualClock(1.7e9))
    f.add(["https://a.example/", "https://b.example/"], every=[3600.0, 360.0])
    slow, fast = (f.page(f"https://{name}.example/").change_rate for name in "ab")
    # hints may be off by a factor of five, and the mean of such rates lies above their middle
    assert 1 / 3600 / 5 < slow < 5 / 3600
    assert 1 / 360 / 5 < fast < 5 / 360
    assert fast > 2.0 * slow


def test_a_frontier_in_memory_does_not_keep_its_journal():
    f = Frontier(clock=ManualClock(1.7e9))
    for _ in range(10):
        f.add("https://a.example/")
    assert math.isfinite(f.freshness().mean)
    assert not list(f._store.history())


def test_an_expiry_that_was_noticed_is_not_undone_by_opening_again():
    clock, store = ManualClock(1.7e9), MemoryStore()
    f = Frontier(store=store, clock=clock, lease=10.0)
    f.add("https://a.example/")
    token = f.lease(1).tokens
    clock.advance(1000.0)
    f.lease(0)
    again = Frontier(store=store.reopened(), clock=clock)
    assert again.complete(token).late == 1


def test_time_without_calls_does_not_prolong_leases_when_closed_in_order(tmp_path):
    clock = ManualClock(1.7e9)
    f = Frontier.open(tmp_path / "data", clock=clock, lease=300.0)
    f.add("https://a.example/")
    f.lease(1)
    clock.advance(290.0)
    f.close()
    with Frontier.open(tmp_path / "data", clock=clock) as again:
        clock.advance(20.0)
        assert len(again.lease(1)) == 1


def test_a_gap_that_a_host_has_is_not_written_down_again():
    store = MemoryStore()
    f = Frontier(store=store, clock=ManualClock(1.7e9))
    f.add("https://a.example/")
    written = []
    for gap in (None, 5.0, 5.0, None, None, 0.0):
        before = store.last
        f.set_host("a.example", gap=gap)
        written.append(store.last > before)
    assert written == [False, True, False, True, False, True]
