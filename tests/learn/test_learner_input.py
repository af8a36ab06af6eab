"""What a learner is told: refused where it is wrong, and when it begins where nobody says."""

import numpy as np
import pytest

from recrawl import InputError
from recrawl.learn import Hints, Learner
from tests.learn.crawling import in_range, mixed_pages

SEED = 20260101


BAD = [
    (lambda: Learner(-1), "n_pages must be a whole number >= 0, got -1"),
    (lambda: Learner(2.5), "n_pages must be a whole number >= 0, got 2.5"),
    (lambda: Learner(2).add(-1, 0.0), "n must be a whole number >= 0, got -1"),
    (lambda: Learner(2, unit=np.inf), r"unit must be from 1e-30 to 1e\+30, got inf"),
    (lambda: Learner(2, unit=1e-320), r"unit must be from 1e-30 to 1e\+30, got 1e-320"),
    (lambda: Learner(2, tilt=1000.0), "tilt must be from 0 to 10, got 1000.0"),
    (lambda: Learner(2, tilt=-0.5), "tilt must be from 0 to 10, got -0.5"),
    (lambda: Learner(2, tilt="x"), "tilt must be from 0 to 10, got 'x'"),
    (lambda: Learner(2, explore="x"), "explore must be finite and >= 0, got 'x'"),
    (lambda: Learner(2).observe([0, 1], 1.0, 0, True, 1.0), "changed must be one for each of 2, got 1"),
    (lambda: Learner(1, hosts=[10**9]), "hosts must be numbered without gaps, 0, 1, 2, ..., got 1000000000"),
    (lambda: Learner(2).observe([0], 1.0, 1e39, [1], 1.0), "signals must be at most 1e.15, got 1e.39"),
    (lambda: Learner(2).observe([0], 1e308, 1, [1], 1.0), "elapsed must be at most 1e.15"),
    (lambda: Learner(2).requested([0], [1], 1.0, since=2.0), "since must not be after now, 1.0, got 2.0"),
    (lambda: Learner(2, half_life=0.0), "half_life must be > 0, got 0.0"),
    (lambda: Learner(2, explore=-1.0), "explore must be finite and >= 0, got -1.0"),
    (lambda: Learner(2, unit=0.0), "unit must be from 1e-30 to 1e.30, got 0.0"),
    (lambda: Learner(2, hosts=[0]), "hosts must be 2 whole numbers"),
    (lambda: Learner(2, kinds=[0, 40_000]), "kinds must be numbered without gaps, 0, 1, 2, ..., got 40000"),
    (lambda: Learner(2, importance=[1.0, np.nan]), "importance must be finite and >= 0, got nan in row 1"),
    (lambda: Learner(2, prior=[1.0, -1.0]), "change_rate of a hint must be finite and > 0"),
    (lambda: Learner(2, prior=Hints(1.0, spread=1.0)), "spread must be a factor > 1, got 1.0"),
    (lambda: Learner(2).observe([2], 1.0, 0, [1], 1.0), "ids must be those of pages, got 2; there are 0 to 1"),
    (lambda: Learner(2).observe([0.5], 1.0, 0, [1], 1.0), "ids must be whole numbers"),
    (lambda: Learner(2).observe([0], [-1.0], 0, [1], 1.0), "elapsed must be finite and >= 0, got -1.0"),
    (lambda: Learner(2).observe([0], 1.0, 0, [2], 1.0), "changed must be 0 or 1, got 2"),
    (lambda: Learner(2).observe([0], 1.0, 0, [1], np.nan), "now must be a finite time"),
    (lambda: Learner(2, now=5.0).observe([0], 1.0, 0, [1], 4.0), "now must be a finite time and not before 5.0"),
    (lambda: Learner(2).observe([0], 1.0, 0, [1], 1.0, level=-1.0), "level must be finite and >= 0, got -1.0"),
]


@pytest.mark.parametrize(("call", "match"), BAD, ids=[match for _, match in BAD])
def test_bad_input_is_refused(call, match):
    with pytest.raises(InputError, match=match):
        call()


def test_a_refused_add_leaves_the_learner_as_it_was():
    learner = Learner(3)
    for prior in ([-1.0, 2.0], [1.0, 2.0, 3.0]):
        with pytest.raises(InputError, match="change_rate"):
            learner.add(2, 1.0, prior=prior)
    with pytest.raises(InputError, match="spread must be one or one for each of 2 pages"):
        learner.add(2, 1.0, prior=Hints(1.0, spread=[2.0, 2.0, 2.0]))
    assert len(learner) == 3
    assert learner.add(1, 1.0).tolist() == [3]


def test_a_page_twice_in_a_call_is_two_crawls_at_one_moment():
    at_once, apart = Learner(2, unit=1.0), Learner(2, unit=1.0)
    for learner in (at_once, apart):
        learner.signalled([0, 0, 1], 2.0)
    at_once.observe([0, 0], None, None, [1, 0], now=5.0, level=0.1)
    for changed in (1, 0):
        apart.observe([0], None, None, [changed], now=5.0, level=0.1)
    assert at_once._memory.sums.tolist() == apart._memory.sums.tolist()
    assert np.array_equal(at_once._memory.likelihood, apart._memory.likelihood)


def test_a_learner_without_a_beginning_begins_with_its_first_call():
    start = 1.7e9
    learner = Learner(0)
    ids = learner.add(5, now=start)
    learner.observe(ids[:1], [600.0], [0], [1], now=start + 600.0)
    learner.observe(ids[1:2], None, None, [0], now=start + 1200.0)
    learner.refresh(start + 1300.0)
    assert learner._memory.crawled.tolist() == [start + 600.0, start + 1200.0, start, start, start]
    assert in_range(learner.pages())
    alone, told = Learner(3), Learner(3, now=start)
    for one in (alone, told):
        one.signalled([0], start)
        for k in range(1, 50):
            one.observe([0, 1, 2], None, None, [k % 2, 0, 1], now=start + 3600.0 * k)
    assert alone.pages().change_rate.tolist() == told.pages().change_rate.tolist()
    assert Learner(1).observe([0], 1.0, 0, [1], now=-5.0)  # times before 0 are times


def test_times_since_1970_need_no_beginning_where_intervals_are_told():
    rng = np.random.default_rng(SEED)
    pages = mixed_pages(rng, 60)
    start = 1.7e9
    begun, not_said = Learner(60, now=start), Learner(60)
    for k in range(1, 20):
        found = rng.random(60) < -np.expm1(-pages.change_rate)
        for learner in (begun, not_said):
            learner.observe(np.arange(60), 1.0, 0, found, now=start + k, level=0.1)
    assert not_said.pages().change_rate.tolist() == begun.pages().change_rate.tolist()
