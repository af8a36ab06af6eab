"""Many pages at once: the level is calm, pages climb far at a time, and values are computed once a moment."""

import numpy as np
import pytest

from recrawl import Pages
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scan, Scheduler
from recrawl.engine.hot import LAST_MOMENT
from recrawl.engine.layout import FALL, GOAL, HOT, LOOK, MOMENT, POOL, STATE


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
    now, falls = 1.7e9, []
    for n, steps, pace in ((20, 60, 1.0), (1, 600, 1.0), (20, 60, 1.0), (20, 20, 0.05), (150, 3, 1.0), (20, 20, 1.0)):
        for _ in range(steps):
            now += pace * 10 * n / m
            both_take(fast, slow, rng, now, n, m)
            falls.append(fast._core.pool_numbers[0, FALL])
        fast.check()
    assert min(falls) < 1.0 / 64.0  # pages climb as far as they ever do,
    assert max(falls[720:]) > 0.125  # and as little


def test_a_page_is_looked_at_once_a_moment():
    """The second of two decisions at the same time computes values for the page it takes, and for no hot page."""
    m = 5000
    s = Scheduler(paper_mix(m))
    for now in np.arange(1.0, 40.0, 0.2):
        s.take(100, now)
    s.take(1, now)
    hot = (s._core.links[:m, STATE] == HOT).sum()
    before = s.statistics["evaluations"]
    s.take(1, now)
    assert hot > 20
    assert s.statistics["evaluations"] - before < 0.5 * hot


def test_numbers_of_moments_begin_again_without_mistaking_an_old_look_for_a_new_one():
    """A host is held back while numbers begin again, and looked at when they come to that of its last look."""
    pages = Pages.from_rates([1.0, 1.0, 0.3, 0.2, 0.1], [1.0, 1.0, 0.9, 0.9, 0.9], 0.0, 0.0)
    fast, slow = (kind(pages, hosts=[0, 0, -1, -1, -1]) for kind in (Scheduler, Scan))
    for s in (fast, slow):
        s.set_host(0, gap=10.0)
        for now in (1.0, 1.1, 1.2):
            s.take(1, now)
    aside = np.flatnonzero((fast._core.links[:2, STATE] == HOT) & (fast._core.links[:2, POOL] > 0))
    assert len(aside) == 1  # hot in the pool of its host, worth little yet
    look = int(fast._core.links[aside[0], LOOK])
    fast._core.rest[MOMENT] = LAST_MOMENT
    for k in range(look):  # from 0 on
        assert fast.take(1, 1.3 + 0.1 * k).tolist() == slow.take(1, 1.3 + 0.1 * k).tolist()
    assert fast._core.rest[MOMENT] == look - 1
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


def test_check_sees_a_hot_page_that_is_worth_something_else():
    s = Scheduler(paper_mix(100))
    s.take(1, 1.0)
    i = int(np.flatnonzero(s._core.links[:100, STATE] == HOT)[0])
    s._core.numbers[i, GOAL] *= 1.5
    with pytest.raises(AssertionError, match="a hot page is not worth"):
        s.check()
