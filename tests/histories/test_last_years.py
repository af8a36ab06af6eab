"""Which histories policies can be run on."""

from dataclasses import replace

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.histories import History
from recrawl.histories.last_years import check_last_years, last_years

NONE = np.array([], dtype=np.int64)
STILL = History("still", ("a", "b"), np.zeros(2), np.full(2, np.inf), NONE, np.array([]), 0.0)


def told(history: History) -> str:
    with pytest.raises(InputError) as raised:
        check_last_years(last_years(history))
    return str(raised.value)


def test_a_history_in_which_nothing_happened_is_refused() -> None:
    expected = "history must last for some time, got still, in which nothing happened after its beginning"
    assert told(STILL) == expected
    assert told(replace(STILL, change_pages=np.array([0]), change_times=np.zeros(1))) == expected


def test_a_history_without_changes_of_pages_that_stay_is_refused() -> None:
    removed = np.array([np.inf, np.inf, 5.0])
    changes = {"change_pages": np.array([2]), "change_times": np.array([3.0])}
    history = History("quiet", ("a", "b", "c"), np.zeros(3), removed, **changes, end=9.0)
    assert told(history) == (
        "history must have changes of pages that are there throughout its last 4 years, got none on 2 pages in quiet; "
        "other --years may have some"
    )


def test_a_history_of_one_page_is_refused() -> None:
    history = History("one", ("a",), np.zeros(1), np.full(1, np.inf), np.array([0]), np.array([3.0]), 9.0)
    assert "must have two pages or more" in told(history)


def test_pages_that_come_and_go_are_there_if_asked_for() -> None:
    history = History("h", ("a", "b"), np.array([0.0, 1.0]), np.full(2, np.inf), np.array([0]), np.array([3.0]), 9.0)
    assert last_years(history).paths == ("a",)
    assert last_years(history, moving=True).paths == ("a", "b")
