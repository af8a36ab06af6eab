"""Exact scoring against a twin that follows every page through time, event by event."""

import math
from itertools import pairwise

import numpy as np
import pytest

import recrawl
from recrawl.errors import InputError
from recrawl.sim import Run, Trace, World

ORDER = {"change": 0, "crawl": 1, "request": 2}


def random_run(seed, m=6, horizon=20.0, warmup=4.0, crawls=60, grid=None):
    """A world and crawls drawn at random; on a grid, so that times are often equal."""
    rng = np.random.default_rng(seed)

    def times(n):
        drawn = rng.uniform(0.0, horizon, n)
        return np.sort(drawn if grid is None else np.round(drawn / grid) * grid)

    n = 150
    trace = Trace.of(rng.integers(0, m, n), times(n), rng.choice(["change", "signal", "request"], n), m)
    world = World.from_trace(trace, horizon)
    when = times(crawls)
    importance = rng.uniform(0.0, 1.0, m)
    return Run("random", world, importance, when, rng.integers(0, m, crawls), warmup)


def history(run, page):
    """(time, kind) of one page's events in the order they happen."""
    found = [(time, "change") for time in run.world.changes.of(page)]
    found += [(time, "request") for time in run.world.requests.of(page)]
    found += [(time, "crawl") for time in run.crawl_times[run.crawl_pages == page]]
    return sorted(found, key=lambda event: (event[0], ORDER[event[1]]))


def fresh_between(run, page, begin, end):
    """Time in [begin, end] that the page is fresh, by walking through its events."""
    total, fresh, last = 0.0, True, 0.0
    for time, kind in [*history(run, page), (run.horizon, "end")]:
        if fresh:
            total += max(0.0, min(time, end) - max(last, begin))
        last = time
        if kind == "crawl":
            fresh = True
        elif kind == "change" and time > 0.0:  # a change at 0 comes before the crawl at 0
            fresh = False
    return total


def requests_met(run, page):
    met, fresh = [], True
    for time, kind in history(run, page):
        if kind == "crawl":
            fresh = True
        elif kind == "change" and time > 0.0:
            fresh = False
        elif kind == "request":
            met.append(fresh)
    return met


CASES = [(seed, grid) for seed in range(6) for grid in (None, 0.5)]


@pytest.mark.parametrize(("seed", "grid"), CASES)
def test_freshness_is_that_of_the_twin(seed, grid):
    run = random_run(seed, grid=grid)
    expected = [fresh_between(run, page, run.warmup, run.horizon) / 16.0 for page in range(6)]
    np.testing.assert_allclose(run.page_freshness, expected, atol=1e-12)  # rounding of sums of 40 numbers
    assert run.freshness == pytest.approx(np.average(expected, weights=run.importance), abs=1e-12)


@pytest.mark.parametrize(("seed", "grid"), CASES)
def test_requests_meet_what_they_meet_in_the_twin(seed, grid):
    run = random_run(seed, grid=grid)
    expected = [fresh for page in range(6) for fresh in requests_met(run, page)]
    assert run.met_fresh.tolist() == expected
    measured = run.world.requests.times >= run.warmup
    assert run.accuracy == np.mean(np.array(expected)[measured])


@pytest.mark.parametrize(("seed", "grid"), CASES)
@pytest.mark.parametrize("window", [20.0, 3.0, 0.7])
def test_a_timeline_is_the_twin_in_each_window(seed, grid, window):
    run = random_run(seed, grid=grid)
    got = run.timeline(window)
    edges = [*np.arange(0.0, 20.0 - 1e-9, window), 20.0]
    np.testing.assert_allclose(got.times, edges[1:], rtol=1e-12)
    for k, (begin, end) in enumerate(pairwise(edges)):
        fresh = [fresh_between(run, page, begin, end) / (end - begin) for page in range(6)]
        assert got.freshness[k] == pytest.approx(np.average(fresh, weights=run.importance), abs=1e-12)
        last = k == len(edges) - 2
        times = run.world.requests.times
        inside = (times >= edges[k]) & ((times < edges[k + 1]) | (last & (times == 20.0)))
        met = run.met_fresh[inside]
        assert (math.isnan(got.accuracy[k]) and not len(met)) or got.accuracy[k] == met.mean()


@pytest.mark.parametrize(("seed", "grid"), CASES)
def test_outcomes_are_those_of_the_twin(seed, grid):
    run = random_run(seed, grid=grid)
    last = dict.fromkeys(range(6), 0.0)
    world = run.world
    before = dict.fromkeys(range(6), -1.0)  # signals at 0 are heard by the first crawl after it
    for k, (now, page) in enumerate(zip(run.crawl_times, run.crawl_pages, strict=True)):
        since = (world.changes.of(page) > last[page]) & (world.changes.of(page) <= now)
        mine = world.signal_times[world.signal_pages == page]
        assert run.outcomes.changed[k] == since.any()
        assert run.outcomes.elapsed[k] == now - last[page]
        assert run.outcomes.signals[k] == ((mine > before[page]) & (mine <= now)).sum()
        last[page] = before[page] = now


def test_crawls_and_redundant_ones_are_counted_after_the_warm_up():
    trace = Trace.of([0, 0], [1.0, 5.0], ["change", "change"], 1)
    world = World.from_trace(trace, 10.0)
    run = Run("by hand", world, np.ones(1), np.array([2.0, 4.0, 6.0, 8.0]), np.zeros(4, dtype=np.int64), 3.0)
    assert run.outcomes.changed.tolist() == [True, False, True, False]
    assert (run.crawls.tolist(), run.redundant) == ([3], 2)
    assert run.rates.tolist() == [3 / 7]
    # Stale in (1, 2) and (5, 6); measured from 3 to 10.
    assert run.freshness == pytest.approx(6 / 7, rel=1e-15)


def test_recent_accuracy_is_the_mean_of_the_last_requests():
    run = random_run(3)
    times, accuracy = run.recent_accuracy(5)
    order = np.argsort(run.world.requests.times)
    met = run.met_fresh[order]
    expected = [met[k - 5 : k].mean() for k in range(5, len(met) + 1)]
    assert times.tolist() == run.world.requests.times[order][4:].tolist()
    np.testing.assert_allclose(accuracy, expected, rtol=1e-15)


def test_without_requests_accuracy_is_not_a_number():
    run = recrawl.simulate(recrawl.Pages.from_rates([1.0], 1e-12), rate=1.0, horizon=5.0)
    assert math.isnan(run.accuracy)
    assert 0.0 < run.freshness < 1.0


@pytest.mark.parametrize("window", [0.0, -1.0, 21.0, math.nan])
def test_a_window_must_fit(window):
    with pytest.raises(InputError, match="window must be in"):
        random_run(1).timeline(window)
