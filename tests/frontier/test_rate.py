"""leases <= rate * window + 1 over every window of a second and longer, whatever the times of asking."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.errors import InputError
from recrawl.frontier.kept.rate import RateLimit


def worst(leases, rate):
    """The most by which any window of a second or longer exceeds rate * window."""
    excess = 0.0
    for (k, (start, _)), (j, (end, _)) in itertools.combinations_with_replacement(enumerate(leases), 2):
        window = max(end - start, 1.0)
        excess = max(excess, sum(n for _, n in leases[k : j + 1]) - rate * window)
    return excess


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0.1, 200.0),
    st.lists(st.tuples(st.sampled_from([0.001, 0.02, 0.3, 1.0, 7.0]), st.integers(1, 300)), max_size=60),
    st.floats(0.0, 2e9),
)
def test_no_window_sees_more(rate, asked, start):
    now, limit, leases = start, RateLimit(rate, start), []
    for gap, n in asked:
        now += gap
        got = min(limit.allowed(now), n)
        limit.lease(got, now)
        if got:
            leases.append((now - start, got))
    assert worst(leases, rate) <= 1.0 + 1e-4 * rate**0.5  # clocks since 1970 have steps of 2e-7 s


@pytest.mark.parametrize("rate", [0.7, 50.0, 400.0, 10_000.0])
def test_who_asks_when_told_gets_the_rate(rate):
    now, limit, total = 0.0, RateLimit(rate, 0.0), 0
    while now < 60.0:
        got = min(limit.allowed(now), 100)
        limit.lease(got, now)
        total += got
        wait = limit.wait(100, now)
        assert wait > 0.0
        now += wait
    assert total == pytest.approx(60.0 * rate, rel=0.01, abs=2.0)


def test_after_an_hours_pause_there_is_no_burst():
    limit = RateLimit(50.0, 0.0)
    limit.lease(limit.allowed(0.0), 0.0)
    first = limit.allowed(3600.0)
    assert first <= 51
    limit.lease(first, 3600.0)
    assert limit.allowed(3600.5) <= 51 - first


def test_asking_changes_nothing():
    patient, eager = RateLimit(50.0, 0.0), RateLimit(50.0, 0.0)
    for step in range(1, 2000):
        now = step * 0.0173
        eager.allowed(now - 0.003)
        eager.wait(5, now - 0.001)
        if step % 7 == 0:
            n = patient.allowed(now)
            assert eager.allowed(now) == n
            patient.lease(n, now)
            eager.lease(n, now)
    assert patient.state() == eager.state()


def test_state_comes_back():
    limit = RateLimit(50.0, 0.0)
    for step in range(100):
        limit.lease(limit.allowed(step * 0.03), step * 0.03)
    again = RateLimit.from_state(limit.state())
    for step in range(100, 200):
        now = step * 0.03
        n = limit.allowed(now)
        assert again.allowed(now) == n
        limit.lease(n, now)
        again.lease(n, now)


def test_a_new_rate_counts_from_now_on():
    limit = RateLimit(1000.0, 0.0)
    for step in range(1000):
        limit.lease(limit.allowed(step * 0.001), step * 0.001)
    limit.set_rate(10.0, 1.0)
    assert limit.allowed(1.0) <= 1  # the high rate gave 1,000 in this second, and one more is always allowed
    assert limit.allowed(1.9) <= 10
    assert 1 <= limit.allowed(2.5) <= 11


def test_who_leased_much_at_a_high_rate_waits_for_the_low_one_to_make_up_for_it():
    limit = RateLimit(100.0, 0.0)
    limit.lease(limit.allowed(50.0), 50.0)  # a second's worth
    limit.set_rate(10.0, 50.0)
    assert limit.allowed(55.0) == 0
    assert limit.allowed(60.0) >= 1
    assert limit.wait(1, 50.0) == pytest.approx(9.9, abs=0.2)


def test_setting_the_same_rate_again_changes_nothing():
    plain, set_again = RateLimit(10.0, 0.0), RateLimit(10.0, 0.0)
    for step in range(1, 400):
        now = 3600.0 + step * 0.13
        if step % 3 == 0:
            set_again.set_rate(10.0, now)
        n = plain.allowed(now)
        assert set_again.allowed(now) == n
        plain.lease(n, now)
        set_again.lease(n, now)


def given_between(rates, start, end):
    """What rates give between two moments; each holds from its moment on, the first from the beginning."""
    edges = [*rates[1:], (float("inf"), 0.0)]
    return sum(
        rate * max(min(end, until) - max(start, since), 0.0)
        for (since, rate), (until, _) in zip(rates, edges, strict=True)
    )


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.001, 0.1, 0.5, 1.0, 7.0]),
            st.one_of(st.integers(1, 100), st.sampled_from([0.0, 0.5, 10.0, 50.0])),
        ),
        max_size=60,
    )
)
def test_no_window_sees_more_than_the_rates_gave_in_it(steps):
    """A whole number asks for so many pages, another number sets the rate."""
    now, limit, leases, rates = 0.0, RateLimit(20.0, 0.0), [], [(0.0, 20.0)]
    for gap, what in steps:
        now += gap
        if isinstance(what, float):
            limit.set_rate(what, now)
            rates.append((now, what))
            continue
        got = min(limit.allowed(now), what)
        limit.lease(got, now)
        if got:
            leases.append((now, got))
    for k, (start, _) in enumerate(leases):
        for j in range(k, len(leases)):
            end = leases[j][0]
            if end - start >= 1.0:
                total = sum(n for _, n in leases[k : j + 1])
                assert total <= given_between(rates, start, end) + 1.0 + 1e-6


def test_a_clock_since_1970_costs_no_turn():
    for start in (0.0, 1.8e9):
        limit, total = RateLimit(10.0, start), 0
        for step in range(600):
            now = start + step * 0.1
            got = min(limit.allowed(now), 1)
            limit.lease(got, now)
            total += got
        assert total >= 598


def test_no_limit_and_no_lease():
    assert RateLimit(None, 0.0).allowed(0.0) > 1e15
    assert RateLimit(None, 0.0).wait(5, 0.0) == 0.0
    stopped = RateLimit(0.0, 0.0)
    stopped.lease(stopped.allowed(0.0), 0.0)
    assert stopped.allowed(1e9) == 0
    assert stopped.wait(1, 0.0) > 0.0


@pytest.mark.parametrize("rate", [-1.0, float("nan"), float("inf"), "fast", True + 0j])
def test_other_rates_are_refused(rate):
    with pytest.raises(InputError, match="rate"):
        RateLimit(rate, 0.0)


def test_with_a_longer_window_what_was_not_asked_for_in_time_is_made_up_for():
    limit = RateLimit(2.0, 0.0, window=100.0)
    limit.lease(1, 0.0)
    assert limit.allowed(50.0) == 100
    assert limit.allowed(1e6) == 200
    assert RateLimit.from_state(limit.state()).allowed(50.0) == 100
