"""What is made of scores: rows, needs and drawings."""

from dataclasses import replace

import numpy as np

from recrawl.cli.demo.drawing import draw
from recrawl.cli.demo.report import behind
from recrawl.demo.needs import needs
from recrawl.demo.plot import png
from recrawl.demo.result import Result, Row
from recrawl.demo.settings import AGENTS, EQUAL, Settings


def a_result():
    levels = dict(zip(AGENTS, (0.9, 0.7, 0.72, 0.68), strict=True))
    rows = tuple(Row(agent, level, level, 10, 9, 3, (level,) * 200) for agent, level in levels.items())
    return Result(rows, days=1460.0, pages=60, budget=0.1, seconds=60.0, needs={EQUAL: float("inf")})


def test_the_drawing_fits_and_shows_everyone():
    lines = draw(a_result(), 60, ascii_only=True)
    assert max(map(len, lines)) <= 60
    assert all(mark in "".join(lines[2:]) for mark in "*.no")
    assert lines[-1].split() == ["0", "years", "1", "2", "3", "4"]


def test_the_picture_is_a_png():
    assert png(a_result()).startswith(b"\x89PNG")


def test_who_is_as_fresh_needs_no_more():
    settings = Settings(pages=30)
    past = settings.history()
    found = needs(past, np.ones(len(past)), 1.0, 0.1)
    assert set(found.values()) == {1.0}


def test_more_freshness_needs_more_requests():
    settings = Settings(pages=30)
    past = settings.history()
    importance = settings.importance(past)
    less, more = (needs(past, importance, 0.1, level)[EQUAL] for level in (0.8, 0.9))
    assert 1.0 <= less < more


def test_infinite_needs_are_null_in_json():
    assert a_result().plain()["needs"] == {EQUAL: None}


def test_a_run_that_fell_behind_says_so():
    got = " ".join(" ".join(behind(a_result(), 80)).split())
    assert "recrawl made 10 of the 288 requests it was allowed" in got
    assert "--seconds 180" in got


def test_a_run_that_kept_up_says_nothing():
    result = a_result()
    kept_up = replace(result, rows=tuple(replace(row, requests=287) for row in result.rows))
    assert behind(kept_up, 80) == []
