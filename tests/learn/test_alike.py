"""Pages are taken to be alike until outcomes show that they are not."""

import numpy as np

from recrawl.learn import Learner
from recrawl.learn.online.alike import CENTRES, SHAPES, WIDTHS, take_shape
from recrawl.learn.online.layout import ALPHAS, PHIS, TYPES

SEED = 5


def width_of(learner):
    """The spread of log alpha among the population's weights, in standard deviations."""
    weights = learner._memory.weights.mean(axis=0).reshape(ALPHAS, PHIS).sum(axis=1)
    logs = np.log(learner._memory.types[0, ::PHIS])
    mean = weights @ logs
    return float(np.sqrt(weights @ (logs - mean) ** 2))


def crawled(rates, rounds, seed=SEED):
    rng = np.random.default_rng(seed)
    n = len(rates)
    learner = Learner(n, now=0.0, explore=0.0)
    for k in range(1, rounds + 1):
        learner.observe(
            np.arange(n), np.ones(n), np.zeros(n), rng.random(n) < -np.expm1(-rates), now=float(k), level=0.3
        )
    learner.refresh(float(rounds))
    return learner


def test_one_outcome_a_page_does_not_make_pages_differ():
    rates = np.random.default_rng(SEED).lognormal(0.0, 1.0, 400)
    assert width_of(crawled(rates, 1)) < 0.9  # the narrowest shape, smoothed


def test_outcomes_show_how_far_pages_differ():
    wide = np.random.default_rng(SEED).lognormal(-0.5, 1.2, 600)
    alike = np.full(600, 0.6)
    assert width_of(crawled(wide, 40)) > width_of(crawled(alike, 40)) + 0.4


def test_pages_that_are_alike_are_crawled_in_turn():
    # All have the same prior, and the first outcomes say little: at the same age nobody is crawled twice.
    learner = crawled(np.full(200, 0.7), 2)
    rates = learner.pages().change_rate
    assert rates.max() / rates.min() < 2.5


def test_the_narrowest_shape_that_explains_enough_is_taken():
    learner = Learner(10, now=0.0)
    shape, fits = np.empty(TYPES), np.full(len(SHAPES) + 1, -100.0)
    fits[3 * CENTRES + 4] = 0.0
    fits[1 * CENTRES + 6] = -1.5  # worse, but by less than a greater width has to be better
    take_shape(learner._memory, fits, shape)
    expected = SHAPES[1 * CENTRES + 6]
    assert np.allclose(shape.reshape(ALPHAS, PHIS).sum(axis=1), expected)
    assert np.allclose(learner._memory.weights.reshape(-1, ALPHAS, PHIS).sum(axis=2), expected)


def test_weights_of_any_shape_stay_where_they_explain_clearly_more():
    learner = Learner(10, now=0.0)
    learner._memory.weights[:] = np.random.default_rng(SEED).dirichlet(
        np.ones(TYPES), size=len(learner._memory.weights)
    )
    before = learner._memory.weights.copy()
    fits = np.full(len(SHAPES) + 1, -100.0)
    fits[-1] = -89.0
    take_shape(learner._memory, fits, np.empty(TYPES))
    assert np.array_equal(learner._memory.weights, before)
    assert len(WIDTHS) * CENTRES == len(SHAPES)


def test_pages_nobody_looked_at_are_not_taken_for_the_few_that_take_all_crawls():
    learner = Learner(40, now=0.0, explore=0.0)
    for k in range(1, 201):
        learner.observe([0, 1], None, None, [True, True], now=k / 20)
    seen, unseen = learner.pages([0, 5]).change_rate
    assert unseen < 0.3 * seen
