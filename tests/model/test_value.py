"""Properties of V, psi, w and the inverse over all limits, against the slow twin, and at the corners."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import recrawl
from tests.model.instances import page, staleness
from tests.model.sums import exact


def one(alpha, kappa, gamma, importance=1.0):
    return recrawl.Pages(alpha, kappa, gamma, importance)


@given(st.floats(-5.0, 2.0), st.floats(-9.0, 1.6), st.floats(-3.0, 60.0), st.floats(-4.0, 6.0))
@settings(max_examples=300, deadline=None)
def test_equals_the_sum_in_many_digits(log_alpha, log_x, signals_that_fit, log_theta_x):
    # drawn so that the slow sum is done in reasonable time: at most 60 terms, theta x up to a million
    x, alpha = 10.0**log_x, 10.0**log_alpha
    kappa = x / signals_that_fit if signals_that_fit > 0.01 else math.inf
    parameters = (alpha, kappa, alpha * 10.0**log_theta_x / x)
    psi, w, value = exact(x, *parameters)
    assert float(abs(mp.mpf(recrawl.cycle_length(one(*parameters), x).item()) / psi - 1)) < 1e-14
    assert float(abs(mp.mpf(recrawl.cycle_freshness(one(*parameters), x).item()) / w - 1)) < 1e-14
    assert float(abs(mp.mpf(recrawl.crawl_value(one(*parameters), x).item()) / value - 1)) < 1e-14


# Each row sits in one case of kernels.parts: x, alpha, kappa, gamma.
CASES = {
    "asymptote": (0.8, 1.0, 0.02, 15.0),
    "modes": (1.5, 1.0, 0.05, 100.0),
    "modes, small x": (3e-4, 1.0, 1e-5, 5e5),
    "large k by scipy": (7.3, 1.0, 0.1, 5000.0),
    "large k, small x": (8.3e-6, 1.0, 1e-7, 8e8),
    "rare": (0.9, 2.0, 0.2, 0.5),
    "rare, complement": (5.0, 2.0, 0.8, 0.5),
    "frequent": (0.9, 0.1, 0.2, 1.5),
    "frequent, complement": (5.0, 0.1, 0.8, 1.5),
    "one term": (0.5, 0.1, math.inf, 3.0),
    "large k, at a multiple of kappa": (64.0 * 2.0**-40, 1.7, 2.0**-40, 2.2e17),
    "large k, next to the modes": (2.0, 1.0, 0.01, 7000.0),
    "large k, x between small and large": (5.2e-5, 1.0, 5.2e-7, 2.5e9),
}


@pytest.mark.parametrize("case", CASES)
def test_every_form_equals_the_sum(case):
    x, alpha, kappa, gamma = CASES[case]
    for factor in (0.97, 1.0, 1.01):
        psi, w, value = exact(x * factor, alpha, kappa, gamma)
        pages = one(alpha, kappa, gamma)
        assert recrawl.cycle_length(pages, x * factor).item() == pytest.approx(float(psi), rel=1e-14)
        assert recrawl.cycle_freshness(pages, x * factor).item() == pytest.approx(float(w), rel=1e-14)
        assert recrawl.crawl_value(pages, x * factor).item() == pytest.approx(float(value), rel=1e-14)


@pytest.mark.parametrize("scale", [1e-160, 1e-100, 1.0, 1e100, 1e200])
@pytest.mark.parametrize("case", CASES)
def test_units_of_time_do_not_matter(case, scale):
    x, alpha, kappa, gamma = CASES[case]
    expected = recrawl.crawl_value(one(alpha, kappa, gamma), x).item()
    assert recrawl.crawl_value(one(alpha * scale, kappa, gamma * scale), x).item() * scale == pytest.approx(
        expected, rel=1e-13
    )


@given(page(), staleness)
@settings(max_examples=300, deadline=None)
def test_neighbours_are_out_of_order_by_rounding_only(parameters, x):
    # docs/maths.md states the bound; the engine allows for a hundred times as much
    grid = x * (1.0 + 2.3e-16 * np.arange(200.0))[:, None]
    for function in (recrawl.crawl_value, recrawl.cycle_length):
        values = function(one(*parameters), grid)
        assert np.all(np.diff(values, axis=0) >= -3e-14 * values[:-1])


def test_psi_is_monotone_where_it_is_almost_flat():
    pages = one(0.01825470235312, 0.09742776896194766, 13.67703734753482)
    grid = np.linspace(1.84, 1.95, 200_001)[:, None]
    assert np.all(np.diff(recrawl.cycle_length(pages, grid), axis=0) >= 0.0)


@given(page())
@settings(max_examples=150, deadline=None)
@example((1e-4, 1e-4, 1.0))
@example((0.0, 0.3, 1.0))
def test_monotone_on_a_grid(parameters):
    grid = np.sort(np.concatenate([np.geomspace(1e-9, 60.0, 1500), np.linspace(0.0, 60.0, 1500)]))[:, None]
    assert np.all(np.diff(recrawl.crawl_value(one(*parameters), grid), axis=0) >= 0.0)
    assert np.all(np.diff(recrawl.cycle_length(one(*parameters), grid), axis=0) >= 0.0)


@given(page(), staleness, st.floats(-3.0, 3.0))
@settings(max_examples=400, deadline=None)
def test_threshold_inverts_the_value(parameters, x, log_importance):
    pages = one(*parameters, importance=10.0**log_importance)
    value = recrawl.crawl_value(pages, x)
    got = recrawl.threshold(pages, value).item()
    assert got == pytest.approx(x, rel=1e-9) or recrawl.crawl_value(pages, got) == value


@given(page(), staleness, st.integers(1, 40))
@settings(max_examples=200, deadline=None)
def test_truncated_values_lie_below_and_grow_with_the_terms(parameters, x, terms):
    pages = one(*parameters)
    exact_value = recrawl.crawl_value(pages, x).item()
    fewer, more = (recrawl.crawl_value(pages, x, terms=j).item() for j in (terms, terms + 1))
    slack = 1.0 + 1e-9  # single terms are good to about 1e-10 where they are a small part of the whole
    assert fewer <= more * slack
    assert more <= exact_value * slack


@given(page(), staleness)
@settings(max_examples=200, deadline=None)
def test_all_terms_are_the_value(parameters, x):
    kappa = parameters[1]
    assume(kappa == 0.0 or x / kappa < 200)
    pages = one(*parameters)
    got = recrawl.crawl_value(pages, x, terms=201).item()
    assert got == pytest.approx(recrawl.crawl_value(pages, x).item(), rel=1e-9)


@given(page(), staleness, st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_threshold_inverts_truncated_values(parameters, x, terms):
    pages = one(*parameters)
    value = recrawl.crawl_value(pages, x, terms=terms)
    got = recrawl.threshold(pages, value, terms=terms)
    assert recrawl.crawl_value(pages, got, terms=terms).item() == pytest.approx(value.item(), rel=1e-9)


def test_limits_mixed_in_one_array():
    pages = recrawl.Pages(
        unsignalled_rate=[0.0, 1.0, 1.0, 0.5, 0.5],
        signal_weight=[math.log(2.0), 0.0, 0.0, math.inf, 0.3],
        signal_rate=[1.0, 0.0, 2.0, 0.5, 1.0],
        importance=1.0,
    )
    x = 2.0 * math.log(2.0)
    got = recrawl.crawl_value(pages, x)
    expected = [recrawl.crawl_value(pages[i], x).item() for i in range(5)]
    assert got.tolist() == expected
    greedy = 1.0 - math.exp(-x) * (1.0 + x)
    assert got[1] == pytest.approx(greedy, rel=1e-14)
    assert got[2] == pytest.approx(greedy, rel=1e-14)
    assert got[0] == pytest.approx(0.5 * (1.0 + 2.0 * 0.5), rel=1e-14)  # (1-e^-k) sum (i+1) e^-ik, two signals
    assert got[3] == pytest.approx(
        0.5 / 0.5 * 0.5 / 0.5 * ((1 - math.exp(-2 * x)) - 2 * math.exp(-x) * (1 - math.exp(-x))), rel=1e-13
    )


@pytest.mark.parametrize("kappa", [0.0, 1e-6, 0.5, math.inf])
@pytest.mark.parametrize("gamma", [0.0, 1.0])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_ends_are_never_nan(alpha, kappa, gamma):
    pages = one(alpha, kappa, gamma)
    delta = pages.change_rate.item()
    assert recrawl.crawl_value(pages, 0.0).item() == 0.0
    assert recrawl.cycle_length(pages, 0.0).item() == 0.0
    assert recrawl.cycle_freshness(pages, 0.0).item() == 0.0
    assert recrawl.crawl_value(pages, math.inf).item() == (1.0 / delta if delta > 0.0 else 0.0)
    assert recrawl.cycle_freshness(pages, math.inf).item() == (1.0 / delta if delta > 0.0 else math.inf)
    certain = kappa == math.inf and gamma > 0.0
    assert recrawl.cycle_length(pages, math.inf).item() == (1.0 / gamma if certain else math.inf)


def test_a_page_that_never_changes_is_never_worth_a_crawl():
    pages = one(0.0, 0.0, 3.0)
    assert recrawl.crawl_value(pages, 5.0).item() == 0.0
    assert recrawl.cycle_length(pages, 5.0).item() == math.inf
    assert recrawl.threshold(pages, 0.0).item() == math.inf


def test_a_page_nobody_asks_for_has_no_value():
    pages = one(1.0, 0.5, 1.0, importance=0.0)
    assert recrawl.crawl_value(pages, 5.0).item() == 0.0
    assert recrawl.threshold(pages, 0.0).item() == math.inf


wild = st.one_of(st.just(0.0), st.floats(1e-100, 1e100), st.floats(-100, 100).map(lambda e: 10.0**e))
wild_or_infinite = st.one_of(wild, st.just(math.inf))


@given(wild, wild_or_infinite, wild, wild_or_infinite)
@settings(max_examples=1000, deadline=None)
def test_no_input_gives_nan(alpha, kappa, gamma, x):
    pages = one(alpha, kappa, gamma)
    for function in (recrawl.crawl_value, recrawl.cycle_length, recrawl.cycle_freshness, recrawl.threshold):
        assert not np.isnan(function(pages, x)).any(), function
    for terms in (1, 3):
        assert not np.isnan(recrawl.crawl_value(pages, x, terms=terms)).any()
        assert not np.isnan(recrawl.threshold(pages, x, terms=terms)).any()


def test_staleness_of_certain_news():
    pages = one(2.0, math.inf, 1.0)
    assert recrawl.staleness(pages, 3.0, 0).tolist() == [6.0]
    assert recrawl.staleness(pages, 3.0, 1).tolist() == [math.inf]


@given(wild, wild_or_infinite, wild, wild_or_infinite, wild_or_infinite)
def test_staleness_is_never_nan(alpha, kappa, gamma, elapsed, signals):
    assert not np.isnan(recrawl.staleness(one(alpha, kappa, gamma), elapsed, signals)).any()


def test_threshold_of_nothing_is_now():
    assert recrawl.threshold(one(1.0, 0.5, 1.0), -1.0).tolist() == [0.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: recrawl.crawl_value(p, -0.5), "x must be >= 0, got -0.5"),
        (lambda p: recrawl.crawl_value(p, [0.1, math.nan]), "x must be >= 0, got nan in row 1"),
        (lambda p: recrawl.threshold(p, math.nan), "value must be a number, got nan"),
        (lambda p: recrawl.staleness(p, [-1.0, 0.0], 0), "elapsed must be >= 0, got -1.0 in row 0"),
        (
            lambda p: recrawl.crawl_value(p, [1.0, 2.0, 3.0]),
            "each of the 2 pages along its last axis, got shape \\(3,\\)",
        ),
        (lambda p: recrawl.crawl_value(p, 1.0, terms=-1), "terms must be a whole number >= 0"),
        (lambda p: recrawl.crawl_value(p, 1.0, terms=1.5), "terms must be a whole number >= 0.*got 1.5"),
        (lambda p: recrawl.crawl_value(p, "a"), "x must be numbers, got 'a'"),
        (lambda p: recrawl.staleness(p, 1.0, "q"), "signals must be numbers, got 'q'"),
        (lambda p: recrawl.crawl_value(p, np.ma.masked_equal([1.0, 2.0], 2.0)), "x must be >= 0, got nan in row 1"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(recrawl.InputError, match=message):
        call(recrawl.Pages([1.0, 1.0], 0.0, 0.0, 1.0))


def test_a_bound_that_underflows_ends_the_sum():
    """It never did: no term is below a bound of 0."""
    got = recrawl.crawl_value(recrawl.Pages(7.47e-299, 5.5e-12, 2.3e8, 1.0), 1.15)
    expected = (1.0 - 2.15 * np.exp(-1.15)) / (5.5e-12 * 2.3e8)  # signals so weak and frequent are time passing
    assert got == pytest.approx(expected, rel=1e-9)
