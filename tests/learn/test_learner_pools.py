"""What pages learn from each other."""

import numpy as np
import pytest

from recrawl import Pages
from recrawl.learn import Learner
from recrawl.learn.online.layout import CHOSEN, HOST_DOUBT, KIND_DOUBT
from tests.learn.crawling import crawl_in_rounds

SEED = 20260102
PLAIN = {"tilt": 0.0, "explore": 0.0}


def two_kinds(rng, m):
    """Pages of hosts with good signals (even) and with bad ones (odd)."""
    good = np.arange(m) % 2 == 0
    pages = Pages.from_quality(rng.uniform(0.3, 2.0, size=m), 1.0, np.where(good, 0.9, 0.15), np.where(good, 0.9, 0.3))
    return pages, good


@pytest.mark.parametrize("label", ["hosts", "kinds"])
def test_new_pages_start_from_their_pool(label):
    rng = np.random.default_rng(SEED)
    pages, good = two_kinds(rng, 200)
    learner = crawl_in_rounds(rng, Learner(200, **{label: np.where(good, 0, 1)}, **PLAIN), pages, 20)
    new = learner.add(2, learner.now, **{label: np.array([0, 1])})
    got = learner.uncertainty(new).precision
    # .9 and .15: far apart, and far from the mean over both
    assert got[0] > 0.75
    assert got[1] < 0.4


def test_labels_that_mean_something_are_trusted_and_others_are_not():
    rng = np.random.default_rng(SEED)
    pages, good = two_kinds(rng, 200)
    noise = rng.integers(0, 10, size=200)
    learner = crawl_in_rounds(rng, Learner(200, np.where(good, 0, 1), noise, **PLAIN), pages, 20)
    got = learner._memory.numbers[[HOST_DOUBT, KIND_DOUBT]]
    assert got[0] <= 16.0
    assert got[1] >= 64.0


def test_labels_help_pages_with_few_crawls():
    rng = np.random.default_rng(SEED)
    pages, good = two_kinds(rng, 300)
    off = {}
    for name, hosts in (("told", np.where(good, 0, 1)), ("not told", None)):
        learner = crawl_in_rounds(np.random.default_rng(1), Learner(300, hosts, **PLAIN), pages, 6)
        off[name] = np.abs(learner.uncertainty().precision - pages.precision).mean()
    assert off["told"] < 0.7 * off["not told"]


def test_pages_without_a_label_are_fine_among_others():
    rng = np.random.default_rng(SEED)
    pages, good = two_kinds(rng, 60)
    learner = crawl_in_rounds(rng, Learner(60, np.where(good, 0, -1), **PLAIN), pages, 5)
    assert np.isfinite(learner.pages().change_rate).all()


def spread_over_hosts(host, most):
    """Ids of the first page of every host, then of the second, and so on, up to `most`; in rising order."""
    rank = np.zeros(len(host), dtype=int)
    for each in np.unique(host):
        rank[host == each] = np.arange(np.sum(host == each))
    return np.sort(np.argsort(rank, kind="stable")[:most])


def sample(learner):
    return learner._memory.sample[: int(learner._memory.numbers[CHOSEN])]


@pytest.mark.parametrize("hosts", [1, 7, 500, 900])
def test_a_sample_has_the_first_pages_of_every_host(hosts):
    rng = np.random.default_rng(SEED)
    host = rng.integers(-1, hosts, size=18_000)
    host[17_000] = hosts
    learner = Learner(18_000, host, now=0.0)
    learner.refresh(1.0)
    assert sample(learner).tolist() == spread_over_hosts(host, max(10_000, 16 * (hosts + 1))).tolist()


def test_a_sample_is_chosen_anew_by_the_refresh_after_pages_came():
    learner = Learner(12_000, np.zeros(12_000, dtype=int), now=0.0)
    learner.refresh(1.0)
    learner.add(500, 1.0, hosts=np.full(500, 1))
    assert sample(learner).max() < 10_000
    learner.refresh(2.0)
    assert np.sum(sample(learner) >= 12_000) == 500


def test_few_pages_learn_from_all():
    learner = Learner(10_000, np.arange(10_000) % 3, now=0.0)
    learner.refresh(1.0)
    assert len(sample(learner)) == 0


def test_many_pages_learn_from_a_sample():
    m = 12_000
    rng = np.random.default_rng(SEED)
    pages, good = two_kinds(rng, m)
    learner = crawl_in_rounds(rng, Learner(m, np.where(good, 0, 1), **PLAIN), pages, 3)
    assert len(sample(learner)) == 10_000
    known = learner.uncertainty()
    assert known.precision[good].mean() > known.precision[~good].mean() + 0.3


def test_hosts_and_kinds_keep_their_pools_when_more_come():
    rng = np.random.default_rng(SEED)
    pages, good = two_kinds(rng, 200)
    learner = crawl_in_rounds(rng, Learner(200, np.where(good, 0, 1), np.where(good, 0, 1), **PLAIN), pages, 10)
    before = learner.uncertainty(np.arange(200)).precision.tolist()
    for k in range(2, 30):
        learner.add(3, learner.now, hosts=[k, 2 * k, 0], kinds=[k % 5, k // 2, 1])
    assert learner.uncertainty(np.arange(200)).precision.tolist() == before
