"""The optimum: budget, multiplier, floors and costs, against a general convex solver and against theory."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

import recrawl
from recrawl.bench.mix import paper_mix
from tests.model.instances import page


def check_conditions(pages, best, rate, cost=1.0):
    """Theorem 1's conditions, to the digits promised."""
    cost = np.broadcast_to(cost, len(pages))
    assert float(best.rates @ cost) == pytest.approx(rate, rel=1e-9)
    crawled = best.rates > 0.0
    value = recrawl.crawl_value(pages, best.thresholds)
    np.testing.assert_allclose(value[crawled], best.multiplier * cost[crawled], rtol=1e-9)
    assert np.all(recrawl.crawl_value(pages, math.inf)[~crawled] <= best.multiplier * cost[~crawled])


@pytest.mark.parametrize("use_signals", [True, False])
@pytest.mark.parametrize(("m", "rate"), [(1, 0.3), (100, 100.0), (10_000, 100.0), (60_000, 6000.0)])
def test_conditions_of_theorem_1(m, rate, use_signals):
    pages = paper_mix(m)
    best = recrawl.optimum(pages, rate, use_signals=use_signals)
    check_conditions(pages if use_signals else pages.without_signals(), best, rate)


def freshness_of_rates(pages, rates):
    """Freshness of each page at its rate, by inverting psi with plain bisection."""
    low, high = np.full(len(pages), -30.0), np.full(len(pages), 8.0)
    for _ in range(70):
        middle = 0.5 * (low + high)
        longer = recrawl.cycle_length(pages, np.exp(middle)) > 1.0 / rates
        low, high = np.where(longer, low, middle), np.where(longer, middle, high)
    x = np.exp(0.5 * (low + high))
    return recrawl.cycle_freshness(pages, x) * rates, recrawl.crawl_value(pages, x)


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")  # the general solver has arrived
@pytest.mark.parametrize("seed", range(6))
def test_equals_a_general_convex_solver(seed):
    rng = np.random.default_rng(seed)
    m = 5
    pages = recrawl.Pages.from_rates(
        rng.uniform(0.2, 2.0, m), rng.uniform(0.2, 1.0, m), rng.uniform(0.0, 0.9, m), rng.uniform(0.1, 0.6, m)
    )
    cost = rng.uniform(0.5, 2.0, m)
    rate = float(rng.uniform(1.0, 6.0))
    weight = pages.importance / pages.importance.sum()

    def loss(rates):
        fresh, value = freshness_of_rates(pages, rates)
        return -float(weight @ fresh), -value / pages.importance.sum()

    start = np.full(m, rate / cost.sum())
    solved = minimize(
        loss,
        start,
        jac=True,
        method="trust-constr",
        bounds=[(1e-6, None)] * m,
        constraints=LinearConstraint(cost, rate, rate),
        options={"gtol": 1e-10, "xtol": 1e-12, "maxiter": 3000},
    )
    best = recrawl.optimum(pages, rate, cost=cost)
    assert best.freshness >= -solved.fun - 1e-12  # nothing beats it
    assert best.freshness == pytest.approx(-solved.fun, rel=1e-6)
    # pages the solver leaves at its lower bound may be at 0 here
    np.testing.assert_allclose(best.rates, solved.x, atol=2e-3 * rate)


@given(st.lists(st.tuples(page(), st.floats(-2.0, 2.0)), min_size=1, max_size=6), st.floats(-3.0, 3.0))
@settings(max_examples=150, deadline=None)
def test_conditions_hold_over_all_limits(parts, log_rate):
    columns = np.array([p for p, _ in parts]).T
    pages = recrawl.Pages(*columns, importance=[10.0**e for _, e in parts])
    usable = np.where(pages.unsignalled_rate > 0.0, np.inf, pages.signal_rate).sum()
    rate = 10.0**log_rate
    best = recrawl.optimum(pages, rate)
    assert np.all((best.page_freshness >= 0.0) & (best.page_freshness <= 1.0))
    if rate < usable * (1.0 - 1e-9):
        check_conditions(pages, best, rate)
    elif rate > usable * (1.0 + 1e-9):  # every change is signalled and every signal followed
        assert best.multiplier == 0.0
        assert best.freshness == pytest.approx(1.0)


def test_freshness_is_what_the_cycles_give():
    pages = paper_mix(500)
    best = recrawl.optimum(pages, 50.0)
    crawled = best.rates > 0.0
    expected = (
        recrawl.cycle_freshness(pages, best.thresholds)[crawled] / recrawl.cycle_length(pages, best.thresholds)[crawled]
    )
    np.testing.assert_allclose(best.page_freshness[crawled], expected, rtol=1e-9)
    assert np.all(best.page_freshness[~crawled] == 0.0)
    weight = pages.importance / pages.importance.sum()
    assert best.freshness == pytest.approx(float(weight @ best.page_freshness), rel=1e-12)


def test_signals_never_hurt():
    pages = paper_mix(300)
    for rate in (3.0, 30.0, 300.0):
        with_signals = recrawl.optimum(pages, rate).freshness
        assert with_signals > recrawl.optimum(pages, rate, use_signals=False).freshness


