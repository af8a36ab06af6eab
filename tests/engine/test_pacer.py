"""Permits are evenly spaced at the rate of the moment, whatever the caller does."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.engine import Pacer
from recrawl.errors import InputError

ROUNDING = 1e-9  # of a permit: sums of a few dozen times of size up to 1e3


def permits_at(pacer, times):
    return [time for time in times if pacer.permits(time)]


def fetch(pacer, count):
    """Times of the next permits for a caller who comes exactly when they are due."""
    times = []
    for _ in range(count):
        times.append(pacer.next_time())
        assert pacer.permits(times[-1]) == 1
    return times


def test_first_permit_comes_at_once():
    pacer = Pacer(rate=2.0, now=5.0)
    assert (pacer.next_time(), pacer.permits(5.0)) == (5.0, 1)


def test_no_permit_before_the_start():
    assert Pacer(rate=2.0, now=5.0).permits(4.9) == 0


def test_permits_are_evenly_spaced():
    times = fetch(Pacer(rate=4.0), 1000)
    assert times == [k / 4.0 for k in range(1000)]  # a quarter is exact in binary


def test_a_permit_is_given_once():
    pacer = Pacer(rate=1.0)
    assert [pacer.permits(0.0) for _ in range(5)] == [1, 0, 0, 0, 0]


def test_a_busy_caller_gets_the_whole_rate():
    # Asked every 1/1000 of a unit: each permit is found at most that late, so at least 10/1.01 a unit.
    times = permits_at(Pacer(rate=10.0), [k / 1000.0 for k in range(10_000)])
    assert 99 <= len(times) <= 101


def test_asking_late_or_early_does_not_move_the_next_permit():
    pacer = Pacer(rate=1.0)
    pacer.permits(0.0)
    for time in (0.1, 0.5, 0.999):
        assert pacer.permits(time) == 0
    assert pacer.next_time() == 1.0


@pytest.mark.parametrize("pause", [1.6, 10.0, 1e6])
def test_no_catching_up_after_a_pause(pause):
    pacer = Pacer(rate=1.0)
    pacer.permits(0.0)
    got = permits_at(pacer, [pause + k / 8.0 for k in range(25)])
    assert got == [pause, pause + 1.0, pause + 2.0, pause + 3.0]


def test_a_little_lateness_keeps_the_rhythm():
    pacer = Pacer(rate=1.0)
    got = permits_at(pacer, [0.0, 1.4, 1.9, 2.0, 2.9, 3.3, 3.9, 4.0])
    assert got == [0.0, 1.4, 2.0, 3.3, 4.0]


def test_two_permits_are_never_closer_than_half_a_step():
    pacer = Pacer(rate=1.0)
    got = permits_at(pacer, [0.0, 1.6, 2.0, 2.5, 2.61])
    assert got == [0.0, 1.6, 2.61]


@pytest.mark.parametrize(("rate", "expected"), [(2.0, 0.25 + 0.375), (0.5, 0.25 + 1.5), (1.0, 1.0)])
def test_rate_change_in_mid_wait_counts_the_part_that_is_over(rate, expected):
    pacer = Pacer(rate=1.0)
    pacer.permits(0.0)
    pacer.set_rate(rate, 0.25)  # three quarters of a permit are left
    assert pacer.next_time() == pytest.approx(expected, rel=1e-15)
    first, second = fetch(pacer, 2)
    assert second - first == pytest.approx(1.0 / rate, rel=1e-15)
    assert pacer.rate == rate


def test_many_rate_changes_leave_a_due_permit_due():
    pacer = Pacer(rate=1.0, now=0.0)
    for rate in (0.1, 100.0, 3.0):
        pacer.set_rate(rate, 2.0)
    assert [pacer.permits(2.0), pacer.permits(2.0)] == [1, 0]


def test_wiggling_the_rate_gives_no_permits_away():
    pacer = Pacer(rate=1.0)
    pacer.permits(0.0)
    for _ in range(100):
        pacer.set_rate(1000.0, 0.5)
        pacer.set_rate(1.0, 0.5)
    assert pacer.next_time() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("stopped_at", [0.0, 0.5, 3.0])
def test_rate_0_gives_nothing_and_back_waits_a_whole_spacing(stopped_at):
    pacer = Pacer(rate=1.0)
    pacer.permits(0.0)
    pacer.set_rate(0.0, stopped_at)
    assert pacer.next_time() == math.inf
    assert permits_at(pacer, [stopped_at, 10.0, 1e9]) == []
    pacer.set_rate(4.0, 100.0)
    assert fetch(pacer, 3) == [100.25, 100.5, 100.75]


def test_rate_0_from_the_start():
    pacer = Pacer(rate=0.0, now=1.0)
    assert pacer.next_time() == math.inf
    assert permits_at(pacer, [1.0, 2.0]) == []
    pacer.set_rate(0.0, 2.0)
    pacer.set_rate(1.0, 3.0)
    assert fetch(pacer, 2) == [4.0, 5.0]


def test_a_rate_too_small_for_its_spacing_can_be_left_again():
    pacer = Pacer(rate=5e-324)  # 1/rate overflows
    pacer.permits(0.0)
    assert pacer.permits(1e300) == 0
    pacer.set_rate(1.0, 10.0)
    assert pacer.next_time() <= 11.0


@pytest.mark.parametrize("rate", [-1.0, math.inf, math.nan])
def test_bad_rates(rate):
    with pytest.raises(InputError, match="rate must be finite and >= 0"):
        Pacer(rate)
    pacer = Pacer(1.0)
    with pytest.raises(InputError, match="rate must be finite and >= 0"):
        pacer.set_rate(rate, 0.0)
    assert pacer.rate == 1.0


steps = st.lists(
    st.tuples(
        st.floats(0.0, 2.0),  # time until the next call
        st.none() | st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 7.3, 50.0]),  # a new rate, or ask for a permit
        st.booleans(),  # come exactly when the permit is due, where that is earlier
    ),
    max_size=60,
)


@given(rate=st.sampled_from([0.0, 0.3, 1.0, 10.0]), steps=steps, start=st.sampled_from([0.0, -3.0, 500.0]))
def test_no_burst_over_any_interval(rate, steps, start):
    pacer, now, area = Pacer(rate, start), start, 0.0
    given = []  # (time, integral of the rate up to it, highest rate since the permit before)
    highest = rate
    for wait, change, on_time in steps:
        before, now = now, now + wait
        if on_time and change is None:
            now = max(before, min(now, pacer.next_time()))
        area += (now - before) * pacer.rate
        if change is not None:
            pacer.set_rate(change, now)
            highest = max(highest, change)
        elif pacer.permits(now):
            given.append((now, area, highest))
            highest = pacer.rate
    # A permit fetched late, by less than half a step, does not move the next: neighbours are at least half a permit
    # apart, and over any interval only the first one's lateness counts.
    for (_, a, _), (_, b, _) in pairwise(given):
        assert b - a >= 0.5 - ROUNDING
    for k, (first, _, _) in enumerate(given):
        for n in range(k + 1, len(given)):
            most = max(rate for _, _, rate in given[k + 1 : n + 1])
            assert n - k + 1 <= most * (given[n][0] - first) + 1.5 + ROUNDING * (n - k)
