"""Many pages at once: the level is calm, pages climb far at a time, and values are computed once a moment."""

import numpy as np
import pytest

from recrawl.bench.mix import paper_mix
from recrawl.engine import Scan, Scheduler
from recrawl.engine.hot import LAST_MOMENT
from recrawl.engine.layout import FALL, GOAL, HOT, LOOK, MOMENT, STATE


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
    m, rng = 200, np.random.default_rng(1)
    pages = paper_mix(m)
    fast, slow = Scheduler(pages), Scan(pages)
    fast._core.rest[MOMENT] = LAST_MOMENT - 20
    for k in range(60):
        both_take(fast, slow, rng, 0.05 * (k + 1), 1, m)
        fast.check()
    assert 0 < fast._core.rest[MOMENT] < 60
    assert fast._core.links[:m, LOOK].max() < 2**31 - 1


def test_check_sees_a_hot_page_that_is_worth_something_else():
    s = Scheduler(paper_mix(100))
    s.take(1, 1.0)
    i = int(np.flatnonzero(s._core.links[:100, STATE] == HOT)[0])
    s._core.numbers[i, GOAL] *= 1.5
    with pytest.raises(AssertionError, match="a hot page is not worth"):
        s.check()