def test_known_freshness_of_the_paper_setting():
    # An independent trial gave .790 with and .712 without signals at m = 200, standard error .001 over 100 instances.
    got = [
        [recrawl.optimum(paper_mix(200, seed), 100.0, use_signals=s).freshness for s in (True, False)]
        for seed in range(40)
    ]
    mean, error = np.mean(got, axis=0), np.std(got, axis=0, ddof=1) / math.sqrt(40)
    assert np.all(np.abs(mean - [0.790, 0.712]) <= 4.0 * np.hypot(error, 0.001))  # false alarm below 2e-4


def test_floor_keeps_every_page():
    pages = paper_mix(400)
    best = recrawl.optimum(pages, 40.0, floor=0.02)
    assert best.rates.min() >= 0.02
    assert best.rates.sum() == pytest.approx(40.0, rel=1e-9)
    free = best.rates > 0.02 * (1.0 + 1e-9)
    np.testing.assert_allclose(recrawl.crawl_value(pages, best.thresholds)[free], best.multiplier, rtol=1e-9)
    held = ~free
    assert held.any()
    assert np.all(recrawl.crawl_value(pages, best.thresholds)[held] <= best.multiplier * (1.0 + 1e-9))
    below, above = (recrawl.cycle_length(pages, best.thresholds * (1.0 + s))[held] for s in (-1e-9, 1e-9))
    assert np.all((below <= 1.0 / 0.02) & (above >= 1.0 / 0.02))  # psi is steep where signals are strong
    assert best.freshness < recrawl.optimum(pages, 40.0).freshness


def test_floor_that_uses_the_whole_budget():
    pages = paper_mix(100)
    best = recrawl.optimum(pages, 5.0, floor=0.05)
    np.testing.assert_allclose(best.rates, 0.05, rtol=1e-9)


def test_floor_of_pages_that_signals_alone_decide():
    # every change signalled; certain news, followed at a share of the signals; never changes; all signalled for sure
    pages = recrawl.Pages(
        [0.0, 0.5, 0.0, 0.0], [0.7, math.inf, 0.0, math.inf], [1.0, 0.5, 0.0, 0.2], [0.0, 0.0, 1.0, 1.0]
    )
    best = recrawl.optimum(pages, 10.0, floor=[0.4, 0.1, 0.3, 0.5])
    assert best.rates.tolist() == pytest.approx([0.4, 0.1, 0.3, 0.5])
    assert best.page_freshness[1] == pytest.approx(0.1 / 1.0)  # fresh 1/Delta after each crawl, Delta = 1
    assert best.page_freshness[2:].tolist() == [1.0, 1.0]
    # between every 2nd (fresh 1/(1 + e^-.7 ...)) and every 3rd signal, time is shared
    every = [
        recrawl.cycle_freshness(pages[0], n * 0.7).item() / recrawl.cycle_length(pages[0], n * 0.7).item()
        for n in (2, 3)
    ]
    share = (0.4 - 1 / 3) / (1 / 2 - 1 / 3)
    assert best.page_freshness[0] == pytest.approx(share * every[0] + (1 - share) * every[1], rel=1e-9)


def test_impossible_floor_says_what_it_needs():
    with pytest.raises(recrawl.InfeasibleError, match="floor needs a rate of 20, more than the 10 there is"):
        recrawl.optimum(paper_mix(100), 10.0, floor=0.2)


def test_cost_moves_crawls_to_cheap_pages():
    pages = recrawl.Pages.from_rates([1.0, 1.0], [1.0, 1.0])
    best = recrawl.optimum(pages, 3.0, cost=[1.0, 2.0])
    check_conditions(pages, best, 3.0, cost=[1.0, 2.0])
    assert best.rates[0] > best.rates[1]


def test_jumps_share_time_between_two_thresholds():
    # every change is signalled: the page is crawled at every n-th signal, and 0.4 lies between 1/2 and 1/3
    pages = recrawl.Pages(0.0, 0.7, 1.0, 1.0)
    best = recrawl.optimum(pages, 0.4)
    assert best.rates.tolist() == pytest.approx([0.4], rel=1e-9)
    assert best.thresholds.tolist() == pytest.approx([2 * 0.7], rel=1e-9)
    every = [
        recrawl.cycle_freshness(pages, n * 0.7).item() / recrawl.cycle_length(pages, n * 0.7).item() for n in (2, 3)
    ]
    assert best.freshness == pytest.approx(0.4 * every[0] + 0.6 * every[1], rel=1e-9)


def test_nothing_to_gain():
    best = recrawl.optimum(recrawl.Pages.from_rates([0.0, 1.0], [1.0, 0.0]), 1.0)
    assert best.rates.tolist() == [0.0, 0.0]
    assert best.page_freshness.tolist() == [1.0, 0.0]
    assert best.freshness == 1.0


def test_no_pages():
    best = recrawl.optimum(recrawl.Pages([], 0.0, 0.0, 1.0), 1.0)
    assert (len(best.rates), best.freshness) == (0, 1.0)


