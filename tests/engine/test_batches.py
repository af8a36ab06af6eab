"""Many pages at once, and single ones between: the same pages as the definition, for a handful of values each."""

import numpy as np
import pytest

from recrawl import Pages
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scan, Scheduler
from recrawl.engine.core.layout import ASLEEP, GOAL, PLACE, RANKED, ROOT
from recrawl.engine.core.places import states


def both_take(fast, slow, rng, now, n, m):
    """The same signals to both, and the same pages from both."""
    ids = rng.integers(0, m, rng.poisson(2 * n))
    fast.signal(ids, now), slow.signal(ids, now)
    assert fast.take(n, now).tolist() == slow.take(n, now).tolist(), now


@pytest.mark.parametrize("policy", ["greedy", "greedy-ncis", "greedy-cis+", "ncis-approx-3"])
def test_batches_and_single_pages_calm_and_in_a_fall(policy):
    m, rng = 300, np.random.default_rng(0)
    pages = paper_mix(m)
    fast, slow = Scheduler(pages, policy, 1.7e9), Scan(pages, policy, 1.7e9)
    now, kinds = 1.7e9, set()
    for n, steps, pace in ((20, 60, 1.0), (1, 600, 1.0), (20, 60, 1.0), (20, 20, 0.05), (150, 3, 1.0), (20, 20, 1.0)):
        for _ in range(steps):
            now += pace * 10 * n / m
            both_take(fast, slow, rng, now, n, m)
            kinds |= set(states(fast._core.links[:m, PLACE]).tolist())
        fast.check()
    assert {ASLEEP, RANKED} <= kinds  # some slept, some were near the level,
    assert fast.statistics["woken"] > 0  # and the level fell to those that slept


def test_decisions_at_one_moment_do_not_look_at_everything_again():
    """Of the pages near the level only those are looked at whose bound reaches the best."""
    m = 5000
    s = Scheduler(paper_mix(m))
    for now in np.arange(1.0, 40.0, 0.2):
        s.take(100, now)
    s.take(1, now)
    ranked = (states(s._core.links[:m, PLACE]) == RANKED).sum()
    before = s.statistics["evaluations"]
    for _ in range(20):
        s.take(1, now)
    assert ranked > 20
    assert s.statistics["evaluations"] - before < 20 * ranked / 2


def test_a_page_set_aside_for_its_host_is_looked_at_again_when_that_is_ready():
    pages = Pages.from_rates([1.0, 1.0, 0.3, 0.2, 0.1], [1.0, 1.0, 0.9, 0.9, 0.9], 0.0, 0.0)
    fast, slow = (kind(pages, hosts=[0, 0, -1, -1, -1]) for kind in (Scheduler, Scan))
    for s in (fast, slow):
        s.set_host(0, gap=10.0)
        for now in (1.0, 1.1, 1.2):
            s.take(1, now)
    assert fast.statistics["aside"] == 1  # in the pool of its host, worth little yet
    for k in range(5):
        assert fast.take(1, 1.3 + 0.1 * k).tolist() == slow.take(1, 1.3 + 0.1 * k).tolist()
    assert fast.take(2, 12.0).tolist() == slow.take(2, 12.0).tolist()
    fast.check()


@pytest.mark.parametrize("kind", [Scheduler, Scan])
def test_the_clone_that_stands_for_the_others_next_knows_when_they_were_looked_at(kind):
    s = kind(Pages.from_rates([1.0, 1.0, 1.0, 0.95], [1.0, 1.0, 1.0, 0.97], 0.0, 0.0))
    s.take(1, 1.0)
    s.crawled([0], 0.0)  # 0, 1 and 2 are alike again
    s.update([2], Pages.from_rates([1.0], [1.0], 0.0, 0.0), 3.0)  # joins them at 3.0: they were looked at at 1.0
    s.remove([0])
    s.remove([1])
    assert s.take(2, 3.0).tolist() == [2, 3]


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_a_batch_from_many_hosts_costs_a_handful_of_values_a_page(n):
    """8,000 a page at n = 100 when the level went up and down within the batch, and tiers with it."""
    m = 20_000
    s = Scheduler(paper_mix(m), hosts=np.arange(m) % 500)
    s.set_host(0, gap=1e-9)
    now, rng = 0.0, np.random.default_rng(0)
    for k in range(2 * m // n):
        if k == m // n:
            before = s.statistics
        now += 10 * n / m
        s.signal(rng.integers(0, m, 2 * n), now)
        s.take(n, now)
    after = s.statistics
    assert after["decisions"] - before["decisions"] == m
    assert after["evaluations"] - before["evaluations"] < 20 * m
    s.check()


def test_check_sees_a_page_that_is_worth_more_than_its_bound():
    s = Scheduler(paper_mix(100))
    for now in np.arange(1.0, 5.0, 0.05):
        s.take(1, now)
    i = int(s._core.pool_links[0, ROOT])  # the page of highest bound
    assert i >= 0
    s._core.numbers[i, GOAL] *= 0.1
    with pytest.raises(AssertionError, match=r"promised|broken heap"):
        s.check()
