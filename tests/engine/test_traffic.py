"""Traffic as it really comes, on a small scale: the same pages as the definition, and values within bounds."""

import numpy as np
import pytest

from recrawl import InputError, Pages
from recrawl.bench.load import Load, twin_of
from recrawl.bench.mix import paper_mix
from recrawl.bench.patterns import Scene, all_patterns, even
from recrawl.engine import Scan, Scheduler


def a_kind(m):
    """What a learner believes on its first day."""
    return Pages.from_rates(np.ones(m), 1.0, recall=0.5, false_signal_rate=0.3)


def two_kinds(m):
    """Pages that change every moment, and pages that hardly ever do."""
    return Pages.from_rates(np.resize([0.001, 10.0], m), 1.0, recall=0.5, false_signal_rate=0.3)


PAGES = {"mix": paper_mix, "a kind": a_kind, "two kinds": two_kinds}


@pytest.mark.parametrize("policy", ["greedy", "greedy-ncis"])
@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("share", [0.02, 0.3])
def test_a_start_bursts_a_night_and_another_rate(policy, kind, share):
    """Rates at which pages are crawled near their limit, and far below it."""
    m, rng = 200, np.random.default_rng(4)
    pages = PAGES[kind](m)
    fast, slow = Scheduler(pages, policy), Scan(pages, policy)
    now = 0.0
    for step in range(400):
        now += (1.0 if step < 250 else 5.0) / (share * m)
        if step % 30 == 0:
            ids = rng.integers(0, m, 60 if step % 60 else m)
            fast.signal(ids, now), slow.signal(ids, now)
        if step == 200:
            now += 8.0
        if step % 50 == 49:
            fast.advance(now, 20)
        n = 1 if step % 9 else 7
        assert fast.take(n, now).tolist() == slow.take(n, now).tolist(), step
        if step % 20 == 0:
            fast.check()


@pytest.mark.parametrize("x", [33.0, 36.5, 38.0, 40.0])
def test_pages_crawled_where_values_differ_in_their_last_digit_or_not_at_all(x):
    """At a staleness of 33 to 41 whole ranges of it have one value, next to the limit."""
    m = 150
    pages = Pages.from_rates(np.ones(m), 1.0)
    fast, slow = Scheduler(pages), Scan(pages)
    for one in (fast, slow):
        one.crawled(np.arange(m), -np.linspace(0.0, x, m))
    for step in range(1, 300):
        now = step * x / m
        assert fast.take(1, now).tolist() == slow.take(1, now).tolist(), step
    fast.check()
    assert fast.statistics["evaluations"] < 60 * 300  # a look at all of them would be 150 a decision


def test_a_million_looks_are_not_needed_to_crawl_identical_pages():
    m = 20_000
    s = Scheduler(a_kind(m))
    rng = np.random.default_rng(0)
    for k in range(1, 2_000):
        s.signal(rng.integers(0, m, 6), k / m)
        s.take(1, k / m)
    assert s.statistics["evaluations"] < 10 * 2_000
    s.check()


def test_every_pattern_of_the_benchmark_costs_a_handful_of_values():
    """Values do not depend on the machine.  Even: 7.  The bound is four times what a tenth of the rate needs here."""
    scene = Scene(20_000)
    usual = even(scene, 3_000)
    assert usual.values / usual.decisions < 12
    for pattern in all_patterns():
        if pattern.name.startswith(
            ("signals of 3,000", "a sitemap of 2%", "new pages of 2 kinds", "a tenth", "pulses")
        ):
            load = pattern.run(scene)
            assert load.values / load.decisions < 100, pattern.name
            load.scheduler.check()


