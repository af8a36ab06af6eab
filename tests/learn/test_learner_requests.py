"""Importance from counts of requests."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.learn import Learner

SEED = 20260103


def watched(rates, days, half_life=np.inf, **keywords):
    rng = np.random.default_rng(SEED)
    learner = Learner(len(rates), request_half_life=half_life, explore=0.0, now=0.0, **keywords)
    for day in range(days):
        learner.requested(np.arange(len(rates)), rng.poisson(rates), now=day + 1.0)
    return learner


def test_importance_is_as_given_until_requests_are_counted():
    learner = Learner(3, importance=[1.0, 5.0, 0.2], explore=0.0)
    assert learner.pages().importance == pytest.approx([1.0, 5.0, 0.2], rel=1e-6)


def test_importance_becomes_the_rate_of_requests():
    rates = np.array([0.5, 3.0, 40.0])
    got = watched(rates, 400).pages().importance
    # 400 days: 5 standard errors of a Poisson count, 6e-7 each, and what was given counts as one request
    assert np.all(np.abs(got - rates) < 5.0 * np.sqrt(rates / 400.0) + 0.01)


@pytest.mark.parametrize("half_life", [np.inf, 10.0, 0.1])
@pytest.mark.parametrize("since", [None, 20.0])
def test_requests_of_the_first_call_are_over_the_time_before_it(half_life, since):
    learner = Learner(2, request_half_life=half_life, explore=0.0, now=0.0)
    learner.requested([0], counts=[100], now=30.0, since=since)
    watched = 30.0 - (since or 0.0)
    if half_life < np.inf:  # the hundred count as of now, the time before fades
        watched = half_life / np.log(2.0) * (1.0 - 2.0 ** (-watched / half_life))
    # what was given, 1, counts as one request over one unit of time
    assert 100.0 / (watched + 1.0) <= learner.pages().importance[0] <= 101.0 / watched


def test_with_a_half_life_the_recent_past_counts():
    learner = watched(np.full(50, 10.0), 300, half_life=20.0)
    for day in range(300, 400):
        learner.requested(np.arange(50), 2, now=day + 1.0)
    # after five half-lives 1/32 of the old rate is left: 2 + 8/32, the mean over 50 pages known to .01
    assert learner.pages().importance.mean() == pytest.approx(2.25, abs=0.1)


def test_a_long_life_does_not_overflow():
    learner = watched(np.array([5.0, 1.0]), 2, half_life=0.5)
    for day in range(2, 500):
        learner.requested([0], [5], now=day + 1.0)
    got = learner.pages().importance
    assert np.isfinite(got).all()
    # 5 a day at once, half-life half a day: just after them 5 ln2/.5 (1 + 1/4 + ...)
    assert got[0] == pytest.approx(5.0 * np.log(2.0) / 0.5 / 0.75, rel=0.01)


def test_pages_nobody_asks_for_are_kept_at_a_floor():
    learner = watched(np.array([0.0, 10.0]), 1000, importance_floor=0.01)
    learner.refresh(1000.0)
    assert learner.pages().importance[0] == pytest.approx(0.01 * 5.0, rel=0.1)


def test_new_pages_start_at_the_mean():
    learner = watched(np.array([2.0, 4.0]), 2000)
    new = learner.add(1, learner.now)
    assert learner.pages(new).importance[0] == pytest.approx(3.0, rel=0.1)
    learner.requested(new, [100], learner.now + 10.0)
    assert 5.0 < learner.pages(new).importance[0] < 11.0


def test_without_a_beginning_the_first_count_must_say_since_when():
    learner = Learner(2)
    with pytest.raises(InputError, match="since must be given, for nobody said when the learner began"):
        learner.requested([0], [5], now=1.7e9)
    learner.requested([0], [5], now=1.7e9, since=1.7e9 - 10.0)
    assert 0.4 < learner.pages().importance[0] < 0.7


@pytest.mark.parametrize("requests", [False, True])
def test_pages_added_over_a_year_of_unix_seconds_have_the_importance_given(requests):
    """In 32 bits, seconds are multiples of two after half a year, and every other page would come in the future."""
    start, day = 1_767_225_600.0, 86_400.0
    learner = Learner(2, explore=0.0, now=start, importance=10.0)
    if requests:
        learner.requested([0, 1], [0, 0], now=start)
    for k in range(400):
        new = learner.add(1, start + 0.9173 * k * day, importance=7.0)
        # What was given counts as one request over 0.1 seconds: a birth one second off would show tenfold.
        assert learner.pages(new).importance[0] == pytest.approx(7.0, rel=1e-6)
    assert np.isfinite(learner.pages().importance).all()


def test_pages_added_long_after_the_last_request_have_the_importance_given():
    learner = Learner(1, request_half_life=1.0, explore=0.0, now=0.0)
    learner.requested([0], [3], now=1.0)
    for now in (150.0, 5_000.0):  # counts of then are beyond float32, beyond float64
        new = learner.add(1, now, importance=2.0)
        assert learner.pages(new).importance[0] == pytest.approx(2.0, rel=1e-6)
