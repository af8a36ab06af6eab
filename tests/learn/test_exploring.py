"""When a page of uncertain rate is due, and what a look at it teaches, beside integrals done by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from recrawl.learn.online.exploring import (
    NEVER,
    RATE_BINS,
    RATES,
    best_interval,
    matched_rate,
    rounds_of,
    value_of_a_look,
)


def value(rate, age):
    u = rate * age
    return (1.0 - (1.0 + u) * np.exp(-u)) / rate


def certain(k):
    bins = np.zeros(RATE_BINS)
    bins[k] = 1.0
    return bins


mixtures = st.lists(st.tuples(st.integers(4, 26), st.floats(0.05, 1.0)), min_size=1, max_size=5)


def binned(parts):
    bins = np.zeros(RATE_BINS)
    for z, weight in parts:
        bins[z] += weight
    return bins / bins.sum()


@given(mixtures, st.floats(0.01, 0.95))
def test_the_best_interval_is_where_the_mean_value_reaches_the_level(parts, share):
    bins = binned(parts)
    level = share * float(bins @ (1.0 / RATES))  # below what the page is worth when it is certainly stale
    got = rounds_of(best_interval(bins, level))
    expected = brentq(lambda age: bins @ value(RATES, age) - level, 1e-6, 1e9)
    # Read off a straight line between two ages 8% apart.
    assert got == pytest.approx(expected, rel=0.02)


def test_a_page_that_is_never_worth_the_level_has_no_interval():
    assert best_interval(certain(16), 1.01 / RATES[16]) == NEVER


@pytest.mark.parametrize("level", [1e-9, 1e-12, 1e-30])
def test_a_page_that_is_worth_a_crawl_at_any_age_has_the_shortest_interval(level):
    place = best_interval(certain(16), level)
    assert place > NEVER
    assert rounds_of(place) < 1e-3
    assert value_of_a_look(certain(16), place, level) < 1e-3


@given(mixtures, st.floats(0.01, 0.9))
def test_the_matched_rate_is_worth_the_level_at_the_same_age(parts, share):
    bins = binned(parts)
    level = share * float(bins @ (1.0 / RATES))
    place = best_interval(bins, level)
    rate = matched_rate(bins, place, level)
    # The greatest value at an age is flat in the rate: there the level may be missed by what the age is off.
    assert value(rate, rounds_of(place)) == pytest.approx(level, rel=0.12)


@pytest.mark.parametrize("k", [8, 14, 20])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_a_look_at_a_page_that_is_known_teaches_nothing(k, share):
    bins = certain(k)
    level = share / RATES[k]
    place = best_interval(bins, level)
    assert matched_rate(bins, place, level) == pytest.approx(RATES[k], rel=0.1)
    assert value_of_a_look(bins, place, level) < 0.003


def test_the_less_is_known_the_more_a_look_teaches():
    looks = []
    for width in (1, 3, 6):
        bins = np.zeros(RATE_BINS)
        bins[[16 - width, 16 + width]] = 0.5
        level = 0.5 / RATES[16]
        looks.append(value_of_a_look(bins, best_interval(bins, level), level))
    assert looks[0] < looks[1] < looks[2]


def test_the_value_of_a_look_is_that_of_perfect_information_times_what_it_tells():
    bins = np.zeros(RATE_BINS)
    bins[[12, 18]] = 0.5
    level = 0.3 / RATES[18]
    age = brentq(lambda t: bins @ value(RATES, t) - level, 1e-6, 1e9)
    fresh = np.exp(-RATES * age)
    alone = [np.exp(-RATES[k] * brentq(lambda t, k=k: value(RATES[k], t) - level, 1e-6, 1e9)) for k in (12, 18)]
    mean = bins @ fresh
    told = (bins @ fresh**2 - mean**2) / (mean * (1.0 - mean))
    got = value_of_a_look(bins, best_interval(bins, level), level)
    assert got == pytest.approx((np.mean(alone) - mean) * told, rel=0.05)  # lines between bins, and j at 1/1000
