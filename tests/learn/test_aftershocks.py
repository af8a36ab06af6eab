"""Signals soon after crawls: as many as at any other time, or more, and then signals count less."""

import numpy as np
import pytest

from recrawl.learn import Learner
from recrawl.learn.online.aftershocks import EARLIEST, taken_back
from recrawl.learn.online.layout import AFTER_EXPECTED, AFTER_HEARD, OUTCOMES

PAGES, STEPS = 200, 100
"""A round is one unit of time, in this many steps."""


def crawl(bursts, rounds=30.0, seed=1):
    """Pages are crawled at random.  Each has two signals a round, half of them true, and one change without a signal.

    With `bursts` a crawl that finds a change is followed by another signalled change within a tenth of a round.
    """
    rng, learner = np.random.default_rng(seed), Learner(PAGES, now=0.0, unit=1.0)
    changed, again = np.zeros(PAGES, dtype=bool), np.full(PAGES, np.inf)
    for _ in range(round(rounds * STEPS)):
        now = learner.now + 1.0 / STEPS
        signals = rng.integers(0, PAGES, size=rng.poisson(2.0 * PAGES / STEPS))
        changed[signals[rng.random(len(signals)) < 0.5]] = True
        changed[rng.integers(0, PAGES, size=rng.poisson(1.0 * PAGES / STEPS))] = True
        more = np.flatnonzero(again <= now)
        changed[more], again[more] = True, np.inf
        learner.signalled(np.concatenate((signals, more)), now)
        ids = rng.choice(PAGES, size=PAGES // STEPS, replace=False)
        found = changed[ids].copy()
        learner.observe(ids, None, None, found, now, level=0.1)
        changed[ids] = False
        if bursts:
            again[ids[found]] = now + rng.uniform(0.0, 0.1, size=found.sum())
    return learner


def ratio(learner):
    return learner._memory.numbers[AFTER_HEARD] / learner._memory.numbers[AFTER_EXPECTED]


def test_independent_signals_come_as_often_after_crawls_and_count_in_full():
    learner = crawl(bursts=False)
    # Some 2,000 signals: 2% each way.  Nothing is taken back below 10% and three errors more than expected.
    assert ratio(learner) == pytest.approx(1.0, abs=0.08)
    pages, precision = learner.pages(), learner.uncertainty().precision
    assert np.mean(-np.expm1(-pages.columns[1])) == pytest.approx(precision.mean(), rel=0.2)


def test_signals_of_bursts_count_less_and_pages_change_as_often():
    learner = crawl(bursts=True)
    assert ratio(learner) > 1.5
    alpha, kappa, gamma, _ = learner.pages().columns
    told = learner.uncertainty()
    assert np.mean(kappa) < 0.8 * np.mean(-np.log1p(-told.precision))
    changes = alpha - gamma * np.expm1(-kappa)
    assert changes.mean() == pytest.approx(told.change_rate.mean(), rel=0.25)  # decisions lean to slow change


def test_it_outlives_columns():
    learner = crawl(bursts=True, rounds=6.0)
    loaded = Learner.from_columns(learner.columns())
    assert [c.tolist() for c in loaded.pages().columns] == [c.tolist() for c in learner.pages().columns]


def test_nothing_is_taken_back_in_the_first_rounds():
    learner = crawl(bursts=True, rounds=EARLIEST - 0.5)
    numbers = learner._memory.numbers
    assert ratio(learner) > 1.3  # it would be, later
    got = taken_back(learner._memory, 1.0, 1.0)
    numbers[OUTCOMES] = EARLIEST * PAGES
    assert got == 0.0 < taken_back(learner._memory, 1.0, 1.0)
