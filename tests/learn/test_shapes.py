"""What all pages have in common: how far they differ, how fast they change, what signals are worth."""

import math

import numpy as np
import pytest

from recrawl.learn import Learner
from recrawl.learn.online.knots import knot_of
from recrawl.learn.online.layout import (
    ALPHAS,
    KNOT_STEP,
    KNOTS,
    LOG_RATIO,
    LOW_KNOT,
    PACE,
    PHIS,
    POWERS,
    SIGNAL_RATE,
    SIGNALS,
    SLOWEST,
    TYPES,
)
from recrawl.learn.online.prior import FIRST_TRUST, TRUST_LOOKS, population_prior, signal_rate
from recrawl.learn.online.shapes import (
    CENTRES,
    COMBINATIONS,
    MANY,
    PHI_WIDTH,
    SHAPES,
    SLOPES,
    TILTS,
    compare,
    no_fits,
    take_shape,
)
from tests.learn.crawled import in_rounds
from tests.learn.crawling import crawl_in_rounds, mixed_pages

SEED = 5


def width_of(learner):
    """The spread of log alpha among pages with the signal rate of the first, in standard deviations."""
    memory, of_types = learner._memory, np.empty(TYPES)
    population_prior(memory, signal_rate(memory, 0), of_types)
    weights = of_types.reshape(ALPHAS, PHIS).sum(axis=1)
    logs = np.log(learner._memory.types[0, ::PHIS])
    mean = weights @ logs
    return float(np.sqrt(weights @ (logs - mean) ** 2))


def test_one_outcome_a_page_does_not_make_pages_differ():
    rates = np.random.default_rng(SEED).lognormal(0.0, 1.0, 400)
    assert width_of(in_rounds(rates, 1)) < 0.9  # the narrowest shape, smoothed


def test_outcomes_show_how_far_pages_differ():
    wide = np.random.default_rng(SEED).lognormal(-0.5, 1.2, 600)
    alike = np.full(600, 0.6)
    assert width_of(in_rounds(wide, 40)) > width_of(in_rounds(alike, 40)) + 0.4


def test_pages_that_are_alike_are_crawled_in_turn():
    # All have the same prior, and the first outcomes say little: at the same age nobody is crawled twice.
    learner = in_rounds(np.full(200, 0.7), 2)
    rates = learner.pages().change_rate
    assert rates.max() / rates.min() < 2.5


def fits_with(found, as_they_are=-100.0):
    """All combinations explain outcomes badly, but for some: (share, slope, width, centre) and how well."""
    fits = no_fits()
    fits[:] = -100.0
    for where, fit in found.items():
        fits[np.ravel_multi_index(where, COMBINATIONS)] = fit
    fits[-1] = as_they_are
    return fits


def taken(learner, fits):
    """The shape that is taken, and the weights by knot, alpha and phi."""
    shape = np.empty(TYPES)
    take_shape(learner._memory, fits, shape)
    return shape.reshape(ALPHAS, PHIS), learner._memory.weights.reshape(KNOTS, ALPHAS, PHIS)


MIDDLE = 12
"""A centre near one change a round."""


def test_the_narrowest_width_that_explains_enough_is_taken():
    # The second is worse, but by less than a greater width has to be better.
    fits = fits_with({(0, 0, 3, MIDDLE): 0.0, (0, 0, 1, MIDDLE + 1): -1.5})
    shape, weights = taken(Learner(10, now=0.0), fits)
    assert np.allclose(shape.sum(axis=1), SHAPES[1, MIDDLE + 1])
    assert np.allclose(weights.sum(axis=2), SHAPES[1, MIDDLE + 1])


def test_what_explains_outcomes_as_well_counts_as_much():
    before = [-0.5 * ((math.log(SLOWEST) + 0.5 * LOG_RATIO * c) / 1.5) ** 2 for c in (MIDDLE, MIDDLE + 4)]
    fits = fits_with({(0, 0, 0, MIDDLE): -before[0], (0, 0, 0, MIDDLE + 4): -before[1]})
    _, weights = taken(Learner(10, now=0.0), fits)
    assert np.allclose(weights.sum(axis=2), 0.5 * (SHAPES[0, MIDDLE] + SHAPES[0, MIDDLE + 4]))


