"""Importance by choice."""

from pathlib import Path

import numpy as np
import pytest

from recrawl.errors import DataError
from recrawl.histories import History
from recrawl.histories.importance import equal, pareto, read_importance


def two(pages: int = 2) -> History:
    names = tuple(f"p{k}" for k in range(pages))
    return History("h", names, np.zeros(pages), np.full(pages, np.inf), np.empty(0, np.int64), np.empty(0), 1.0)


def test_equal_is_1_each() -> None:
    assert equal(two()).tolist() == [1.0, 1.0]


def test_pareto_has_the_tail_it_says() -> None:
    drawn = pareto(two(20_000), np.random.default_rng(0), shape=1.5)
    assert drawn.min() >= 1.0
    # P[X > 4] = 1/8, standard error .0023: 5 of them fail by chance once in a million runs
    assert (drawn > 4.0).mean() == pytest.approx(0.125, abs=0.012)


def test_a_file_says_it_by_path(tmp_path: Path) -> None:
    file = tmp_path / "importance.csv"
    file.write_text("path,importance\np1,3\nelsewhere,9\np0,0.5\n")
    assert read_importance(file, two()).tolist() == [0.5, 3.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("page,weight\n", "must begin with the line path,importance"),
        ("path,importance\np0,1\n", "must have a line for every page, got none for 'p1'"),
        ("path,importance\np0,many\n", "importance must be finite and >= 0, got 'many'"),
        ("path,importance\np0\n", "must have 2 cells, got 1"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "importance.csv"
    file.write_text(text)
    with pytest.raises(DataError, match=message):
        read_importance(file, two())
