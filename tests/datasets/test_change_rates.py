import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from recrawl.datasets.change_rates import HIGHEST, LOWEST, change_rates


def estimate(*histories):
    starts = np.cumsum([0, *map(len, histories)])
    pairs = np.array([pair for history in histories for pair in history], dtype=float).reshape(-1, 2)
    out = np.empty(len(histories))
    change_rates(np.ascontiguousarray(pairs[:, 0]), pairs[:, 1] == 1.0, starts, out)
    return out


def log_likelihood(rate, history):
    smoothed = [*history, (0.5, 1), (0.5, 0)]
    return sum(np.log(-np.expm1(-rate * gap)) if changed else -rate * gap for gap, changed in smoothed)


def test_no_crawls_leave_the_two_made_up_ones():
    # One change and one quiet half day: e^(-rate/2) = 1/2.
    assert estimate([]) == pytest.approx([2.0 * np.log(2.0)], rel=1e-9)


def test_it_is_the_maximum_of_the_likelihood():
    history = [(1.1, 0), (0.4, 1), (2.0, 1), (3.5, 0), (0.9, 0), (1.0, 1)]
    found = minimize_scalar(lambda rate: -log_likelihood(rate, history), bounds=(LOWEST, HIGHEST), method="bounded")
    # The minimiser looks at values, which are flat at the top: half the digits are lost.
    assert estimate(history)[0] == pytest.approx(found.x, rel=1e-4)


def test_histories_do_not_touch_each_other():
    first, second = [(1.0, 1), (1.0, 0)], [(5.0, 0)] * 20
    assert estimate(first, [], second).tolist() == [*estimate(first), *estimate([]), *estimate(second)]


def test_bounds_hold():
    always, never = [(0.01, 1)] * 5_000, [(100.0, 0)] * 5_000
    assert estimate(always, never) == pytest.approx([HIGHEST, LOWEST], rel=1e-6)


def test_a_change_within_no_time_is_finite():
    assert LOWEST < estimate([(0.0, 1), (1.0, 0)])[0] < HIGHEST
