"""Neither the number of crawls nor their weights nor the unit of time decides what can be told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.errors import InputError
from recrawl.learn import fit

ELAPSED = np.array([1.0, 2.0, 1.0, 4.0, 3.0, 1.0, 2.0, 5.0])
SIGNALS = np.array([0, 1, 0, 2, 0, 1, 0, 1])
CHANGED = np.array([0, 1, 0, 1, 0, 0, 0, 1])
PLAIN = fit(ELAPSED, SIGNALS, CHANGED)


@pytest.mark.parametrize("weight", [1e-300, 1e-12, 1e4, 1e5, 1e8, 1e12, 1e20, 1e300])
def test_weights_alike_change_no_estimate(weight):
    got = fit(ELAPSED, SIGNALS, CHANGED, weights=np.full(8, weight))
    assert got.converged
    assert not got.undetermined
    # Weights that are no power of two round sums differently: 1e-12 of l is left, the root of that in the estimate.
    np.testing.assert_allclose(got.solution.theta, PLAIN.solution.theta, rtol=1e-6)
    assert not np.isnan(got.covariance).any()
    for name, (low, high) in got.interval().items():
        assert low <= getattr(got, name) * (1.0 + 1e-12), name
        assert getattr(got, name) <= high * (1.0 + 1e-12), name


def test_intervals_narrow_as_the_root_of_the_weights_down_to_rounding():
    width = {}
    for weight in (1e4, 1e8, 1e20):
        low, high = fit(ELAPSED, SIGNALS, CHANGED, weights=np.full(8, weight)).interval()["change_rate"]
        width[weight] = high - low
    assert width[1e4] / width[1e8] == pytest.approx(100.0, rel=0.01)  # 100 but for skewness
    assert 0.0 < width[1e20] < 1e-5 * PLAIN.change_rate


@pytest.mark.parametrize("scale", [1e-200, 1.0 / 86_400.0, 86_400.0, 1e200])
def test_another_unit_of_time_rescales_intervals_too(scale):
    got = fit(scale * ELAPSED, SIGNALS, CHANGED)
    assert scale * got.change_rate == pytest.approx(PLAIN.change_rate, rel=1e-9)
    for name, power in (("change_rate", scale), ("unsignalled_rate", scale), ("recall", 1.0), ("signal_weight", 1.0)):
        # Ends are found to 1e-9 of the box; the solver's path depends on rounding.
        expected = pytest.approx(np.array(PLAIN.interval()[name]), rel=1e-6)
        assert power * np.array(got.interval()[name]) == expected, name


def test_a_few_changes_among_a_million_crawls_tell_everything():
    elapsed, signals, changed = np.ones(10**6), np.zeros(10**6), np.zeros(10**6)
    changed[:20] = 1
    signals[:10] = signals[20:300_000] = 1
    got = fit(elapsed, signals, changed)
    assert not got.undetermined
    # 10 changes in 700,000 crawls without a signal; 10 in 299,990 with one.
    assert got.unsignalled_rate == pytest.approx(-np.log1p(-10 / 700_010), rel=1e-4)
    low, high = got.interval()["change_rate"]
    assert low < got.change_rate < high


def test_one_crawl_in_a_hundred_thousand_is_enough_to_tell_parts_apart():
    signals = np.ones(10**5)
    signals[0] = 1.001  # a weighted count: its squared sine is 2.5e-12 of all rows
    changed = np.arange(10**5) % 2
    changed[0] = 1
    assert not fit(np.ones(10**5), signals, changed).undetermined


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 2))
@settings(max_examples=60, deadline=None)
def test_an_interval_always_answers_and_holds_the_estimate(seed, n, sources):
    rng = np.random.default_rng(seed)
    signals, changed = rng.poisson(1.0, (n, sources)), rng.integers(0, 2, n)
    got = fit(rng.exponential(1.0, n) + 1e-3, signals, changed, weights=10.0 ** rng.uniform(-6, 6, n))
    for name, (low, high) in got.interval().items():
        assert np.all(np.asarray(low) <= high), name
        if name not in got.undetermined:
            estimate = np.asarray(getattr(got, name))
            assert np.all(low <= estimate * (1.0 + 1e-6)), name
            assert np.all(estimate <= np.asarray(high) * (1.0 + 1e-6)), name


def test_what_has_no_finite_sum_is_refused():
    with pytest.raises(InputError, match="must have a finite sum; give smaller weights"):
        fit([1e200, 1e200], [0, 1], [0, 1], weights=[1e200, 1e200])


def test_small_rates_are_shown():
    assert "change_rate=2.16284e-06" in repr(fit(86_400.0 * ELAPSED, SIGNALS, CHANGED))
    assert "signal_weight=[1.23823]" in repr(fit(ELAPSED, SIGNALS[:, None], CHANGED))


REASONS = {
    "no interval had a signal of source 1": ([[0, 0], [1, 0], [2, 0], [0, 0]], [0, 1, 0, 1], "signal_weight"),
    "signals of sources 0 and 1 go together": ([[0, 0], [1, 1], [2, 2], [1, 1]], [0, 1, 0, 1], "signal_weight"),
    "signals go with elapsed time": ([[2, 1], [4, 0], [1, 0], [3, 0]], [0, 1, 0, 1], "unsignalled_rate"),
    "of some sources changed, and they came together": ([[0, 0], [1, 1], [0, 0], [2, 1]], [0, 1, 0, 1], "precision"),
    "every interval changed, so time and signals": ([[0, 0], [1, 1], [0, 0], [2, 1]], [1, 1, 1, 1], "precision"),
}


@pytest.mark.parametrize("reason", REASONS)
def test_the_reason_is_what_the_solver_found(reason):
    signals, changed, name = REASONS[reason]
    assert reason in fit([1.0, 2.0, 0.5, 1.5], signals, changed).undetermined[name]
