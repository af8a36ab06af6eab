"""Pages are taken to be alike until outcomes show that they are not."""

import numpy as np

from recrawl import Pages, simulate
from recrawl.learn import Hints, Learner
from recrawl.learn.online.alike import APART, CENTRES, SHAPES, WIDTHS, take_shape
from recrawl.learn.online.layout import ALPHAS, FORESEEN, PHIS, TYPES
from recrawl.sim import World
from recrawl.sim.events import Events

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


def test_pages_that_change_together_are_crawled_in_turn():
    """One edit after another of the whole site, then quiet months: crawls are those of equal intervals, to the last.

    The first pages of each round are found unchanged and the others changed, which looks like pages that differ.
    """
    n, rounds = 100, 8
    edits = np.array([0.4, 0.5, 0.6, 1.3, 1.4, 4.5, 4.6, 7.2])
    changes = Events.grouped(np.repeat(np.arange(n), len(edits)), np.tile(edits, n), n)
    world = World(float(rounds), changes, np.empty(0), np.empty(0, dtype=np.int64))
    pages = Pages.from_rates(np.full(n, len(edits) / rounds), np.ones(n))
    learned, in_turn = (simulate(pages, name, rate=float(n), world=world) for name in ("greedy-ncis:learn", "uniform"))
    assert np.array_equal(learned.crawl_pages, in_turn.crawl_pages)


def test_pages_that_differ_are_told_apart_within_a_few_rounds():
    rates = np.tile([0.1, 2.0], 100)
    learner = crawled(rates, 4)
    assert learner._memory.numbers[FORESEEN] >= APART
    found = learner.pages().change_rate
    assert found[1::2].mean() > 1.5 * found[::2].mean()


def test_pages_that_are_alike_are_seldom_told_apart():
    """False alarms have a probability of e^-APART = .14 at most; that 12 of 40 are some has one of .006."""
    alarms = sum(crawled(np.full(200, 0.7), 10, seed)._memory.numbers[FORESEEN] >= APART for seed in range(40))
    assert alarms < 12


def test_a_page_that_signals_tell_apart_is_judged_by_its_own_outcomes():
    learner = Learner(20, now=0.0, explore=0.0)
    for k in range(1, 3):
        learner.observe(np.arange(20), np.ones(20), np.repeat([0, 1], 10), np.arange(20) % 2 == 0, float(k), level=0.3)
    rates = learner.pages().change_rate
    assert len(set(rates[:10].tolist())) == 1
    assert rates[10] > rates[11]


def test_a_page_known_beforehand_is_not_taken_for_like_the_others():
    learner = Learner(3, prior=Hints([0.1, np.nan, 3.0]), now=0.0, explore=0.0)
    rates = learner.pages().change_rate
    assert rates[0] < rates[1] < rates[2]
