"""Signals that break with their past: seen before any crawl, and not where they only come in a burst."""

import numpy as np
import pytest

from recrawl.learn import Learner
from recrawl.learn.online.layout import (
    AFTER_HEARD,
    BROKEN,
    DISPERSION,
    HITS,
    LEANING,
    OUTCOMES,
    PAST_PAGES,
    REFRESH_AT,
    REGIME,
    SINCE,
    USUAL_LEANING,
)
from recrawl.learn.online.layout import PAGES as PAGES_WATCHED
from recrawl.learn.online.moving import bring, likelihoods
from recrawl.model import Pages
from recrawl.paper.trials.learning_worlds import joined
from recrawl.sim import World, simulate

SEED = 20260114
PAGES = 200
STEPS = 100
"""A round is one unit of time, in this many steps."""


def watch(learner, rate, rounds, seed=SEED, pages=PAGES, right=0.5):
    """Each of the first `pages` is signalled `rate` times a round; `right`: how many crawls then find a change."""
    rng = np.random.default_rng(seed)
    for _ in range(round(rounds * STEPS)):
        now = learner.now + 1.0 / STEPS
        learner.signalled(rng.integers(0, pages, size=rng.poisson(rate * pages / STEPS)), now)
        ids = rng.choice(len(learner), size=len(learner) // STEPS, replace=False)
        some = learner.heard(ids) > 0
        learner.observe(ids, None, None, some & (rng.random(len(ids)) < right), now, level=0.1)
    return learner


def spam(learner, rounds, seed):
    """Ten times the signals, and hardly any are right."""
    return watch(learner, 20.0, rounds, seed=seed, right=0.05)


def begun(**keywords):
    return watch(Learner(PAGES, now=0.0, unit=1.0, **keywords), 2.0, 5.0)


def regimes(learner):
    return learner._memory.watch[:, REGIME]


def test_steady_signals_are_no_break():
    # 800 ticks with a chance below e^-10 each: a false alarm in fewer than one of 27 seeds.
    assert not regimes(watch(begun(), 2.0, 20.0, seed=1)).any()


@pytest.mark.parametrize("rate", [20.0, 0.0])
def test_spam_and_silence_are_breaks_within_a_fifth_of_a_round(rate):
    learner = watch(begun(), rate, 0.2, seed=2, right=0.05)
    assert regimes(learner)[0] == pytest.approx(max(rate, 1e-3), rel=0.2)  # 400 signals: 5% each way


@pytest.mark.parametrize("rate", [20.0, 0.5])
def test_more_true_signals_or_a_quarter_of_them_are_no_break(rate):
    # A site that is worked over for a while, and one that is left alone: signals mean what they meant.  When the first
    # three ticks are over 20 crawls have told; in one of 50 seeds they are right less than half as often as before.
    assert not regimes(watch(begun(), rate, 1.0, seed=3)).any()


def test_a_burst_is_no_break():
    learner = begun()
    learner.signalled(np.repeat(np.arange(PAGES), 3), learner.now)
    assert not regimes(watch(learner, 2.0, 1.0, seed=3)).any()


def bumped(learner, builds, steps):
    """All pages are signalled at each of some builds so many steps apart, and at no other time."""
    for step in range(1, builds * steps + 1):
        now = learner.now + 1.0 / STEPS
        if step % steps == 0:
            learner.signalled(np.arange(PAGES), now)
        learner.observe([step % PAGES], None, None, [False], now, level=0.1)
    return learner


@pytest.mark.parametrize("steps", [3, 6, 8])  # 33, 17 and 12 builds a round
def test_bumps_of_all_pages_after_a_silence_are_a_break(steps):
    learner = bumped(begun(), 1, steps)
    assert regimes(learner)[0] == pytest.approx(STEPS / steps, rel=0.3)  # it may have been silent a little before
    assert learner.uncertainty().precision.mean() < 0.1
    regime = regimes(learner)[0]
    assert regimes(bumped(learner, 5, steps))[0] == regime  # and only once


def test_a_bulk_edit_among_signals_as_usual_is_no_break():
    learner = begun()
    for seed in (3, 4, 5):
        learner.signalled(np.arange(PAGES), learner.now)
        watch(learner, 2.0, 0.5, seed=seed)
    assert not regimes(learner).any()


def test_bumps_that_were_always_there_are_no_break():
    learner = bumped(Learner(PAGES, now=0.0, unit=1.0), 40, 10)
    began = learner._memory.watch[0, SINCE]
    assert bumped(learner, 20, 10)._memory.watch[0, SINCE] == began


def test_the_first_pages_that_are_watched_do_not_make_the_past_look_dispersed():
    got = [begun_with(seed)._memory.watch[0, DISPERSION] for seed in range(10)]
    # Of Poisson counts it is 1, to .1 from some 150 ticks.
    assert max(got) < 1.6


def begun_with(seed):
    return watch(Learner(PAGES, now=0.0, unit=1.0), 2.0, 5.0, seed=seed)


def test_what_is_expected_is_learned_anew_soon_after_a_break_though_some_pages_were_never_crawled():
    learner = Learner(2 * PAGES, now=0.0, unit=1.0)
    rng = np.random.default_rng(SEED)
    for _ in range(round(20.0 * STEPS)):  # the second half of the pages is never crawled
        now = learner.now + 1.0 / STEPS
        learner.signalled(rng.integers(0, 2 * PAGES, size=rng.poisson(8.0)), now)
        ids = rng.choice(PAGES, size=4, replace=False)
        learner.observe(ids, None, None, rng.random(4) < 0.5, now, level=0.1)
    for _ in range(20):
        now = learner.now + 1.0 / STEPS
        learner.signalled(rng.integers(0, 2 * PAGES, size=80), now)
        learner.observe(rng.choice(PAGES, size=4, replace=False), None, None, [False] * 4, now, level=0.1)
    numbers = learner._memory.numbers
    assert regimes(learner)[0] > 0.0
    assert numbers[REFRESH_AT] - numbers[OUTCOMES] <= 0.1 * 2 * PAGES


def test_change_rates_stay_and_signals_are_doubted():
    learner = begun()
    before = learner.uncertainty()
    after = spam(learner, 0.2, seed=4).uncertainty()
    # What was known of each page is smeared over bins of 1.3, and half a round of crawls came between.
    assert np.mean(np.abs(np.log(after.change_rate / before.change_rate))) < 0.35
    assert after.precision.mean() < 0.5 * before.precision.mean()  # ten times the signals, the same changes


def test_only_the_host_that_breaks_is_doubted():
    hosts = np.arange(PAGES) % 2
    learner = watch(Learner(PAGES, hosts, now=0.0, unit=1.0), 2.0, 8.0)
    rng = np.random.default_rng(5)
    for _ in range(30):
        now = learner.now + 1.0 / STEPS
        learner.signalled(2 * rng.integers(0, PAGES // 2, size=20) + 1, now)
        learner.signalled(2 * rng.integers(0, PAGES // 2, size=rng.poisson(2.0)), now)
        learner.observe([0, 1], None, None, [False, False], now, level=0.1)
    assert (regimes(learner) > 0.0).tolist() == [False, False, True]


def test_who_asks_sees_what_a_crawl_will_keep():
    memory = spam(begun(), 0.2, seed=6)._memory
    waiting = np.flatnonzero(memory.regime != memory.watch[0, REGIME])[:20]
    assert len(waiting) == 20
    for i in waiting:
        seen = likelihoods(memory, i).copy()
        bring(memory, i)
        assert memory.likelihood[i].tolist() == seen.tolist()


def test_a_break_outlives_a_file(tmp_path):
    twin = spam(begun(), 0.15, seed=7)
    twin.save(tmp_path / "state")
    loaded = Learner.load(tmp_path / "state")
    for learner in (twin, loaded):
        spam(learner, 1.0, seed=8)
    assert regimes(loaded)[0] > 0.0
    assert [column.tolist() for column in loaded.pages().columns] == [
        column.tolist() for column in twin.pages().columns
    ]


def test_columns_of_before_breaks_were_watched_are_taken():
    learner = begun()
    learner._memory.numbers[LEANING] = USUAL_LEANING  # as it was for all learners then
    old = dict(learner.columns())
    for name in ("watch", "before", "regime"):
        del old[name]
    for name in ("numbers", "job_numbers"):
        old[name] = old[name][:BROKEN]
    loaded = Learner.from_columns(old)
    assert loaded.pages().columns[0].tolist() == learner.pages().columns[0].tolist()
    assert regimes(spam(watch(loaded, 2.0, 1.0), 0.5, seed=9))[0] > 0.0


def test_columns_of_before_bulks_were_watched_are_taken():
    learner = begun()
    old = dict(learner.columns())
    old["watch"] = old["watch"][:, :PAST_PAGES]
    for name in ("numbers", "job_numbers"):
        old[name] = old[name][:AFTER_HEARD]
    loaded = Learner.from_columns(old)
    assert loaded._memory.watch[:, :PAST_PAGES].tolist() == old["watch"].tolist()
    assert loaded._memory.watch[0, PAST_PAGES] == old["watch"][0, PAGES_WATCHED]
    assert regimes(bumped(loaded, 2, 8))[0] > 0.0


def test_columns_of_before_hits_were_counted_are_taken():
    old = dict(begun().columns())
    del old["hits"]
    assert Learner.from_columns(old)._memory.hits.tolist() == [[0.0] * HITS]


def test_spam_does_not_starve_pages_for_good():
    rng = np.random.default_rng(SEED)
    pages = Pages.from_quality(rng.uniform(size=PAGES), rng.uniform(size=PAGES), 0.6, 0.5)
    later = Pages.from_rates(pages.change_rate, pages.importance, pages.recall, 20.0 * pages.false_signal_rate)
    world = joined(World.draw(pages, 100.0, SEED), World.draw(later, 200.0, SEED + 1))
    silence = world.of_sources(np.zeros(len(world.signal_times), dtype=np.bool_))
    got, deaf = (
        simulate(pages, "greedy-ncis:learn", 40.0, world=each, warmup=150.0).freshness for each in (world, silence)
    )
    # It was .04 below for good.  Paired, in 30 rounds of 200 pages, the standard error is about .004.
    assert got > deaf - 0.012


def test_pages_that_are_discovered_are_no_break():
    # Four times as many pages, which nobody fetched yet and whose signals nobody counts.
    learner = begun()
    learner.add(4 * PAGES, learner.now)
    rng = np.random.default_rng(6)
    for _ in range(STEPS // 2):
        now = learner.now + 1.0 / STEPS
        learner.signalled(rng.integers(0, PAGES, size=rng.poisson(2.0 * PAGES / STEPS)), now)
        ids = rng.choice(PAGES, size=2, replace=False)
        learner.observe(ids, None, None, rng.random(2) < 0.5, now, level=0.1)
    assert not regimes(learner).any()


def test_hosts_that_break_again_and_again_do_not_keep_priors_from_being_learned():
    hosts, rng = 20, np.random.default_rng(7)
    learner = Learner(PAGES, now=0.0, unit=1.0, hosts=np.arange(PAGES) % hosts, refresh_slice=50)
    ended, under_way = 0, False
    for step in range(12 * STEPS):
        now = learner.now + 1.0 / STEPS
        busy = ((step + 5 * np.arange(hosts)) // STEPS) % 2  # each host turns after a round, one after the other
        rates = np.where(busy, 400.0, 20.0)[np.arange(PAGES) % hosts]
        learner.signalled(np.repeat(np.arange(PAGES), rng.poisson(rates / STEPS)), now)
        ids = rng.choice(PAGES, size=2, replace=False)
        learner.observe(ids, None, None, rng.random(2) < 0.5, now, level=0.1)
        ended += under_way and not learner.refreshing
        under_way = learner.refreshing
    assert regimes(learner).any()
    assert ended > 5
