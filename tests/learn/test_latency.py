import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.learn import latency


def test_the_distribution_is_that_of_the_sample():
    got = latency([0.0, 0.0, 0.0, 0.0], [1.0, 3.0, 2.0, 2.0])
    assert got.cdf([0.5, 2.0, 3.0]).tolist() == [0.0, 0.75, 1.0]
    # Means of min(latency, s).
    assert got.survival_integral([1.0, 2.5, 9.0]).tolist() == [1.0, 1.875, 2.0]
    assert (got.mean, got.quantile(0.5).item()) == (2.0, 2.0)


def test_the_interval_of_an_exponential_mean_covers_it_as_often_as_it_says():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        low, high = latency(np.zeros(10), rng.exponential(3.0, size=10)).mean_interval(0.9)
        held += low <= 3.0 <= high
    assert 860 <= held <= 940  # .9 exactly: outside with probability 2e-5


def test_the_gap_tells_exponential_from_constant():
    rng = np.random.default_rng(2)
    exponential = latency(np.zeros(400), rng.exponential(3.0, size=400)).exponential_gap
    constant = latency(np.zeros(400), np.full(400, 3.0)).exponential_gap
    # 1.1/sqrt(400) = .055 is the 5% level, .08 far beyond.
    assert exponential < 0.08
    assert constant == pytest.approx(1.0 - np.exp(-1.0))


@pytest.mark.parametrize(
    ("happened", "arrived", "message"),
    [
        ([2.0], [1.0], "not before happened, got 1.0 and 2.0 in row 0"),
        ([], [], "at least 1"),
        ([1.0, 2.0], [3.0], "as many"),
        ([np.nan], [1.0], "must be finite"),
    ],
)
def test_bad_times_are_refused(happened, arrived, message):
    with pytest.raises(InputError, match=message):
        latency(happened, arrived)


@pytest.mark.parametrize("level", [0.0, 1.0, 2.0, np.nan])
def test_a_level_is_a_share(level):
    with pytest.raises(InputError, match=r"level must be between 0 and 1, got .*; e\.g\. 0\.95"):
        latency([0.0], [1.0]).mean_interval(level)
