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


def test_what_cannot_be_told_is_said():
    with pytest.raises(UndeterminedError, match="every interval changed"):
        fit_sources([1.0, 1.0], [[1, 0], [0, 1]], [0, 0], [1, 1])
    with pytest.raises(InputError, match="coincidences must be >= 0"):
        fit_sources([1.0, 1.0], [[1, 0], [0, 1]], [-1, 0], [1, 0])


def test_chains_of_signals_are_one_coincidence():
    pages, times, sources = together([3, 3, 3, 3, 3], [0.0, 0.9, 1.8, 5.0, 5.5], [0, 0, 1, 1, 1], window=1.0)
    assert (pages.tolist(), times.tolist(), sources.tolist()) == ([3, 3, 3], [0.0, 5.0, 5.5], [-1, 1, 1])
    assert [len(part) for part in together([], [], [])] == [0, 0, 0]
