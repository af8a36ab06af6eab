"""Hosts hold pages back: what is taken is still the best of what may be crawled, as the definition has it."""

import numpy as np
import pytest

from recrawl import Pages
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scan, Scheduler


class Twins:
    """Does the same to both."""

    def __init__(self, pages, policy="greedy-ncis", now=0.0, **settings):
        self.fast, self.slow = Scheduler(pages, policy, now, **settings), Scan(pages, policy, now, **settings)

    def do(self, method, *arguments, **keywords):
        for one in (self.fast, self.slow):
            getattr(one, method)(*arguments, **keywords)

    def same(self, method, *arguments):
        got, expected = (getattr(one, method)(*arguments).tolist() for one in (self.fast, self.slow))
        assert got == expected
        return got


def test_a_gap_that_ends_with_the_bound_of_another_host_is_seen():
    """Gaps and times are whole numbers, and so are the times bounds end at: 64 pages of rate 1 make steps of 1/16."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        pages = Pages.from_rates(np.ones(64), rng.choice([1.0, 2.0], 64), 0.3, 0.1)
        twins = Twins(pages, hosts=rng.integers(0, 3, 64))
        for host in range(3):
            twins.do("set_host", host, gap=float(rng.choice([1.0, 2.0, 4.0])))
        for now in np.cumsum(rng.integers(0, 3, 60)).astype(float):
            twins.same("take", int(rng.integers(1, 4)), now)


def alike(rng, m):
    """Pages of two kinds: ties and clones everywhere."""
    return Pages.from_rates(rng.choice([0.5, 2.0], m), 1.0, 0.4, 0.2)


@pytest.mark.parametrize("policy", ["greedy-ncis", "greedy-cis", "ncis-approx-2"])
@pytest.mark.parametrize("make", [alike, lambda rng, m: paper_mix(m, int(rng.integers(1000)))], ids=["alike", "mix"])
@pytest.mark.parametrize("start", [0.0, 1.7e9])
def test_leases_failures_and_limits_that_change(policy, make, start):
    rng = np.random.default_rng(5)
    m, hosts, now, held = 60, 5, start, []
    twins = Twins(make(rng, m), policy, start, hosts=rng.integers(-1, hosts, m), max_age=rng.choice([2.0, np.inf], m))
    for step in range(150):
        now += float(rng.choice([0.0, 0.01, 0.1, 3.0], p=[0.2, 0.4, 0.35, 0.05]))
        twins.do("signal", rng.integers(0, m, rng.poisson(2)), now)
        twins.same("peek", 3, now)
        twins.same("take", int(rng.choice([1, 1, 4, 100])), now)
        held += twins.same("lease", int(rng.integers(0, 4)), now)
        back = [i for i in held if rng.random() < 0.3]
        held = [i for i in held if i not in back]
        if step % 2:
            twins.do("crawled", back, now)
        else:
            twins.do("release", back, now, not_before=now + rng.uniform(-0.1, 0.5, len(back)) if back else None)
        host = int(rng.integers(hosts))
        if step % 5 == 0:
            twins.do("set_host", host, gap=float(rng.choice([0.0, 0.05, 1.0])), max_in_flight=rng.choice([None, 1, 3]))
        if step % 7 == 0:
            twins.do("host_ready", host, now + float(rng.choice([-1.0, 0.0, 0.5])))
        if step % 10 == 0:
            twins.fast.check()


def test_identical_pages_of_many_hosts_cost_a_look_a_host_not_one_a_page():
    m, hosts = 20_000, 50
    s = Scheduler(Pages.from_rates(np.ones(m), 1.0, 0.3, 0.1), hosts=np.arange(m) % hosts)
    assert s.take(1, 1.0).tolist() == [0]  # looks at all of them
    before = s.statistics["evaluations"]
    assert s.take(100, 1.0).tolist() == list(range(1, 101))
    assert s.statistics["evaluations"] - before < 100 * 2 * hosts
    s.check()


def test_pages_whose_values_stand_still_are_not_looked_at_again():
    """Far in the future all values are at their limit: the lowest id is next, without a look at any other page."""
    m = 3_000
    rng = np.random.default_rng(0)
    twins = Twins(Pages.from_rates(np.ones(m), 1.0, 0.3, 0.1))
    twins.fast.take(1, 0.0)
    twins.slow.take(1, 0.0)
    twins.do("crawled", rng.permutation(m), np.arange(m) / m)
    for now in np.linspace(1.1, 1.2, 20):
        twins.same("take", 1, now)
    assert twins.same("take", 1, 1000.0) == [0]
    twins.fast.check()
    before = twins.fast.statistics["evaluations"]
    twins.same("take", 5, 1000.5)
    assert twins.fast.statistics["evaluations"] - before < 20


def test_a_host_that_holds_back_identical_pages_takes_them_aside_and_gives_them_back():
    m = 200
    twins = Twins(Pages.from_rates(np.ones(m), 1.0, 0.3, 0.1), hosts=np.repeat([0, 1], m // 2))
    twins.do("set_host", 0, gap=1.0)
    for now in np.arange(1.0, 6.0, 0.05):
        twins.same("take", 1, now)
        twins.fast.check()
    aside = twins.fast.statistics["aside"]
    assert 0 < aside < m
    twins.do("set_host", 0, gap=0.0)
    twins.do("host_ready", 0, 6.0)
    for now in np.arange(6.0, 12.0, 0.05):
        twins.same("take", 3, now)
    assert twins.fast.statistics["aside"] == 0
