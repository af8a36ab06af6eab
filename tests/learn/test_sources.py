"""The sources' qualities, recovered from worlds where they are known."""

import numpy as np
import pytest

from recrawl.errors import InputError, UndeterminedError
from recrawl.learn import fit_sources, together


def crawls(n, delta, recall, false, rng):
    """n intervals of irregular length: (elapsed, lone signals, coincidences, changed)."""
    elapsed = rng.exponential(1.0, n) + 0.05
    changes = rng.poisson(delta * elapsed)
    whose = np.repeat(np.arange(n), changes)
    told = rng.random((len(whose), len(recall))) < recall
    lone = rng.poisson(np.outer(elapsed, false))
    alone, several = told.sum(axis=1) == 1, told.sum(axis=1) > 1
    for k in range(len(recall)):
        np.add.at(lone[:, k], whose[alone & told[:, k]], 1)
    return elapsed, lone, np.bincount(whose[several], minlength=n), changes > 0


@pytest.mark.parametrize(
    ("recall", "false"), [([0.6, 0.3], [0.4, 0.9]), ([0.9, 0.1], [0.2, 0.5]), ([0.5, 0.4, 0.3], [0.3, 0.6, 0.1])]
)
def test_known_qualities_are_recovered(recall, false):
    """Within 4.5 standard errors each: 19 numbers raise a false alarm 1.3e-4 of the time (seed 5); errors of 5% at most
    say that the standard errors are not simply large."""
    rng = np.random.default_rng(5)
    found = fit_sources(*crawls(20_000, 0.8, np.array(recall), np.array(false), rng))
    assert found.converged
    assert abs(found.change_rate - 0.8) <= 4.5 * found.change_rate_error
    assert np.all(np.abs(found.recall - recall) <= 4.5 * found.recall_error)
    assert np.all(np.abs(found.false_signal_rate - false) <= 4.5 * found.false_signal_rate_error)
    assert max(found.recall_error.max(), found.false_signal_rate_error.max(), found.change_rate_error) < 0.05


def test_standard_errors_are_the_spread():
    """60 fits: the spread over them is within 35% of the errors said (chi-square, 59 degrees: 1e-3 a number)."""
    rng = np.random.default_rng(6)
    fits = [fit_sources(*crawls(3_000, 0.8, np.array([0.6, 0.3]), np.array([0.4, 0.9]), rng)) for _ in range(60)]
    spread = np.std([f.recall for f in fits], axis=0, ddof=1)
    said = np.mean([f.recall_error for f in fits], axis=0)
    assert np.all(np.abs(spread / said - 1.0) < 0.35)


def test_a_source_that_announces_nothing_is_found_out():
    rng = np.random.default_rng(7)
    found = fit_sources(*crawls(20_000, 0.8, np.array([0.6, 0.0]), np.array([0.4, 0.9]), rng))
    assert found.recall[1] < 0.01
    assert found.recall[0] == pytest.approx(0.6, abs=0.05)
    assert found.sources().weight[0, 1] < 0.05


WORLD = crawls(3_000, 0.8, np.array([0.6, 0.3]), np.array([0.4, 0.9]), np.random.default_rng(8))


def test_a_weight_is_a_repetition():
    times = np.arange(3_000) % 3
    got = fit_sources(*WORLD, weights=times)
    expected = fit_sources(*(np.repeat(column, times, axis=0) for column in WORLD))
    # The optimiser stops at 2e-9 of the loss, about 1e-4 of a standard error of 1%.
    np.testing.assert_allclose(got.recall, expected.recall, rtol=1e-4)
    np.testing.assert_allclose(got.recall_error, expected.recall_error, rtol=1e-3)


@pytest.mark.parametrize("weight", [1e-12, 1e12])
def test_weights_alike_change_errors_only(weight):
    got, expected = fit_sources(*WORLD, weights=np.full(3_000, weight)), fit_sources(*WORLD)
    np.testing.assert_allclose(got.false_signal_rate, expected.false_signal_rate, rtol=1e-4)
    np.testing.assert_allclose(got.recall_error * np.sqrt(weight), expected.recall_error, rtol=1e-3)


def test_the_unit_of_time_only_rescales_rates():
    elapsed, *rest = WORLD
    got, expected = fit_sources(86_400.0 * elapsed, *rest), fit_sources(*WORLD)
    np.testing.assert_allclose(got.recall, expected.recall, rtol=1e-4)
    np.testing.assert_allclose(86_400.0 * got.false_signal_rate, expected.false_signal_rate, rtol=1e-4)
    assert 86_400.0 * got.change_rate_error == pytest.approx(expected.change_rate_error, rel=1e-3)


