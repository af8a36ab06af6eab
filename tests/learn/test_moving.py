"""Likelihoods at another pace: pages are moved when they are crawled, and read as if they had been."""

import numpy as np
import pytest

from recrawl.learn import Learner
from recrawl.learn.online.layout import ALPHAS, FASTEST, FLOOR, LOG_RATIO, PACE, PHIS, SLOWEST
from recrawl.learn.online.moving import SILVER, bring
from recrawl.learn.online.type_likelihood import set_pace
from tests.learn.crawling import crawl_in_rounds, mixed_pages

SEED = 20260104
ONE_TYPE = (FASTEST / SLOWEST) ** (1.0 / (ALPHAS - 1))
PACES = [1.7, 0.31, 4.0 / 3.0, 25.0]


def used(**keywords):
    rng = np.random.default_rng(SEED)
    learner = Learner(50, hosts=np.arange(50) % 3, tilt=0.0, explore=0.0, **keywords)
    return crawl_in_rounds(rng, learner, mixed_pages(rng, 50), 5)


def moved_at_once(likelihood, factor):
    """All pages at a pace `factor` times theirs, written down plainly."""
    old = likelihood.reshape(-1, ALPHAS, PHIS).astype(float)
    at = np.arange(ALPHAS) + np.log(factor) / LOG_RATIO
    low = np.clip(np.floor(at), 0, ALPHAS - 2).astype(int)
    new = old[:, low] + (at - low)[:, None] * (old[:, low + 1] - old[:, low])
    new = new.reshape(len(likelihood), -1)
    new -= new.max(axis=1, keepdims=True)
    dither = (0.5 + SILVER * np.arange(len(new)))[:, None] % 1.0 + np.arange(new.shape[1]) * 0.5698402909980532 % 1.0
    return np.maximum(np.floor(new + dither % 1.0), FLOOR).astype(np.int16)


def test_a_page_touched_at_every_pace_is_where_moving_all_at_once_has_it():
    learner = used()
    memory = learner._memory
    expected, pace = memory.likelihood.copy(), memory.numbers[PACE]
    for factor in PACES:
        set_pace(memory, pace * factor)
        expected = moved_at_once(expected, memory.numbers[PACE] / pace)
        pace = memory.numbers[PACE]
        for i in range(50):
            bring(memory, i)
        # One step: log and rounding in another order may fall on the other side of a whole number.
        off = np.abs(memory.likelihood.astype(int) - expected)
        assert off.max() <= 1
        assert np.mean(off > 0) < 0.01
        expected = memory.likelihood.copy()


@pytest.mark.parametrize("factor", PACES)
def test_what_is_read_is_what_a_crawl_would_find(factor):
    learner = used()
    set_pace(learner._memory, learner._memory.numbers[PACE] * factor)
    got = [column.tolist() for column in (*learner.pages().columns, *learner.uncertainty())]
    for i in range(50):
        bring(learner._memory, i)
    assert got == [column.tolist() for column in (*learner.pages().columns, *learner.uncertainty())]


def test_asking_changes_nothing(tmp_path):
    learner = used()
    set_pace(learner._memory, 3.0)
    learner.save(tmp_path / "before")
    learner.pages(), learner.uncertainty(), learner.heard([1]), learner.crawled([2]), learner.check_new(3)
    learner.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


def test_types_that_move_there_and_back_are_what_they_were():
    learner = used()
    memory = learner._memory
    before, pace = memory.likelihood.copy(), memory.numbers[PACE]
    for target in (pace * ONE_TYPE, pace):
        set_pace(memory, target)
        for i in range(50):
            bring(memory, i)
    inner = slice(PHIS, None)  # the slowest alpha was out of range in between
    assert np.median(np.abs(memory.likelihood.astype(int) - before)[:, inner]) <= 2


def test_pages_nobody_touched_between_two_paces_move_once():
    there_and_back, stayed = used(), used()
    memory = there_and_back._memory
    pace = memory.numbers[PACE]
    set_pace(memory, 20.0 * pace)
    set_pace(memory, pace)
    assert there_and_back.pages().change_rate.tolist() == pytest.approx(stayed.pages().change_rate.tolist(), rel=1e-12)


@pytest.mark.parametrize("unit", [3.0, 0.1, 1e29, 1e-29])
def test_the_pace_is_a_number_that_pages_can_keep(unit):
    learner = Learner(3, unit=unit, now=0.0)
    memory = learner._memory
    assert (memory.pace == memory.numbers[PACE]).all()
    set_pace(memory, 1.1 / unit)
    learner.renew([1], 1.0)
    assert memory.pace[1] == memory.numbers[PACE] != memory.pace[0]