def test_a_night_costs_nothing_where_idle_moments_were_used():
    m = 20_000
    load = Load(Scheduler(paper_mix(m)), paper_mix(m), m / 10)
    load.even(m // 2)
    prepared, surprised = twin_of(load.scheduler), twin_of(load.scheduler)
    for now in np.linspace(load.now, load.now + 8.0, 80):
        while prepared.advance(now, 1000) == 1000:
            pass
    looks = []
    for one in (prepared, surprised):
        before = one.statistics["evaluations"]
        ids = one.take(1, load.now + 8.0)
        looks.append((one.statistics["evaluations"] - before, ids.tolist()))
        one.check()
    assert looks[0][1] == looks[1][1]
    assert looks[0][0] < 0.05 * m < looks[1][0]


def test_signals_cost_no_values_before_the_next_decision_needs_them():
    m = 20_000
    s = Scheduler(paper_mix(m))
    for k in range(1, 2_000):
        s.take(1, 10 * k / m)
    before = s.statistics["evaluations"]
    s.signal(np.arange(300), 10 * 2_000 / m)
    assert s.statistics["evaluations"] == before
    s.take(1, 10 * 2_000 / m)
    assert before < s.statistics["evaluations"] < before + 600


def test_a_huge_burst_does_not_leave_all_its_looks_to_one_decision():
    m = 50_000
    s = Scheduler(paper_mix(m))
    for k in range(1, 3_000):
        s.take(1, 10 * k / m)
    s.signal(np.arange(m), 10 * 3_000 / m)
    before = s.statistics["evaluations"]
    s.take(1, 10 * 3_000 / m)
    assert s.statistics["evaluations"] - before < m / 8


def test_advance_refuses_what_is_no_limit_and_a_time_that_goes_back():
    s = Scheduler(paper_mix(10), now=5.0)
    assert s.advance(6.0, 100) == 0
    with pytest.raises(InputError, match="limit must be a whole number >= 0, got -1"):
        s.advance(6.0, -1)
    with pytest.raises(InputError, match=r"now must be a finite time and not before 6\.0"):
        s.advance(5.5, 1)


@pytest.mark.parametrize("silent", [1e-6, 1e-8, 1e-10])
def test_pages_that_hardly_age_by_time_keep_their_promises(silent):
    """Nearly every change is signalled: bounds end after tiny steps, which rounding must not lengthen."""
    m, rng = 300, np.random.default_rng(1)
    pages = Pages.from_rates(rng.uniform(0.5, 2, m), rng.uniform(0.1, 1, m), 1 - silent * rng.uniform(0.5, 2, m), 0.3)
    s, everyone = Scheduler(pages), np.arange(m)
    for step in range(1, 3_000):
        now = step / m
        if rng.random() < 0.5:
            s.signal(rng.integers(0, m, 1), now)
        expected = np.lexsort((everyone, -s.value(everyone, now)))[0]
        assert s.take(1, now).tolist() == [expected], step
    s.check()


@pytest.mark.parametrize("now", [1e-200, 1e-160, 1e-30])
def test_values_too_small_for_numbers_still_have_an_order(now):
    pages = Pages.from_rates([1.0, 2.0, 3.0], 1.0, 0.5, 0.1)
    assert Scheduler(pages).take(2, now).tolist() == Scan(pages).take(2, now).tolist()


def test_after_an_outage_of_all_hosts_decisions_cost_what_they_did():
    """Every page that was best moved into the pool of its host: sleepers must not wake for want of a page elsewhere."""
    m = 20_000
    s = Scheduler(paper_mix(m), hosts=np.arange(m) % 500)
    s.take(1, 5.0)
    for host in range(500):
        s.host_ready(host, 5.1)
    assert s.take(1, 5.02).tolist() == []
    before = s.statistics["evaluations"]
    for step in range(2_000):
        s.take(1, 5.2 + 10 * step / m)
    assert s.statistics["evaluations"] - before < 60 * 2_000
    s.check()


def test_pages_worth_nothing_are_taken_by_id_without_a_look():
    """Only signals age them: where bandwidth exceeds signals, most pages taken are worth 0."""
    m = 20_000
    fast = Scheduler(Pages.from_rates(np.linspace(0.1, 2.0, m), 1.0, 1.0, 0.1))
    for step in range(1, 200):
        now = 1e-4 * step
        fast.signal([7 * step], now)
        assert fast.take(2, now).tolist() == [7 * step, 0]
    assert fast.statistics["evaluations"] < 20 * 200
    fast.check()


def test_all_pages_removed_and_others_added_is_a_new_start():
    m = 20_000
    s = Scheduler(paper_mix(m))
    for step in range(1_000):
        s.take(1, 10 * step / m)
    s.remove(np.arange(m))
    assert s.take(1, 1.0).tolist() == []
    s.add(paper_mix(m, 1), 1.0)
    before = s.statistics["evaluations"]
    for step in range(1, 1_000):
        s.take(1, 1.0 + 10 * step / m)
    assert s.statistics["evaluations"] - before < 100 * 1_000
    s.check()


def test_everything_taken_before_time_has_passed_takes_no_longer_than_a_pass():
    m = 30_000
    s = Scheduler(Pages.from_rates(np.linspace(1.0, 2.0, m), 1.0, 0.5, 0.1))
    assert s.take(m, 0.0).tolist() == list(range(m))
    s.check()


@pytest.mark.parametrize("lower", [0.95, 0.7, 0.1])
def test_values_that_all_fall_at_once_do_not_make_the_next_decision_a_scan(lower):
    m = 20_000
    pages = paper_mix(m)
    load = Load(Scheduler(pages), pages, m / 10)
    load.even(6_000)
    alpha, kappa, gamma, mu = pages.columns
    load.scheduler.update(np.arange(m), Pages(alpha, kappa, gamma, mu * lower), load.now)
    before = load.values
    load.even(1)
    assert load.values - before < m / 10


def test_values_that_all_fall_at_once_leave_decisions_exact():
    m, rng = 5_000, np.random.default_rng(5)
    pages = paper_mix(m)
    fast, slow = Scheduler(pages), Scan(pages)
    alpha, kappa, gamma, mu = pages.columns
    now = 0.0
    for step in range(60):
        now += 10.0 / m
        ids = rng.integers(0, m, 50)
        fast.signal(ids, now), slow.signal(ids, now)
        if step % 20 == 10:
            other = Pages(alpha, kappa, gamma, mu * rng.uniform(0.1, 0.9))
            fast.update(np.arange(m), other, now), slow.update(np.arange(m), other, now)
        assert fast.take(3, now).tolist() == slow.take(3, now).tolist()
    fast.check()
