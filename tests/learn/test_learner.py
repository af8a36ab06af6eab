"""The learner against pages whose parameters are known, and in the corners."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl import Pages
from recrawl.bench.mix import paper_mix
from recrawl.learn import Hints, Learner
from recrawl.learn.online.layout import FASTEST, FORESEEN, REFRESH_AT, STEP
from recrawl.learn.online.prior import FIRST_TRUST, TRUST_LOOKS
from tests.learn.crawling import crawl_in_rounds, in_range, mixed_pages, outcomes

SEED = 20260101
PLAIN = {"tilt": 0.0, "explore": 0.0}
"""Means that predict, without what makes decisions better."""


@pytest.fixture(scope="module")
def crawled():
    rng = np.random.default_rng(SEED)
    pages = mixed_pages(rng, 400)
    return pages, crawl_in_rounds(rng, Learner(400, **PLAIN), pages, 30)


def test_known_parameters_are_recovered_as_well_as_it_says(crawled):
    # z^2 has mean 1 where means and errors are right; over 400 pages its own error is .07 for normal posteriors. Those
    # here are skewed, and two types are a factor 1.7 apart: within [.7, 1.4] is 4 errors and that (seed above, 1e-4).
    pages, learner = crawled
    known = learner.uncertainty()
    z = (pages.change_rate - known.change_rate) / known.change_rate_error
    assert 0.7 < np.mean(z**2) < 1.4
    z = (pages.precision - known.precision) / known.precision_error
    assert 0.7 < np.mean(z**2) < 1.4


def test_means_are_unbiased_over_the_population(crawled):
    # Over 400 pages, 5 standard errors of what is left open: 6e-7 by chance.
    pages, learner = crawled
    known = learner.uncertainty()
    gap = np.mean(known.change_rate - pages.change_rate)
    assert abs(gap) < 5.0 * np.sqrt(np.mean(known.change_rate_error**2) / 400) + 0.02  # .02: the width of types


def test_learning_is_much_better_than_not_learning(crawled):
    pages, learner = crawled
    off = np.log(learner.uncertainty().change_rate / pages.change_rate).std()
    assert off < 0.5 * np.log(pages.change_rate).std()


def test_signal_rates_are_signals_over_time(crawled):
    pages, learner = crawled
    got = learner.pages().signal_rate
    # Poisson counts over 30 rounds, pulled a little to the mean: 5.5 standard errors, 4e-8 a page, and 1% for the pull.
    assert np.all(np.abs(got - pages.signal_rate) < 5.5 * np.sqrt(pages.signal_rate / 30.0) + 0.05)


def test_the_posterior_of_a_page_is_the_one_of_bayes():
    # One page, four outcomes, a flat prior: the same by hand, the outcomes trusted as far as four are.
    learner = Learner(1, unit=1.0, **PLAIN)
    learner._memory.numbers[REFRESH_AT] = np.inf  # the prior stays flat
    seen = [(1.0, 0, False), (2.0, 1, True), (0.5, 2, False), (3.0, 0, True)]
    for k, (elapsed, signals, changed) in enumerate(seen):
        learner.observe([0], [elapsed], [signals], [changed], now=k + 1.0)
    alpha, phi, kappa = learner._memory.types
    likelihood = np.ones(len(alpha))
    for elapsed, signals, changed in seen:
        fresh = np.exp(-alpha * elapsed - kappa * signals)
        likelihood *= 1.0 - fresh if changed else fresh
    p = likelihood ** (FIRST_TRUST + (1.0 - FIRST_TRUST) * 4.0 / (4.0 + TRUST_LOOKS))
    p /= p.sum()
    change = alpha + learner.pages().signal_rate * (1.0 - phi)
    # four roundings to 1/512 of a nat
    assert learner.uncertainty().precision[0] == pytest.approx(p @ (1.0 - phi), rel=0.02)
    assert learner.uncertainty().change_rate[0] == pytest.approx(p @ change, rel=0.02)


@pytest.mark.parametrize("tau", [1.0, 0.1, 0.03, 0.01])
@pytest.mark.parametrize("how", [{}, {"at_once": True}, {"half_life": 50.0}], ids=["in time", "at once", "fading"])
def test_a_page_crawled_often_is_learned_as_well(tau, how):
    """An outcome adds less than what is kept of it: rounded always alike, thousands of them would be lost.

    The likelihood may be .15 nats off after 600 to 60,000 outcomes (.11 was seen).
    """
    half_life = how.get("half_life", np.inf)
    learner = Learner(3, unit=1.0, half_life=half_life, **PLAIN)
    learner._memory.numbers[[REFRESH_AT, FORESEEN]] = np.inf  # types stay where they are
    alpha, _, _ = learner._memory.types
    changes = np.random.default_rng(SEED).random(int(600 / tau)) < -np.expm1(-0.4 * tau)
    wanted = np.zeros(len(alpha))
    for k, changed in enumerate(changes):
        learner.observe([1], [tau], [0], [changed], 1.0 if how.get("at_once") else (k + 1) * tau, level=0.1)
        wanted = wanted * 2.0 ** (-tau / half_life)
        wanted += np.log(-np.expm1(-alpha * tau)) if changed else -alpha * tau
    kept = learner._memory.likelihood[1] / STEP
    likely = wanted > wanted.max() - 10.0
    assert np.abs(kept - (wanted - wanted.max()))[likely].max() < 0.15


def test_tilted_means_lean_to_slow_change():
    rng = np.random.default_rng(SEED)
    pages = mixed_pages(rng, 50)
    plain, tilted = (
        crawl_in_rounds(np.random.default_rng(1), Learner(50, **how), pages, 5)
        for how in (PLAIN, {"tilt": 1.5, "explore": 0.0})
    )
    ratio = tilted.pages().change_rate / plain.pages().change_rate
    assert np.all(ratio <= 1.0 + 1e-9)  # equal where a page is crawled so often that its mean rate decides
    assert np.mean(ratio < 0.99) > 0.8


def test_curiosity_lifts_unknown_pages_and_fades_with_their_own_age():
    rng = np.random.default_rng(SEED)
    pages = paper_mix(300, seed=1)
    hasty = Learner(300, importance=pages.importance, explore=100.0, explore_rounds=12.0)
    learner = crawl_in_rounds(rng, hasty, pages, 6, spacing=10.0)
    young = learner.pages().importance / pages.importance
    assert young.max() > 1.05
    assert young.min() >= 0.999
    crawl_in_rounds(rng, learner, pages, 200, spacing=10.0)
    assert (learner.pages().importance / pages.importance).max() < 1.01
    worth_little, worth_much = learner.add(2, learner.now, importance=[0.2, 2.0])
    # Nothing else would tell of a page that seems not worth a crawl; one that is crawled anyway is known soon.
    assert learner.pages([worth_little]).importance[0] > 1.9 * 0.2  # twice is the most
    assert 1.0 <= learner.pages([worth_much]).importance[0] / 2.0 < 1.05


def lifted(explore, rounds):
    """By how much curiosity lifts each page, after so many rounds."""
    pages = paper_mix(300, seed=1)
    learner = Learner(300, importance=pages.importance, explore=explore)
    crawled = crawl_in_rounds(np.random.default_rng(SEED), learner, pages, rounds, spacing=10.0)
    return crawled.pages().importance / pages.importance


def test_a_young_crawler_is_less_curious():
    assert np.array_equal(lifted(100.0, 4), lifted(20.5, 4))  # 50 rounds times (4/5)^4 is 20.48
    assert lifted(20.5, 4).sum() > lifted(10.0, 4).sum()


def test_looks_pay_for_a_hundred_rounds_until_the_tenth_then_for_fifty_and_later_for_more():
    assert lifted(100.0, 8).sum() > lifted(90.0, 8).sum()
    assert np.array_equal(lifted(100.0, 8), lifted(300.0, 8))
    assert np.allclose(lifted(100.0, 20), lifted(50.0, 20), rtol=1e-6)
    assert lifted(50.0, 20).sum() > lifted(40.0, 20).sum()
    assert lifted(100.0, 40).sum() > lifted(90.0, 40).sum()


def test_who_has_run_for_long_is_more_curious_about_pages_that_are_crawled_anyway():
    def boost_of_a_new_page(rounds):
        pages = paper_mix(300, seed=1)
        learner = Learner(300, importance=pages.importance)
        crawl_in_rounds(np.random.default_rng(SEED), learner, pages, rounds, spacing=10.0)
        (page,) = learner.add(1, learner.now, importance=[2.0])
        return learner.pages([page]).importance[0] / 2.0 - 1.0

    early, late = boost_of_a_new_page(12), boost_of_a_new_page(48)
    assert early > 0.0
    assert late > 2.0 * early  # three intervals in place of one


# -- corners ---------------------------------------------------------------------------------------------------------


def told(changed, signals=0, rounds=60):
    learner = Learner(3, **PLAIN)
    for k in range(rounds):
        learner.observe([0, 1], 1.0, signals, changed, now=k + 1.0)
    return learner


def test_a_page_that_never_changed_is_slow_and_one_never_crawled_is_average():
    learner = told([0, 0])
    known = learner.uncertainty()
    assert in_range(learner.pages())
    assert known.change_rate[0] < 0.1 / learner.unit
    assert known.change_rate_error[2] > known.change_rate_error[0]


def test_a_page_that_always_changed_is_as_fast_as_types_go():
    learner = told([1, 1])
    assert in_range(learner.pages())
    assert 1.0 / learner.unit < learner.uncertainty().change_rate[0] <= 1.01 * FASTEST / learner.unit


def test_without_signals_the_signal_rate_goes_to_zero():
    got = told([1, 0]).pages()
    assert np.all(got.signal_rate[:2] < 0.02)


def test_signals_that_never_lie_weigh_as_much_as_types_go():
    learner = Learner(2, **PLAIN)
    for k in range(200):
        learner.observe([0, 1], 1.0, k % 2, [k % 2] * 2, now=k + 1.0)
    weight = learner.pages([0]).signal_weight[0]
    assert 2.0 < weight <= -np.log(0.02) + 1e-12
    assert learner.pages([0]).unsignalled_rate[0] < 0.1


def test_signals_that_mean_nothing_weigh_little():
    rng = np.random.default_rng(3)
    learner = Learner(2, **PLAIN)
    for k in range(300):
        learner.observe([0, 1], 1.0, rng.poisson(1.0, 2), rng.random(2) < 0.3, now=k + 1.0)
    assert np.all(learner.pages().signal_weight < 0.25)


def test_a_change_after_no_time_at_all_is_taken_in_stride():
    learner = Learner(2)
    learner.observe([0, 0], [0.0, 0.0], [0, 0], [1, 0], now=0.0)
    learner.observe([1], [0.0], [0], [1], now=0.0)
    assert in_range(learner.pages())


def test_importance_zero_stays_zero():
    learner = Learner(2, importance=[0.0, 1.0])
    learner.observe([0, 1], 1.0, 0, [1, 0], now=1.0)
    assert learner.pages().importance[0] == 0.0


def test_no_pages_are_no_trouble():
    learner = Learner(0)
    assert (len(learner), len(learner.pages()), learner.observe([], [], [], [], now=1.0)) == (0, 0, False)
    learner.refresh(2.0)
    assert learner.add(3, 3.0).tolist() == [0, 1, 2]


# -- drift, units, hints ---------------------------------------------------------------------------------------------


def test_drift_is_followed_with_a_half_life_and_not_without():
    before, after = (Pages.from_rates(change_rate=np.full(100, rate), importance=1.0) for rate in (0.3, 1.2))
    got = {}
    for half_life in (10.0, np.inf):
        rng = np.random.default_rng(SEED)
        learner = crawl_in_rounds(rng, Learner(100, half_life=half_life, **PLAIN), before, 100)
        crawl_in_rounds(rng, learner, after, 40)
        got[half_life] = learner.uncertainty().change_rate.mean()
    # The mean over 100 pages has a standard error of about .02; types are a factor 1.7 apart.
    assert 0.95 < got[10.0] < 1.45
    assert got[np.inf] < 0.8


@pytest.mark.parametrize("scale", [1e-5, 1.0, 86_400.0])
def test_the_unit_of_time_does_not_matter(scale):
    pages = mixed_pages(np.random.default_rng(5), 60)
    plain, scaled = Learner(60), Learner(60)
    for learner, unit in ((plain, 1.0), (scaled, scale)):
        rng = np.random.default_rng(6)
        for k in range(10):
            elapsed = rng.uniform(0.2, 1.8, size=60)
            signals, changed = outcomes(rng, pages, elapsed)
            learner.observe(np.arange(60), elapsed * unit, signals, changed, now=(k + 1) * unit)
    assert scaled.unit == pytest.approx(plain.unit * scale)
    for name in ("unsignalled_rate", "signal_rate"):
        # likelihoods are rounded to 1/256, and a hair may round the other way
        assert getattr(scaled.pages(), name) * scale == pytest.approx(getattr(plain.pages(), name), rel=0.01)


def test_a_crawl_rate_that_changes_moves_the_types():
    rng = np.random.default_rng(SEED)
    pages = mixed_pages(rng, 200)
    learner = crawl_in_rounds(rng, Learner(200, now=0.0, **PLAIN), pages, 30)
    before = learner.uncertainty().change_rate
    assert learner.unit == pytest.approx(1.0, rel=0.01)
    slow = Pages.from_rates(pages.change_rate, 1.0)
    crawl_in_rounds(rng, learner, slow, 12, spacing=5.0)
    assert learner.unit == pytest.approx(5.0, rel=0.3)
    # What was learned is carried over: to the width of a type, a factor of 1.7.
    assert np.median(np.abs(np.log(learner.uncertainty().change_rate / before))) < 0.5


def test_hints_are_where_pages_start_and_outcomes_overrule_them():
    hints = Hints(change_rate=[0.2, 2.0, np.nan], spread=1.5)
    learner = Learner(3, prior=hints, **PLAIN)
    slow, fast, _ = learner.uncertainty().change_rate
    assert fast > 3.0 * slow
    for k in range(100):
        learner.observe([0, 1], 1.0, 0, [1, 0], now=k + 1.0)
    slow, fast, _ = learner.uncertainty().change_rate
    assert slow > 5.0 * fast


def test_rates_alone_are_hints_too():
    got, expected = (Learner(2, prior=prior).pages() for prior in ([0.5, 2.0], Hints([0.5, 2.0])))
    assert got.change_rate.tolist() == expected.change_rate.tolist()


# -- what callers rely on --------------------------------------------------------------------------------------------


@given(st.permutations(range(12)), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_the_order_within_a_call_does_not_matter(order, seed):
    rng = np.random.default_rng(seed)
    one, other = Learner(12, hosts=np.arange(12) % 3), Learner(12, hosts=np.arange(12) % 3)
    for k in range(4):
        elapsed, signals, changed = rng.exponential(1.0, 12), rng.poisson(1.0, 12), rng.random(12) < 0.5
        one.observe(np.arange(12), elapsed, signals, changed, now=k + 1.0)
        other.observe(np.array(order), elapsed[order], signals[order], changed[order], now=k + 1.0)
    for name in ("likelihood", "sums", "crawled", "open"):
        assert (getattr(one._memory, name) == getattr(other._memory, name)).all()
    # the level is a mean of floats, and adds up in another order
    assert one.level == pytest.approx(other.level, rel=1e-12)
    assert one.pages().importance == pytest.approx(other.pages().importance, rel=1e-9)


def test_the_same_calls_give_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        rng = np.random.default_rng(SEED)
        learner = crawl_in_rounds(rng, Learner(80, hosts=np.arange(80) % 4), mixed_pages(rng, 80), 10)
        learner.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_what_the_learner_counts_itself_is_what_it_would_be_told():
    told_all, counting = Learner(5, now=0.0), Learner(5, now=0.0)
    rng = np.random.default_rng(SEED)
    last = np.zeros(5)
    for k in range(40):
        now, page = 0.3 * (k + 1), int(rng.integers(5))
        heard = int(rng.integers(4))
        for learner in (told_all, counting):
            learner.signalled([page] * heard, now - 0.1)
        changed = [rng.random() < 0.5]
        told_all.observe([page], [now - last[page]], [heard], changed, now)
        counting.observe([page], None, None, changed, now)
        last[page] = now
    assert counting.pages().change_rate.tolist() == told_all.pages().change_rate.tolist()


def test_it_says_when_all_pages_changed():
    learner = Learner(100)
    said = [learner.observe([k % 100], 1.0, 0, [k % 3 == 0], now=0.01 * (k + 1)) for k in range(1000)]
    assert said[0]
    assert sum(said) < 40
    # A fifth of the rounds so far: from the 9th round on at most every 1.8 rounds.
    assert sum(said[900:]) <= 1


def test_memory_is_at_most_215_bytes_a_page():
    pages, hosts = 10_000, 50
    learner = Learner(pages, hosts=np.arange(pages) % hosts, kinds=np.arange(pages) % 3)
    fixed = Learner(0).nbytes
    assert learner.nbytes <= 215 * pages + 1900 * (hosts + 3) + fixed
    assert Learner(pages).nbytes <= 215 * pages + fixed


def test_growing_keeps_what_was_learned():
    rng = np.random.default_rng(SEED)
    learner = crawl_in_rounds(rng, Learner(40, hosts=np.arange(40) % 2), mixed_pages(rng, 40), 10)
    before = learner.pages(np.arange(40))
    ids = learner.add(25, learner.now, hosts=np.arange(25) % 5, kinds=0)
    assert ids.tolist() == list(range(40, 65))
    for name in ("unsignalled_rate", "signal_weight", "signal_rate"):
        assert getattr(learner.pages(np.arange(40)), name).tolist() == getattr(before, name).tolist()
    crawl_in_rounds(rng, learner, mixed_pages(rng, 65), 3)
    assert in_range(learner.pages())


def test_a_learner_says_what_it_holds():
    learner = Learner(3)
    assert repr(learner) == "Learner(pages=3, outcomes=0, unit=?, now=?)"
    learner.observe([0, 1, 2], 2.0, 0, [1, 0, 1], now=2.0)
    assert repr(learner) == "Learner(pages=3, outcomes=3, unit=2, now=2.0)"


@pytest.mark.parametrize("tilt", [0.0, 10.0])
@pytest.mark.parametrize("signals", [0, 10**15])
def test_any_tilt_and_any_number_of_signals_give_numbers(tilt, signals):
    learner = Learner(1, tilt=tilt, now=0.0)
    for k in range(3):
        learner.observe([0], 1.0, signals, [1], now=k + 1.0)
    assert in_range(learner.pages())


@pytest.mark.parametrize("tiny", [5e-324, 1e-200])
def test_times_next_to_nothing_are_times(tiny):
    for learner in (Learner(2), Learner(2, prior=tiny)):
        learner.observe([0, 1], tiny, 0, [1, 0], now=0.0)
        assert in_range(learner.pages())
