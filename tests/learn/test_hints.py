"""Hints are checked when they are made."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.learn import Hints, Learner


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"signal_rate": -5.0}, "signal_rate must be finite and >= 0, got -5.0"),
        ({"signal_rate": np.nan}, "signal_rate must be finite and >= 0, got nan"),
        ({"signal_rate": np.inf}, "signal_rate must be finite and >= 0, got inf"),
        ({"spread": 1.0}, "spread must be a factor > 1, got 1.0"),
        ({"spread": [2.0, np.nan]}, "spread must be a factor > 1, got nan"),
        ({"change_rate": [1.0, 0.0]}, "change_rate of a hint must be finite and > 0"),
    ],
)
def test_bad_hints_are_refused_when_made(arguments, message):
    with pytest.raises(InputError, match=message):
        Hints(**{"change_rate": 1.0, **arguments})


def test_spreads_of_another_number_of_pages_are_refused():
    with pytest.raises(InputError, match="spread must be one or one for each of 3 pages, got 2"):
        Learner(3, prior=Hints(1.0, spread=[2.0, 3.0]))


def test_words_of_a_sitemap_are_hints_that_yield_to_crawls():
    learner = Learner(3, prior=Hints.from_changefreq(["Hourly", "monthly", ""], day=24.0), unit=24.0, explore=0.0)
    fast, slow, unknown = learner.uncertainty().change_rate
    assert fast > unknown > slow
    for k in range(40):  # the page said to change every hour never does
        learner.observe([0, 1], 24.0, 0, [0, 1], now=24.0 * (k + 1), level=0.1)
    now_fast, now_slow, _ = learner.uncertainty().change_rate
    assert now_fast < 0.1 * now_slow


def test_other_words_are_refused():
    with pytest.raises(InputError, match=r"changefreq must be one of always, hourly, .* got 'often' in row 1"):
        Hints.from_changefreq(["daily", "often"])
    with pytest.raises(InputError, match="day must be finite and > 0"):
        Hints.from_changefreq(["daily"], day=0.0)
