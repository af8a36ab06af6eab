"""Text where a number belongs, and numbers that are none of the kind: refused by name, not by a TypeError."""

import pytest

from recrawl import InputError
from recrawl.learn import Hints, Learner, fit_sources, read_log, together

CALLS = {
    "day": lambda: Hints.from_changefreq(["daily"], day="x"),
    "signal_rate": lambda: Hints(1.0, signal_rate="x"),
    "half_life": lambda: Learner(2, half_life="x"),
    "coincidence": lambda: read_log("none.csv", coincidence="x"),
    "window": lambda: together([0], [1.0], [0], window="x"),
    "lone": lambda: fit_sources([1.0, 2.0], [[1, 2], [1]], [0, 0], [1, 0]),
    "sources": lambda: together([0], [1.0], ["feed"]),
}


@pytest.mark.parametrize("argument", CALLS)
def test_text_and_ragged_columns_are_refused_by_name(argument):
    with pytest.raises(InputError, match=f"^{argument} must be") as caught:
        CALLS[argument]()
    assert caught.value.argument == argument


def test_sources_are_whole_numbers():
    with pytest.raises(InputError, match=r"sources must be whole numbers, got 0.5 in row 1"):
        together([0, 0], [1.0, 2.0], [1, 0.5])
