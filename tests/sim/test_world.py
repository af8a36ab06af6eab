"""Worlds: the same for every policy, and with the statistics of the model."""

import numpy as np
import pytest
from scipy import stats

import recrawl
from recrawl.bench.mix import paper_mix
from recrawl.errors import InputError
from recrawl.sim import Constant, Events, Exponential, World

PAGES = recrawl.Pages.from_rates(
    change_rate=[0.5, 2.0, 0.0], importance=[1.0, 0.2, 3.0], recall=[0.3, 1.0, 0.0], false_signal_rate=[0.4, 0.0, 1.0]
)

# Each statistical test below fails by chance once in a million seeds.
FALSE_ALARM = 1e-6


def arrays(world):
    return [
        world.changes.start,
        world.changes.times,
        world.signal_times,
        world.signal_pages,
        world.signal_true,
        world.requests.start,
        world.requests.times,
    ]


def test_the_same_seed_is_the_same_world():
    first, second = (World.draw(PAGES, 300.0, seed=4) for _ in range(2))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(arrays(first), arrays(second), strict=True))


def test_every_policy_lives_in_the_same_world():
    runs = [recrawl.simulate(PAGES, policy, 2.0, 50.0, seed=9) for policy in ("greedy", "greedy-ncis", "lds", "nutch")]
    for run in runs[1:]:
        assert all(a.tobytes() == b.tobytes() for a, b in zip(arrays(run.world), arrays(runs[0].world), strict=True))


def test_another_seed_is_another_world():
    first, second = World.draw(PAGES, 300.0, seed=4), World.draw(PAGES, 300.0, seed=5)
    assert first.changes.times[0] != second.changes.times[0]


def test_a_delay_moves_true_signals_and_nothing_else():
    prompt = World.draw(PAGES, 300.0, seed=4)
    late = World.draw(PAGES, 300.0, seed=4, latency=Constant(2.5))
    assert prompt.changes.times.tobytes() == late.changes.times.tobytes()
    assert prompt.requests.times.tobytes() == late.requests.times.tobytes()
    true, false = prompt.signal_times[prompt.signal_true], prompt.signal_times[~prompt.signal_true]
    assert late.signal_times[~late.signal_true].tolist() == false.tolist()
    assert late.signal_times[late.signal_true].tolist() == [t + 2.5 for t in true if t + 2.5 <= 300.0]


def test_random_delays_keep_which_changes_are_announced():
    prompt, late = (World.draw(PAGES, 50.0, seed=1, latency=d) for d in (None, Exponential(1e-9)))
    np.testing.assert_allclose(late.signal_times, prompt.signal_times, atol=1e-7)  # 60 delays of mean 1e-9


def test_signals_come_in_order_and_before_the_horizon():
    world = World.draw(paper_mix(50), 100.0, seed=2, latency=Exponential(5.0))
    assert np.all(np.diff(world.signal_times) >= 0.0)
    assert world.signal_times[-1] <= 100.0


def test_true_signals_have_a_change_behind_them():
    world = World.draw(PAGES, 200.0, seed=3)
    for page in range(3):
        told = world.signal_times[world.signal_true & (world.signal_pages == page)]
        assert np.isin(told, world.changes.of(page)).all()
    # recall 1 and no false signals: every change is announced
    assert np.array_equal(world.signal_times[world.signal_pages == 1], world.changes.of(1))


@pytest.mark.parametrize("seed", [0, 1])
def test_counts_are_poisson_with_the_rates_of_the_pages(seed):
    horizon = 1e5
    world = World.draw(PAGES, horizon, seed)
    false = np.bincount(world.signal_pages[~world.signal_true], minlength=3)
    told = np.bincount(world.signal_pages[world.signal_true], minlength=3)
    counted = {
        "change_rate": world.changes.counts,
        "importance": world.requests.counts,
        "false_signal_rate": false,
        "told": told,
    }
    for name, got in counted.items():
        rates = PAGES.recall * PAGES.change_rate if name == "told" else getattr(PAGES, name)
        for n, rate in zip(got, rates, strict=True):
            low, high = stats.poisson.interval(1.0 - FALSE_ALARM / 24, rate * horizon) if rate else (0, 0)
            assert low <= n <= high, name


@pytest.mark.parametrize("seed", [0, 1])
def test_times_are_uniform_and_rising(seed):
    drawn = Events.poisson(np.array([50.0, 0.0, 7.0]), 100.0, np.random.default_rng(seed))
    assert drawn.counts[1] == 0
    for page in (0, 2):
        times = drawn.of(page)
        assert np.all(np.diff(times) > 0.0)
        assert stats.kstest(times / 100.0, "uniform").pvalue > FALSE_ALARM / 4


def test_events_group_by_page_and_keep_the_order():
    got = Events.grouped(np.array([1, 0, 1, 3]), np.array([0.1, 0.2, 0.3, 0.4]), 4)
    assert [got.of(page).tolist() for page in range(4)] == [[0.2], [0.1, 0.3], [], [0.4]]
    assert got.pages.tolist() == [0, 1, 1, 3]


def test_too_many_events_are_refused_before_they_are_drawn():
    busy = recrawl.Pages.from_rates([1.0], 1.0, 0.5, 1e12)
    with pytest.raises(InputError, match=r"signal_rate must give at most 3e.08 events, got 1e.13 by 10; lower horizon"):
        World.draw(busy, 10.0)


def test_huge_importance_costs_nothing_before_accuracy_is_asked_for():
    run = recrawl.simulate(recrawl.Pages.from_rates([1.0], 1e12), rate=1.0, horizon=10.0)
    assert 0.0 < run.freshness < 1.0
    with pytest.raises(InputError, match=r"importance must give at most .*; scale it down, or read freshness"):
        _ = run.accuracy
