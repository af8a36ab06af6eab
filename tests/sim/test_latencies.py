"""Latencies: their draws agree with their distribution functions, and these with their integrals."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from recrawl.errors import InputError
from recrawl.sim import Constant, Exponential, Poisson

LATENCIES = [Constant(0.7), Constant(0.0), Exponential(1.3), Exponential(0.0), Poisson(6.0), Poisson.ticks(6.0, 4.0)]


@pytest.mark.parametrize("latency", LATENCIES, ids=str)
def test_draws_follow_the_distribution_function(latency):
    n = 20_000
    drawn = latency.draw(np.random.default_rng(1), n)
    assert drawn.shape == (n,)
    for s in (0.0, 0.3, 0.7, 1.0, 1.5, 4.0, 9.0):
        p = float(latency.cdf(s))
        # 5.5 standard errors: 42 such comparisons fail by chance 2e-6 of the time
        assert abs(np.mean(drawn <= s * (1 + 1e-12)) - p) <= 5.5 * np.sqrt(p * (1 - p) / n) + 1e-12, s


@pytest.mark.parametrize("latency", LATENCIES, ids=str)
@pytest.mark.parametrize("s", [0.0, 0.2, 0.7, 1.9, 7.4])
def test_the_integral_is_that_of_the_survival_function(latency, s):
    steps = np.arange(0.0, s, 0.05) + 0.05  # the jumps of all cases lie on this grid
    edges = [0.0, *steps[steps < s], s]
    expected = sum(quad(lambda u: 1.0 - float(latency.cdf(u)), a + 1e-12, b - 1e-12)[0] for a, b in pairwise(edges))
    assert float(latency.survival_integral(s)) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("latency", LATENCIES, ids=str)
def test_nothing_comes_before_its_change(latency):
    assert np.asarray(latency.cdf([-1.0])).tolist() == [0.0]
    assert np.asarray(latency.survival_integral([-1.0])).tolist() == [0.0]
    assert (latency.draw(np.random.default_rng(0), 100) >= 0.0).all()


@pytest.mark.parametrize("latency", LATENCIES, ids=str)
def test_the_integral_tends_to_the_mean(latency):
    drawn = latency.draw(np.random.default_rng(2), 200_000)
    # 5.5 standard errors of the mean: six such tests fail by chance 2e-7 of the time
    room = 5.5 * drawn.std() / np.sqrt(len(drawn)) + 1e-12
    assert abs(float(latency.survival_integral(1e4)) - drawn.mean()) <= room


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Constant(-1.0), "length must be finite and >= 0, got -1.0"),
        (lambda: Exponential(np.inf), "mean must be finite and >= 0, got inf"),
        (lambda: Poisson(-6.0), "mean_steps must be finite and >= 0"),
        (lambda: Poisson(6.0, 0.0), "step must be finite and > 0, got 0.0"),
    ],
)
def test_bad_parameters_are_refused(make, match):
    with pytest.raises(InputError, match=match):
        make()