def test_before_outcomes_a_centre_near_one_change_a_round_is_likelier():
    _, weights = taken(Learner(10, now=0.0), no_fits())
    alphas = SLOWEST * np.exp(LOG_RATIO * np.arange(ALPHAS))
    mean = math.exp(weights[3].sum(axis=1) @ np.log(alphas))
    assert 0.7 < mean < 1.4


def near(centre):
    """How common each phi is where signals are false with about one share."""
    weights = np.exp(-0.5 * ((np.arange(PHIS) - min(max(centre, 0.0), PHIS - 1.0)) / PHI_WIDTH) ** 2) + 1e-4
    return weights / weights.sum()


def test_a_share_of_false_signals_is_tried_for_many_signals():
    learner = Learner(10, now=0.0)
    _, weights = taken(learner, fits_with({(3, 0, 0, MIDDLE): 0.0}))
    assert np.allclose(weights.sum(axis=1), MANY * near(2) + (1.0 - MANY) / PHIS)


@pytest.mark.parametrize("tilt", [1, 2])
def test_with_a_tilt_pages_with_more_signals_have_more_or_fewer_that_are_false(tilt):
    learner = Learner(10, now=0.0)
    _, weights = taken(learner, fits_with({(1 + tilt * PHIS + 3, 0, 0, MIDDLE): 0.0}))
    mean = knot_of(learner._memory, learner._memory.numbers[SIGNAL_RATE])
    for g in range(KNOTS):
        phis = MANY * near(3 + TILTS[tilt] * (g - mean)) + (1.0 - MANY) / PHIS
        assert np.allclose(weights[g].sum(axis=0), phis)


def test_a_slope_moves_the_centre_with_the_signal_rate():
    learner = Learner(10, now=0.0)
    steep = len(SLOPES) - 1
    _, weights = taken(learner, fits_with({(0, steep, 0, MIDDLE): 0.0}))
    mean_rate = learner._memory.numbers[SIGNAL_RATE] / learner._memory.numbers[PACE]
    for g in range(KNOTS):
        more = math.log(LOW_KNOT) + g * KNOT_STEP - math.log(mean_rate)
        centre = min(max(MIDDLE + math.floor(2.0 * more / LOG_RATIO + 0.5), 0), CENTRES - 1)
        assert np.allclose(weights[g].sum(axis=1), SHAPES[0, centre])


def test_weights_of_any_shape_stay_where_they_explain_clearly_more():
    learner = Learner(10, now=0.0)
    learner._memory.weights[:] = np.random.default_rng(SEED).dirichlet(np.ones(TYPES), size=KNOTS)
    before = learner._memory.weights.copy()
    taken(learner, fits_with({}, as_they_are=-97.0))
    assert np.array_equal(learner._memory.weights, before)
    taken(learner, fits_with({}, as_they_are=-99.0))
    assert not np.array_equal(learner._memory.weights, before)


