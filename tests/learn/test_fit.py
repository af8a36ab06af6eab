"""Estimates are the maximum, invariant where they must be, and answer in the degenerate cases."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from recrawl.errors import InputError, UndeterminedError
from recrawl.learn import fit, naive
from tests.learn.crawled import crawled


def log_likelihood(theta, features, changed, weights):
    """The definition, slow and obvious."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stale = features @ theta
        return float(weights @ np.where(changed, np.log(-np.expm1(-stale)), -stale))


def twin(features, changed, weights):
    """Maximum by a general-purpose optimiser in logarithms, from several starts."""

    def loss(u):
        return -log_likelihood(np.exp(u), features, changed, weights)

    found = [
        minimize(loss, np.full(features.shape[1], s), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
        for s in (-2.0, 0.0)
    ]
    return -min(f.fun for f in found)


@pytest.mark.parametrize("sources", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_no_other_optimiser_finds_more(seed, sources):
    rng = np.random.default_rng(seed)
    elapsed, n, changed = crawled(rng, 60)
    signals = n if sources == 1 else np.column_stack((n, rng.poisson(0.5, size=60)))
    weights = rng.uniform(0.5, 2.0, size=60)
    got = fit(elapsed, signals, changed, weights=weights)
    expected = twin(np.column_stack((elapsed, signals)), changed, weights)
    # The twin stops within 1e-8 of its maximum, and cannot reach a parameter that is exactly 0.
    assert got.converged
    assert got.log_likelihood >= expected - 1e-8
    assert got.log_likelihood <= expected + 1e-4


@given(st.integers(0, 2**32 - 1), st.integers(5, 80), st.floats(0.0, 2.0), st.floats(0.0, 1.0), st.floats(0.01, 1.0))
@settings(max_examples=80, deadline=None)
def test_slopes_vanish_inside_and_point_out_at_bounds(seed, n, unsignalled, true, false):
    elapsed, signals, changed = crawled(np.random.default_rng(seed), n, unsignalled, true, false)
    got = fit(elapsed, signals, changed)
    assume(got.solution.determined.all() and np.isfinite(got.solution.theta).all())
    features = np.column_stack((elapsed, signals))
    for i, value in enumerate(got.solution.theta):
        stale = features @ got.solution.theta
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            slope = np.sum(np.where(changed, features[:, i] / np.expm1(stale), -features[:, i]))
        scale = features[:, i].sum()
        # 1e-12 of l was left to gain before the last step, so relative slopes are below the root of that.
        assert slope <= 1e-6 * scale
        assert value == 0.0 or abs(slope) <= 1e-6 * scale


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_order_of_crawls_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    elapsed, signals, changed = crawled(rng, 50)
    order = rng.permutation(50)
    got = fit(elapsed[order], signals[order], changed[order]).solution.theta
    np.testing.assert_allclose(got, fit(elapsed, signals, changed).solution.theta, rtol=1e-6, atol=1e-9)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_a_weight_is_a_repetition(seed):
    rng = np.random.default_rng(seed)
    elapsed, signals, changed = crawled(rng, 50)
    times = rng.integers(0, 4, size=50)
    got = fit(elapsed, signals, changed, weights=times)
    expected = fit(np.repeat(elapsed, times), np.repeat(signals, times), np.repeat(changed, times))
    np.testing.assert_allclose(got.solution.theta, expected.solution.theta, rtol=1e-6, atol=1e-9)
    assert got.signal_rate == pytest.approx(expected.signal_rate)


def test_another_unit_of_time_only_rescales_rates():
    elapsed, signals, changed = crawled(np.random.default_rng(3), 200)
    got, expected = fit(86_400.0 * elapsed, signals, changed), fit(elapsed, signals, changed)
    assert 86_400.0 * got.change_rate == pytest.approx(expected.change_rate, rel=1e-7)
    assert got.recall == pytest.approx(expected.recall, rel=1e-7)


def test_standard_errors_are_those_of_the_second_differences():
    elapsed, signals, changed = crawled(np.random.default_rng(4), 400)
    got = fit(elapsed, signals, changed)
    features, ones = np.column_stack((elapsed, signals)), np.ones(400)
    h = 1e-4
    bend = np.empty((2, 2))
    for i in range(2):
        for k in range(2):
            ends = [
                a
                * b
                * log_likelihood(
                    got.solution.theta + h * (a * np.eye(2)[i] + b * np.eye(2)[k]), features, changed, ones
                )
                for a in (-1, 1)
                for b in (-1, 1)
            ]
            bend[i, k] = -sum(ends) / (4 * h * h)
    # Differences are off by h^2 relative, and by rounding of l (1e-14 * 300) over h^2: 3e-4.
    np.testing.assert_allclose(got.covariance[:2, :2], np.linalg.inv(bend), rtol=2e-3)


def test_more_data_narrow_the_interval_as_the_root():
    elapsed, signals, changed = crawled(np.random.default_rng(5), 300)
    width = {}
    for times in (1, 16):
        interval = fit(elapsed, signals, changed, weights=np.full(300, float(times))).interval()
        width[times] = {name: ends.high - ends.low for name, ends in interval.items()}
    for name, wide in width[1].items():
        assert wide / width[16][name] == pytest.approx(4.0, rel=0.25)  # 4 but for skewness


def test_a_higher_level_contains_a_lower_one():
    got = fit(*crawled(np.random.default_rng(6), 100))
    for name, inner in got.interval(0.8).items():
        outer = got.interval(0.99)[name]
        assert outer.low < inner.low < getattr(got, name) < inner.high < outer.high


def test_signals_may_be_counted_over_a_longer_time():
    elapsed, signals, changed = crawled(np.random.default_rng(7), 100)
    got = fit(elapsed, signals, changed, observed_time=1000.0, n_signals=500)
    assert got.signal_rate == 0.5
    assert got.signal_weight == fit(elapsed, signals, changed).signal_weight


def test_unknown_intervals_are_left_out_and_counted():
    elapsed, signals, changed = crawled(np.random.default_rng(8), 50)
    expected = fit(elapsed, signals, changed)
    got = fit([np.nan, *elapsed, 10.0], [3, *signals, 2], [1, *changed, np.nan])
    assert got.data.censored == 2
    np.testing.assert_array_equal(got.solution.theta, expected.solution.theta)
    # The first visit has no time to count signals over; the crawl that compared nothing has.
    assert got.signal_rate == pytest.approx((signals.sum() + 2) / (elapsed.sum() + 10.0))


ELAPSED = np.array([1.0, 2.0, 0.5, 1.5])

DEGENERATE = {
    "empty": ([], [], []),
    "never changed": (ELAPSED, [0, 1, 2, 0], np.zeros(4)),
    "always changed": (ELAPSED, [0, 1, 2, 0], np.ones(4)),
    "always changed and signalled": (ELAPSED, [1, 1, 2, 1], np.ones(4)),
    "no signals": (ELAPSED, np.zeros(4), [0, 1, 0, 1]),
    "no signals, never changed": (ELAPSED, np.zeros(4), np.zeros(4)),
    "every interval alike": (np.ones(4), np.ones(4), [0, 1, 1, 0]),
    "signals never false": (ELAPSED, [0, 1, 1, 0], [0, 1, 1, 1]),
    "one interval": ([1.0], [1], [1]),
    "time explains nothing": (ELAPSED, [0, 1, 2, 0], [0, 1, 0, 0]),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_cases_answer_without_nan(case):
    got = fit(*DEGENERATE[case])
    assert got.converged
    assert not np.isnan(got.covariance).any()
    for name, (low, high) in got.interval().items():
        assert 0.0 <= low <= high
        if name in got.undetermined:
            with pytest.raises(UndeterminedError, match="cannot be told"):
                getattr(got, name)
        else:
            assert low <= getattr(got, name) * (1 + 1e-9)
            assert getattr(got, name) <= high * (1 + 1e-9)


def test_never_changed_is_a_bound():
    got = fit(*DEGENERATE["never changed"])
    assert (got.unsignalled_rate, got.signal_weight, got.change_rate) == (0.0, 0.0, 0.0)
    # l = -5 alpha - 3 kappa, so alpha may reach 1.9207/5.
    assert got.interval().get("unsignalled_rate").high == pytest.approx(1.920729 / 5.0, rel=1e-6)
    assert list(got.undetermined) == ["recall"]


def test_always_changed_is_a_bound_from_below():
    got = fit(ELAPSED, np.zeros(4), np.ones(4))
    assert got.unsignalled_rate == np.inf
    low, high = got.interval()["unsignalled_rate"]
    assert np.sum(np.log(-np.expm1(-low * ELAPSED))) == pytest.approx(-1.920729, rel=1e-6)
    assert high == np.inf


def test_intervals_alike_cannot_be_told_apart_but_are_bounded_together():
    got = fit(*DEGENERATE["every interval alike"])
    assert {"unsignalled_rate", "signal_weight", "recall"} <= set(got.undetermined)
    assert "cannot be told apart" in got.undetermined["signal_weight"]
    intervals = got.interval()
    assert intervals["recall"] == (0.0, 1.0)
    # Half of four intervals changed: alpha + kappa lies where 2 log(1-e^-x) - 2x is within 1.92 of 4 log(1/2).
    x = intervals["unsignalled_rate"].high
    assert 2.0 * np.log(-np.expm1(-x)) - 2.0 * x == pytest.approx(4.0 * np.log(0.5) - 1.920729, rel=1e-6)


def test_signals_never_false_have_infinite_weight_and_a_lower_bound():
    got = fit(*DEGENERATE["signals never false"], weights=np.full(4, 10.0))
    assert (got.signal_weight, got.precision) == (np.inf, 1.0)
    assert 0.0 < got.interval()["signal_weight"].low < np.inf
    assert got.pages().signal_weight.tolist() == [np.inf]


def test_no_signals_leave_the_change_rate_known():
    got = fit(*DEGENERATE["no signals"])
    assert got.change_rate == got.unsignalled_rate > 0.0
    assert set(got.undetermined) == {"signal_weight", "precision"}
    assert got.pages().signal_rate.tolist() == [0.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [0], [0]), "elapsed must be > 0 and finite .* got 0.0 in row 0"),
        (([1.0, 1.0], [0, -1], [0, 0]), "signals must be counts >= 0, got -1.0 in row 1"),
        (([1.0, 1.0], [0, 1], [0, 2]), "changed must be 0 or 1 .* got 2.0 in row 1"),
        (([1.0, 1.0], [0, 1, 2], [0, 1]), "signals must have as many rows as elapsed, got 3 and 2"),
        (([1.0, 1.0], [0, 1], [0, 1], None, None, [1, 2, 3]), "weights must have as many rows as elapsed, got 3 and 2"),
        (([1.0, 1.0], [0, 1], [[0, 1]]), "changed must be a scalar or one-dimensional"),
        (([1.0, 1.0], [[0, 1]], [0, 1]), "signals must have as many rows as elapsed, got 1 and 2"),
        (([1.0], [0], [0], 5.0), "observed_time and n_signals must come together"),
        (([1.0], [0], [0], -5.0, 1), "observed_time must be > 0"),
        (([1.0], [0], [0], None, None, [-1.0]), "weights must be finite and >= 0"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, message):
    with pytest.raises(InputError, match=message):
        fit(*arguments)


def test_a_level_is_a_share():
    with pytest.raises(InputError, match=r"level must be between 0 and 1, got 95; e\.g\. 0\.95"):
        fit([1.0], [0], [0]).interval(95)


def test_naive_counts_intervals():
    got = naive([1.0] * 5, [1, 2, 0, 0, 1], [1, 0, 1, 0, 1])
    assert (got.precision, got.recall) == (2 / 3, 2 / 3)


def test_naive_without_signals_or_changes_cannot_tell():
    with pytest.raises(UndeterminedError, match="no interval had a signal"):
        naive([1.0], [0], [1]).precision  # noqa: B018
    with pytest.raises(UndeterminedError, match="no interval changed"):
        naive([1.0], [1], [0]).recall  # noqa: B018
