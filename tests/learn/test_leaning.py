"""Signal rates of pages lean on that of all pages as far as pages are alike."""

import math

import numpy as np
import pytest

from recrawl.learn import Learner
from recrawl.learn.online.layout import LEANING, PACE, SIGNAL_RATE, USUAL_LEANING
from recrawl.learn.online.leaning import LEANINGS, take_leaning, weigh_leanings

SEED = 11


def heard(rates, time=1.0, seed=SEED, weight=1.0):
    """A learner of pages that had signals at these rates for so long, and one crawl each."""
    rng, n = np.random.default_rng(seed), len(rates)
    learner = Learner(n, now=0.0, explore=0.0, unit=1.0)
    signals = rng.poisson(rates * time)
    who = np.repeat(np.arange(n), signals)
    learner.signalled(who, 0.5 * time, np.full(len(who), weight))
    learner.observe(np.arange(n), None, None, rng.random(n) < 0.5, now=time, level=0.3)
    learner.refresh(time)
    return learner, signals


def leaning(learner):
    return float(learner._memory.numbers[LEANING])


def test_before_signals_it_is_the_usual_one():
    assert leaning(Learner(3, now=0.0)) == USUAL_LEANING
    silent, _ = heard(np.zeros(50))
    assert 0.5 * USUAL_LEANING < leaning(silent) < 2.0 * USUAL_LEANING  # all pages together count as having had one


def test_pages_with_one_rate_lean_long_and_those_with_many_rates_hardly():
    rng = np.random.default_rng(SEED)
    alike, _ = heard(np.full(500, 5.0))
    apart, _ = heard(5.0 * rng.gamma(0.2, 5.0, size=500))
    assert leaning(alike) > 0.9 * LEANINGS[-1]
    assert leaning(apart) < 0.5 * USUAL_LEANING


def test_the_leaning_is_that_of_the_gamma_distribution_of_rates():
    """Rates of mean 5 and shape 2 are like 2/5 of a round; 500 pages tell it to a factor of 1.5 (six such seeds)."""
    for seed in range(6):
        rates = np.random.default_rng([SEED, seed]).gamma(2.0, 2.5, size=500)
        learner, _ = heard(rates, seed=seed)
        assert abs(math.log(leaning(learner) / 0.4)) < math.log(1.5)


def test_rates_are_nearer_the_truth_than_with_any_fixed_leaning_far_from_it():
    rates = np.random.default_rng(SEED).gamma(4.0, 1.25, size=500)
    learner, signals = heard(rates)
    got = np.abs(learner.pages().signal_rate - rates).mean()
    mean = signals.mean()
    for time in (LEANINGS[0], 6.4):
        assert got < np.abs((signals + mean * time) / (1.0 + time) - rates).mean()


@pytest.mark.parametrize("weight", [0.1, 3.0])
def test_what_signals_count_changes_nothing(weight):
    rates = np.random.default_rng(SEED).gamma(2.0, 2.5, size=500)
    one, other = heard(rates)[0], heard(rates, weight=weight)[0]
    assert leaning(other) == pytest.approx(leaning(one), rel=0.05)  # all pages together count as having had one


def test_the_probability_is_that_of_a_negative_binomial():
    learner, signals = heard(np.full(20, 3.0), time=2.0)
    memory, fits = learner._memory, np.zeros(len(LEANINGS))
    weigh_leanings(memory, 4, fits)
    for got, rounds in zip(fits, LEANINGS, strict=True):
        time = rounds / memory.numbers[PACE]
        shape, n = time * memory.numbers[SIGNAL_RATE], int(signals[4])
        expected = sum(math.log(shape + k) for k in range(n))  # the product that Gamma(shape + n)/Gamma(shape) is
        expected += shape * math.log(time) - (shape + n) * math.log(time + 2.0)
        assert got == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_mean_of_the_logarithm_is_taken():
    learner = Learner(2, now=0.0)
    fits = np.full(len(LEANINGS), -1e6)
    fits[1] = fits[3] = 7.0
    take_leaning(learner._memory, fits)
    assert leaning(learner) == pytest.approx(math.sqrt(LEANINGS[1] * LEANINGS[3]))
