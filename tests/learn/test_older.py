"""Learners saved by versions with other types are read, and know what they knew."""

import numpy as np

from recrawl.learn import Learner
from recrawl.learn.online.alike import APART
from recrawl.learn.online.layout import ALPHAS, FORESEEN, LEANING, OUTCOMES, PACE, PHIS, REFRESH_AT, STEP, USUAL_LEANING
from recrawl.learn.online.older import brought_up
from recrawl.learn.online.refreshing import CHOOSING, COMPARING, PHASE, PLACE, TAKEN

SEED = 9


def old_columns(pages=40, rounds=30):
    """What a learner with alphas from 1/30 to 10 and evenly spaced phis would have saved, and the rates it saw."""
    rng = np.random.default_rng(SEED)
    rates = np.geomspace(0.1, 3.0, pages)
    learner = Learner(pages, now=0.0, explore=0.0, unit=1.0)
    changed = rng.random((rounds, pages)) < -np.expm1(-rates)
    for k in range(rounds):
        learner.observe(np.arange(pages), np.ones(pages), np.zeros(pages), changed[k], now=k + 1.0, level=0.3)
    columns = {name: column.copy() for name, column in learner.columns().items()}
    pace = columns["numbers"][PACE]
    columns["types"][0] = np.repeat(pace * np.geomspace(1 / 30, 10.0, ALPHAS), PHIS)
    columns["types"][1] = np.tile(np.linspace(0.02, 0.999, PHIS), ALPHAS)
    columns["types"][2] = -np.log(columns["types"][1])
    seen = changed.sum(axis=0)[:, None]
    alpha = columns["types"][0][None, :]
    likely = seen * np.log(-np.expm1(-alpha)) - (rounds - seen) * alpha
    steps = np.maximum((likely - likely.max(axis=1, keepdims=True)) * STEP, -32000)
    columns["likelihood"] = steps.astype(np.int16)
    for name in ("looks", "watch", "before", "regime"):
        del columns[name]
    return columns, learner


def test_a_learner_with_other_types_is_read_and_knows_what_it_knew():
    columns, same = old_columns()
    got = Learner.from_columns(columns)
    got.refresh(got.now)
    # Straight lines between types a factor 1.7 to 1.9 apart.
    ratio = got.uncertainty().change_rate / same.uncertainty().change_rate
    assert np.abs(np.log(ratio)).max() < 0.35
    assert np.abs(np.log(ratio)).mean() < 0.1


def test_pages_count_as_looked_at_as_often_as_an_average_one():
    columns, _ = old_columns(rounds=30)
    assert set(brought_up(columns)["looks"].tolist()) == {30}


def test_pages_that_were_told_apart_are_so_still():
    learner = Learner(3, now=0.0)
    columns = {name: column.copy() for name, column in learner.columns().items()}
    for name in ("numbers", "job_numbers"):
        columns[name] = columns[name][:FORESEEN]
    assert brought_up(columns)["numbers"][FORESEEN] == APART


def test_what_is_of_this_version_is_taken_as_it_is():
    learner = Learner(3, now=0.0)
    columns = learner.columns()
    assert all(brought_up(columns)[name] is column for name, column in columns.items())


def test_what_is_not_a_learner_is_left_to_be_refused():
    assert brought_up({"a": np.zeros(1)}) == {"a": np.zeros(1)}


def test_a_sample_that_was_half_chosen_is_chosen_anew():
    columns, _ = old_columns()
    columns["job_state"][[PHASE, TAKEN]] = CHOOSING, 5.0
    columns["sample"] = np.arange(5, dtype=np.int32)
    learner = Learner.from_columns(columns)
    assert not learner.refreshing
    learner.refresh(learner.now)
    assert np.isfinite(learner.pages().change_rate).all()


def without_leaning(learner):
    """What the version before saved: one number less, and other fits."""
    columns = {name: column.copy() for name, column in learner.columns().items()}
    for name in ("numbers", "job_numbers"):
        columns[name] = columns[name][:LEANING]
    columns["job_fits"] = np.zeros(139)
    del columns["job_leanings"]
    return columns


def test_a_learner_whose_signal_rates_leaned_as_usual_is_read():
    _, learner = old_columns()
    got = Learner.from_columns(without_leaning(learner))
    assert got._memory.numbers[LEANING] == USUAL_LEANING
    assert np.allclose(got.pages().change_rate, learner.pages().change_rate, rtol=1e-4)  # there were no signals


def test_a_refresh_that_compared_in_another_way_begins_again():
    _, learner = old_columns()
    columns = without_leaning(learner)
    columns["job_state"][[PHASE, PLACE]] = COMPARING, 3.0
    got = Learner.from_columns(columns)
    assert not got.refreshing
    assert got._memory.numbers[REFRESH_AT] == got._memory.numbers[OUTCOMES]
    got.observe([0], [1.0], [0], [True], now=got.now + 1.0, level=0.3)
    assert np.isfinite(got.pages().change_rate).all()