def literally(memory, i, combination):
    """The probability of the outcomes of page i where this combination is true, added up type by type."""
    share, slope, width, centre = combination
    rate, weights = signal_rate(memory, i), np.empty(TYPES)
    population_prior(memory, rate, weights)
    looks = float(memory.looks[i])
    power = FIRST_TRUST + (1.0 - FIRST_TRUST) * looks / (looks + TRUST_LOOKS)
    apart = (knot_of(memory, rate) - knot_of(memory, memory.numbers[SIGNAL_RATE])) * KNOT_STEP
    at = min(max(centre + math.floor(2.0 * SLOPES[slope] * apart / LOG_RATIO + 0.5), 0), CENTRES - 1)
    phis = weights.reshape(ALPHAS, PHIS).sum(axis=0)
    if share > 0:
        tilt, phi = divmod(share - 1, PHIS)
        moved = TILTS[tilt] * (knot_of(memory, rate) - knot_of(memory, memory.numbers[SIGNAL_RATE]))
        phis = MANY * near(phi + moved) + (1.0 - MANY) * phis
    likelihood = POWERS[np.minimum((-memory.likelihood[i].astype(np.int64) * power).astype(np.int64), len(POWERS) - 1)]
    return sum(SHAPES[width, at, k // PHIS] * phis[k % PHIS] * likelihood[k] for k in range(TYPES))


@pytest.mark.parametrize("signals", [True, False])
def test_every_combination_is_weighed_by_the_probability_of_outcomes(signals):
    rng = np.random.default_rng(SEED)
    learner = Learner(20, now=0.0)
    if signals:
        crawl_in_rounds(rng, learner, mixed_pages(rng, 20), 6)
    else:
        learner = in_rounds(np.geomspace(0.1, 5.0, 20), 6)
    learner.refresh(learner.now)  # so that likelihoods are read as they are kept
    memory, fits = learner._memory, no_fits()
    ids = [i for i in range(20) if not signals or memory.sums[i, SIGNALS] > 0.0]
    for i in ids:
        compare(memory, i, fits)
    # Without signals likelihoods differ between phis by rounding alone, and one phi stands for all.
    tolerance = 1e-9 if signals else 1e-3
    for where in np.ndindex(COMBINATIONS):
        if where[2:] in {(0, 3), (2, 11), (5, 20)}:
            expected = sum(math.log(literally(memory, i, where)) for i in ids)
            assert fits[np.ravel_multi_index(where, COMBINATIONS)] == pytest.approx(expected, rel=tolerance)


def test_pages_nobody_looked_at_are_not_taken_for_the_few_that_take_all_crawls():
    learner = Learner(40, now=0.0, explore=0.0)
    for k in range(1, 201):
        learner.observe([0, 1], None, None, [True, True], now=k / 20)
    seen, unseen = learner.pages([0, 5]).change_rate
    assert unseen < 0.3 * seen


def test_pages_without_outcomes_say_nothing():
    learner, fits = Learner(3, now=0.0), no_fits()
    compare(learner._memory, 1, fits)
    assert not fits.any()


def first_crawls(precision, seed):
    """Half a round in which the pages with most signals are crawled, and then some without any."""
    rng = np.random.default_rng(seed)
    n, alpha = 300, 0.4
    learner = Learner(n, now=0.0, explore=0.0, unit=1.0)
    signals = rng.poisson(4.0 * 0.5, size=n)
    true = rng.binomial(signals, precision)
    changed = (true > 0) | (rng.random(n) < -np.expm1(-alpha * 0.5))
    learner.signalled(np.repeat(np.arange(n), signals), 0.25)
    order = np.argsort(-signals, kind="stable")
    ids = np.concatenate((order[:120], order[-30:]))
    learner.observe(ids, None, None, changed[ids], now=0.5, level=0.3)
    learner.refresh(0.5)
    return learner


@pytest.mark.parametrize(("precision", "low", "high"), [(0.9, 0.6, 1.0), (0.3, 0.0, 0.6)])
def test_changes_found_after_good_signals_are_not_taken_for_endless_changes(precision, low, high):
    """Means over ten worlds, whose standard deviations are .05 at most: far from the limits."""
    found = [first_crawls(precision, seed) for seed in range(10)]
    assert low < np.mean([learner.uncertainty().precision.mean() for learner in found]) < high
    rates = np.mean([learner.pages().change_rate - learner.pages().signal_rate for learner in found])
    assert rates < 2.0


def endless(order, seed=0):
    """What a learner believes of many pages after a round: a half that changes seldom and one that does often."""
    rng, n = np.random.default_rng(seed), 2000
    rates = np.tile([0.1, 2.0], n // 2)[order]
    learner = Learner(n, now=0.0, explore=0.0)
    for k in range(1, 6):
        learner.observe(np.arange(n), np.ones(n), np.zeros(n), rng.random(n) < -np.expm1(-rates), float(k), level=0.3)
    learner.refresh(5.0)
    return np.log(learner.uncertainty().change_rate / rates).std()


def test_which_pages_are_compared_does_not_go_with_their_order():
    alternating, shuffled = endless(np.arange(2000)), endless(np.random.default_rng(1).permutation(2000))
    assert alternating == pytest.approx(shuffled, rel=0.1)


def test_good_pages_are_not_judged_by_those_with_much_spam():
    """Half of the pages have 4 signals a round, nine of ten false; the others .5, nine of ten true."""
    rng, n = np.random.default_rng(SEED), 600
    rate, precision = np.tile([0.5, 4.0], n // 2), np.tile([0.9, 0.1], n // 2)
    learner = Learner(n, now=0.0, explore=0.0)
    for k in range(1, 4):
        true, false = rng.poisson(rate * precision), rng.poisson(rate * (1.0 - precision))
        changed = (true > 0) | (rng.random(n) < -np.expm1(-0.3))
        learner.observe(np.arange(n), np.ones(n), true + false, changed, float(k), level=0.3)
    learner.refresh(3.0)
    believed = learner.uncertainty().precision
    assert believed[::2].mean() > 0.5 > 0.3 > believed[1::2].mean()
