"""The level falls and rises with the bandwidth: sleepers wake a few at a time, and nothing is taken out of order."""

import numpy as np
import pytest

from recrawl import Pages
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scan, Scheduler


def wide_values(m):
    """Importances over many decades: the level moves far."""
    rng = np.random.default_rng(2)
    return Pages.from_rates(rng.uniform(0.01, 1.0, m), rng.pareto(0.7, m), rng.beta(0.25, 0.25, m), 0.3)


PAGES = {"mix": paper_mix, "wide": wide_values}


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("policy", ["greedy", "greedy-ncis", "greedy-cis+", "ncis-approx-3"])
def test_bandwidth_jumps_both_ways(kind, policy):
    m, seed = 300, 3
    rng = np.random.default_rng(seed)
    pages = PAGES[kind](m)
    fast, slow = Scheduler(pages, policy, 1.7e9), Scan(pages, policy, 1.7e9)
    now = 1.7e9
    for pace in (1.0, 0.01, 5.0, 0.001, 0.3):  # time between decisions, in 10/m
        for step in range(60):
            now += pace * 10 / m
            ids = rng.integers(0, m, rng.poisson(2))
            fast.signal(ids, now), slow.signal(ids, now)
            n = int(rng.choice([1, 1, 1, 7]))
            assert fast.take(n, now).tolist() == slow.take(n, now).tolist(), (pace, step)
            if step % 10 == 0:
                fast.check()
    assert fast.statistics["woken"] > 0  # or this has tested nothing


def test_no_decision_wakes_many_sleepers_when_the_level_falls():
    """At three times the bandwidth the level falls to a third, and all sleepers wake on the way, a bucket at a time."""
    m = 20_000
    s = Scheduler(paper_mix(m))
    now, most, high = 0.0, 0, 0.0
    for step in range(2 * m):
        if step == m:
            high = s.level
        now += (10.0 if step < m else 10.0 / 3.0) / m
        before = s.statistics["woken"]
        s.take(1, now)
        if step > m:
            most = max(most, s.statistics["woken"] - before)
    s.check()
    assert s.level < 0.4 * high
    assert 0 < most < 0.05 * m


def few_worth_much(m, much):
    """One page in 32 is worth far more than the others, and crawled far more often."""
    few = np.arange(m) % 32 == 0
    return Pages.from_rates(np.linspace(0.5, 1.5, m), np.where(few, much, np.linspace(1.0, 0.1, m)))


def falls_far(schedulers, m):
    """Take all pages; learn that few are worth much, and, when only those are taken, one by one that they are not.

    Yields the time of each decision.
    """
    few, alike, now = np.arange(0, m, 32), few_worth_much(m, 1.0), 0.0
    for k in range(m + m // 2):
        now += 1.0 / m
        some = few if k == m else few[(k - m - m // 4) // 4 :][:1] if k >= m + m // 4 and k % 4 == 0 else few[:0]
        for s in schedulers if len(some) else ():
            s.update(some, few_worth_much(m, 1e4)[some] if k == m else alike[some], now)
        yield now


def test_no_decision_wakes_many_sleepers_when_few_pages_were_worth_much():
    """What is below the few is foreseen, and promises are made for it."""
    m = 20_000
    s = Scheduler(few_worth_much(m, 1.0))
    most, high = 0, 0.0
    for now in falls_far([s], m):
        before, high = s.statistics["woken"], max(high, s.level)
        s.take(1, now)
        most = max(most, s.statistics["woken"] - before)
    s.check()
    assert s.level < 0.1 * high
    assert most < 0.04 * m


def test_a_level_foreseen_changes_no_decision():
    m = 640
    pages = few_worth_much(m, 1.0)
    fast, slow = Scheduler(pages), Scan(pages)
    for now in falls_far([fast, slow], m):
        assert fast.take(1, now).tolist() == slow.take(1, now).tolist()
    fast.check()


def test_everything_taken_at_once_and_again():
    """The level falls to nothing and has to be found anew."""
    m = 150
    pages = paper_mix(m)
    fast, slow = Scheduler(pages), Scan(pages)
    for now in (0.0, 0.0, 0.5, 0.5, 0.6, 10.0, 10.01):
        assert fast.take(m + 10, now).tolist() == slow.take(m + 10, now).tolist()
        assert fast.take(1, now).tolist() == slow.take(1, now).tolist()
        fast.check()
