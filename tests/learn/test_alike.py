"""When pages are told apart: once their own outcomes foresee the next ones."""

import numpy as np

from recrawl import Pages, simulate
from recrawl.learn import Hints, Learner
from recrawl.learn.online.alike import APART
from recrawl.learn.online.layout import FORESEEN
from recrawl.sim import World
from recrawl.sim.events import Events
from tests.learn.crawled import in_rounds


def test_pages_that_change_together_are_crawled_in_turn():
    """One edit after another of the whole site, then quiet months: crawls are those of equal intervals, to the last.

    The first pages of each round are found unchanged and the others changed, which looks like pages that differ.
    """
    n, rounds = 100, 8
    edits = np.array([0.4, 0.5, 0.6, 1.3, 1.4, 4.5, 4.6, 7.2])
    changes = Events.grouped(np.repeat(np.arange(n), len(edits)), np.tile(edits, n), n)
    world = World(float(rounds), changes, np.empty(0), np.empty(0, dtype=np.int64))
    pages = Pages.from_rates(np.full(n, len(edits) / rounds), np.ones(n))
    learned, in_turn = (simulate(pages, name, rate=float(n), world=world) for name in ("greedy-ncis:learn", "uniform"))
    assert np.array_equal(learned.crawl_pages, in_turn.crawl_pages)


def test_pages_that_differ_are_told_apart_within_a_few_rounds():
    rates = np.tile([0.1, 2.0], 100)
    learner = in_rounds(rates, 4)
    assert learner._memory.numbers[FORESEEN] >= APART
    found = learner.pages().change_rate
    assert found[1::2].mean() > 1.5 * found[::2].mean()


def test_pages_that_are_alike_are_seldom_told_apart():
    """False alarms have a probability of e^-APART = .14 at most; that 12 of 40 are some has one of .006."""
    alarms = sum(in_rounds(np.full(200, 0.7), 10, seed)._memory.numbers[FORESEEN] >= APART for seed in range(40))
    assert alarms < 12


def test_a_page_that_signals_tell_apart_is_judged_by_its_own_outcomes():
    learner = Learner(20, now=0.0, explore=0.0)
    learner.observe(np.arange(20), np.ones(20), np.repeat([0, 1], 10), np.arange(20) % 2 == 0, now=1.0, level=0.3)
    rates = learner.pages().change_rate
    assert len(set(rates[:10].tolist())) == 1
    assert rates[10] > rates[11]


def test_a_page_known_beforehand_is_not_taken_for_like_the_others():
    learner = Learner(3, prior=Hints([0.1, np.nan, 3.0]), now=0.0, explore=0.0)
    rates = learner.pages().change_rate
    assert rates[0] < rates[1] < rates[2]