ALIKE = np.ones(200), np.ones((200, 1)), np.zeros(200), np.arange(200) % 2
COINCIDED = np.ones(200), np.zeros((200, 2)), np.arange(200) % 4 == 0, np.arange(200) % 4 == 0


def test_what_does_not_bend_has_an_infinite_error():
    assert np.isinf(fit_sources(*ALIKE).recall_error).all()  # of time and signals either explains it all
    ended = fit_sources(*COINCIDED)  # every change was signalled by both: recall 1, as far as can be told
    assert ended.recall == pytest.approx([1.0, 1.0], abs=1e-5)
    assert np.isinf(ended.recall_error).all()
    assert ended.change_rate_error == pytest.approx(np.sqrt(50) / 200, rel=0.01)


def test_an_end_of_the_range_leaves_the_other_errors_finite():
    world = crawls(20_000, 0.8, np.array([0.6, 0.0]), np.array([0.4, 0.9]), np.random.default_rng(7))
    found = fit_sources(*world)
    assert found.recall_error[1] == np.inf
    assert max(found.recall_error[0], found.false_signal_rate_error.max(), found.change_rate_error) < 0.02


@pytest.mark.parametrize(
    ("lone", "coincidences", "changed", "reason"),
    [
        ([[1, 0], [0, 1]], [0, 0], [1, 1], "every interval changed"),
        ([[1, 0], [0, 1]], [1, 0], [0, 1], "every interval without a coincidence changed"),
        ([[1, 0], [0, 1]], [1, 1], [1, 1], "every interval changed"),
        ([[1, 0], [0, 1]], [0, 0], [0, 0], "no interval changed"),
        ([[1, 0], [0, 1]], [0, 1], [0, 0], "no interval changed"),
        ([[1, 0], [0, 0]], [0, 0], [1, 0], "source 1 was never heard; leave it out"),
        ([[1, 0], [0, 1]], [0, 0], [np.nan, np.nan], "there is no interval with a known outcome"),
    ],
)
def test_what_cannot_be_told_is_said(lone, coincidences, changed, reason):
    with pytest.raises(UndeterminedError, match=f"the sources cannot be told: {reason}"):
        fit_sources([1.0, 1.0], lone, coincidences, changed)


@pytest.mark.parametrize(
    ("coincidences", "message"),
    [
        ([-1, 0], "coincidences must be counts >= 0, got -1.0 in row 0"),
        ([0, np.inf], "coincidences must be counts >= 0, got inf in row 1"),
        ([0, np.nan], "coincidences must be counts >= 0, got nan in row 1"),
        ([0, 1, 0], "coincidences must have as many rows as elapsed, got 3 and 2"),
    ],
)
def test_bad_coincidences_are_refused(coincidences, message):
    with pytest.raises(InputError, match=message):
        fit_sources([1.0, 1.0], [[1, 0], [0, 1]], coincidences, [1, 0])


def test_a_coincidence_without_a_change_is_counted():
    elapsed, lone, both, changed = (np.array(column) for column in WORLD)
    both[np.flatnonzero(~changed)[:3]] = 1
    assert fit_sources(elapsed, lone, both, changed).contradicted == 3.0
    assert fit_sources(*WORLD).contradicted == 0.0


@pytest.mark.parametrize(
    ("times", "sources", "message"),
    [
        ([1.0, np.nan], [0, 1], "times must be finite, got nan in row 1"),
        ([1.0, np.inf], [0, 1], "times must be finite, got inf in row 1"),
        ([1.0, 2.0], [0, -1], r"sources must be numbers >= 0 \(-1 marks a coincidence\), got -1 in row 1"),
    ],
)
def test_bad_signals_are_refused(times, sources, message):
    with pytest.raises(InputError, match=message):
        together([0, 0], times, sources, window=1.0)


def test_chains_of_signals_are_one_coincidence():
    pages, times, sources = together([3, 3, 3, 3, 3], [0.0, 0.9, 1.8, 5.0, 5.5], [0, 0, 1, 1, 1], window=1.0)
    assert (pages.tolist(), times.tolist(), sources.tolist()) == ([3, 3, 3], [0.0, 5.0, 5.5], [-1, 1, 1])
    assert [len(part) for part in together([], [], [])] == [0, 0, 0]