def test_progress_is_reported():
    seen = []
    recrawl.optimum(paper_mix(50), 5.0, progress=lambda step, error: seen.append((step, error)))
    assert [step for step, _ in seen] == list(range(1, len(seen) + 1))
    assert seen[-1][1] < 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rate": 0.0}, "rate must be positive and finite, got 0.0"),
        ({"rate": "x"}, "rate must be positive and finite, got 'x'"),
        ({"rate": math.nan}, "rate must be positive and finite, got nan"),
        ({"rate": 1.0, "floor": -1.0}, "floor must be finite and >= 0, got -1.0 in row 0"),
        ({"rate": 1.0, "cost": [1.0, 0.0]}, "cost must be finite and positive, got 0.0 in row 1"),
        ({"rate": 1.0, "cost": [1.0, 1.0, 1.0]}, "each of the 2 pages, got 3"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(recrawl.InputError, match=message):
        recrawl.optimum(paper_mix(2), **arguments)


def test_the_one_page_that_matters_is_not_in_the_sample():
    importance = np.zeros(50_000)
    importance[777] = 1.0
    best = recrawl.optimum(recrawl.Pages.from_rates(1.0, importance), 1.0)
    assert best.rates[777] == pytest.approx(1.0, rel=1e-9)
    assert best.freshness == pytest.approx(1.0 - math.exp(-1.0), rel=1e-9)


def test_the_one_page_that_needs_crawls_is_not_in_the_sample():
    recall = np.ones(50_000)
    recall[777] = 0.0
    pages = recrawl.Pages.from_rates(1.0, 1.0, recall, false_signal_rate=0.5)
    best = recrawl.optimum(pages, 80_000.0)
    check_conditions(pages, best, 80_000.0)


@pytest.mark.parametrize("excess", [1e-9, 1e-3, 0.1, 1.0])
def test_budgets_just_above_what_signals_can_use(excess):
    steps = []
    for recall in (1.0, 0.9999, 0.99):
        pages = recrawl.Pages.from_rates(0.1, 1.0, np.full(10, recall), 0.0)
        useful = float(pages.signal_rate.sum())
        recrawl.optimum(pages, useful * (1.0 + excess), progress=lambda step, _: steps.append(step))
    assert max(steps) < 80


@pytest.mark.parametrize("excess", [0.0, 1e-9, 1e-6, 1e-3])
def test_budgets_just_above_the_floors(excess):
    pages = paper_mix(1000)
    steps = []
    best = recrawl.optimum(pages, 50.0 * (1.0 + excess), floor=0.05, progress=lambda step, _: steps.append(step))
    assert best.rates.sum() == pytest.approx(50.0 * (1.0 + excess), rel=1e-9)
    assert max(steps, default=0) < 150


@pytest.mark.parametrize("scale", [1e-250, 1e-170, 1e160, 1e250])
def test_units_of_importance_do_not_matter(scale):
    pages = paper_mix(300)
    scaled = recrawl.Pages(*pages.columns[:3], pages.importance * scale)
    expected, got = recrawl.optimum(pages, 30.0), recrawl.optimum(scaled, 30.0)
    assert got.multiplier / scale == pytest.approx(expected.multiplier, rel=1e-9)
    np.testing.assert_allclose(got.rates, expected.rates, rtol=1e-6, atol=1e-9)


def test_floor_that_adds_up_to_the_budget_but_for_rounding():
    best = recrawl.optimum(recrawl.Pages.from_rates([1.0, 1.0, 1.0], 1.0), 0.3, floor=0.1)
    assert best.rates.tolist() == pytest.approx([0.1, 0.1, 0.1])


@pytest.mark.parametrize(("change_rate", "rate"), [([1e-160, 1.0], 1.0), ([1.0, 1.0], 1e80), ([1e-250, 1.0], 1.0)])
def test_far_apart_scales_still_spend_the_budget(change_rate, rate):
    best = recrawl.optimum(recrawl.Pages.from_rates(change_rate, 1.0), rate)
    assert best.rates.sum() == pytest.approx(rate, rel=1e-9)


def test_a_rate_beyond_all_numbers_is_infeasible():
    with pytest.raises(recrawl.InfeasibleError, match="cannot be spent"):
        recrawl.optimum(recrawl.Pages.from_rates(1.0, 1.0), 1e200)


@pytest.mark.parametrize(
    ("change_rate", "importance", "cost"), [([1e-310, 1.0], 1.0, 1.0), ([1e-200, 1.0], [1e200, 1.0], 1.0)]
)
def test_values_that_overflow_are_refused(change_rate, importance, cost):
    with pytest.raises(recrawl.InputError, match="importance must not exceed 1e300 times change_rate"):
        recrawl.optimum(recrawl.Pages.from_rates(change_rate, importance), 1.0, cost=cost)


def test_huge_importance_has_a_mean():
    best = recrawl.optimum(recrawl.Pages.from_rates([1.0, 1.0], 1e299), 1.0)
    assert best.freshness == pytest.approx(best.page_freshness[0], rel=1e-12)
