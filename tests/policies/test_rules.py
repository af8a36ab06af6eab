"""Rules that are not values, against sequences worked out by hand and the bounds they promise."""

import math

import numpy as np
import pytest

import recrawl
from recrawl.errors import InputError
from recrawl.policies.lds import LowDiscrepancy
from recrawl.policies.nutch import Nutch
from recrawl.policies.proportional import proportional
from recrawl.policies.stormcrawler import StormCrawler
from recrawl.policies.uniform import RoundRobin

DAY_S = 86_400.0


def sequence(rule, n):
    return [rule.next(float(slot)) for slot in range(1, n + 1)]


def test_lds_by_hand():
    # Shares 1/2, 1/3, 1/6. Visits as (release, due): page 0 (1,2) (3,4) (5,6); page 1 (1,3) (4,6); page 2 (1,6).
    # Slot 1: 0 due 2. 2: 1 due 3. 3: 0 due 4. 4: 1 and 2 are due 6, the lower id. 5: 0 and 2 are due 6. 6: 2.
    assert sequence(LowDiscrepancy([3.0, 2.0, 1.0]), 12) == [0, 1, 0, 1, 0, 2] * 2


@pytest.mark.parametrize("m", [2, 3, 11, 100])
@pytest.mark.parametrize("seed", range(3))
def test_lds_is_within_one_crawl_of_its_rates_at_every_prefix(m, seed):
    rng = np.random.default_rng(seed)
    rates = rng.uniform(size=m) ** 3  # some pages a thousand times as often as others
    slots = 4000
    taken = np.array(sequence(LowDiscrepancy(rates), slots))
    counts = np.cumsum(taken[:, None] == np.arange(m), axis=0)
    ideal = np.arange(1, slots + 1)[:, None] * (rates / rates.sum())
    assert np.abs(counts - ideal).max() < 1.0


@pytest.mark.parametrize("rates", [[0.1] * 10, [0.3, 0.3, 0.4], [1.0, 1e-9], [1 / 3, 1 / 7, 1 - 1 / 3 - 1 / 7]])
def test_lds_with_shares_that_round_is_never_late(rates):
    rule = LowDiscrepancy(rates)
    taken = np.array(sequence(rule, 3000))
    shares = np.array(rates) / np.sum(rates)
    for page, share in enumerate(shares):
        visits = np.flatnonzero(taken == page) + 1
        due = np.ceil(np.arange(1, len(visits) + 1) / share - 1e-9)
        assert np.all(visits <= due), page


def test_lds_leaves_pages_of_rate_0_alone():
    assert sequence(LowDiscrepancy([0.0, 1.0, 0.0]), 3) == [1, 1, 1]
    assert sequence(LowDiscrepancy([0.0]), 2) == [-1, -1]


@pytest.mark.parametrize("rates", [[-1.0], [math.inf], [math.nan]])
def test_lds_refuses_what_is_no_rate(rates):
    with pytest.raises(InputError, match="rates must be finite and >= 0"):
        LowDiscrepancy(rates)


def test_round_robin_goes_round():
    assert sequence(RoundRobin(3), 7) == [0, 1, 2, 0, 1, 2, 0]
    assert RoundRobin(0).next(1.0) == -1


def test_proportional_crawls_by_change_rate():
    pages = recrawl.Pages.from_rates(change_rate=[1.0, 3.0], importance=[100.0, 1.0])
    assert np.bincount(sequence(proportional(pages), 400)).tolist() == [100, 300]


def test_proportional_where_nothing_changes_treats_all_alike():
    assert sorted(sequence(proportional(recrawl.Pages.from_rates([0.0, 0.0], 1.0)), 4)) == [0, 0, 1, 1]


def crawl(rule, page, now, changed):
    """One crawl as the simulator tells of it."""
    rule.crawled(page, now, 0.0, 0, changed)


def test_nutch_by_hand():
    rule = Nutch(1, unit_s=DAY_S)
    assert rule.interval_s == [30 * DAY_S]
    # Day 10, changed: 30 * .8 = 24 days from now.
    assert rule.due_after(0, 10.0, True) == pytest.approx(34.0)
    # Day 34, unchanged: 24 * 1.4 = 33.6 days; unchanged for 24, so .3 * 24 = 7.2 days earlier.
    assert rule.due_after(0, 34.0, False) == pytest.approx(34.0 + 33.6 - 7.2)
    # Day 100, unchanged for 90: 33.6 * 1.4 = 47.04 is less, so 90, and 27 earlier.
    assert rule.due_after(0, 100.0, False) == pytest.approx(100.0 + 90.0 - 27.0)
    assert rule.interval_s[0] == pytest.approx(90 * DAY_S)
    # Day 300, unchanged for 290: 290 - 87 = 203 days, past the ceiling of 90.
    assert rule.due_after(0, 300.0, False) == pytest.approx(390.0)


def test_nutch_stays_between_a_minute_and_a_year():
    rule = Nutch(1, unit_s=1.0)
    for k in range(1, 100):
        rule.due_after(0, float(k), True)
    assert rule.interval_s == [60.0]
    assert rule.due_after(0, 500 * DAY_S, False) > 0.0
    assert rule.interval_s == [365 * DAY_S]


def test_nutch_drops_an_offset_of_more_than_a_year():
    rule = Nutch(1, unit_s=DAY_S)
    # Unchanged for 1,300 days: .3 of it is 390, more than a year, which the code's division makes 0. Ceiling 90.
    assert rule.due_after(0, 1300.0, False) == pytest.approx(1390.0)
    assert rule.interval_s == [365 * DAY_S]


def test_stormcrawler_by_hand():
    rule = StormCrawler(1, unit_min=1.0)
    assert rule.interval_min == [1440.0]
    assert rule.due_after(0, 100.0, False) == 100.0 + 2160.0
    assert rule.due_after(0, 200.0, True) == 200.0 + 1080.0 + 30.0
    for _ in range(10):
        rule.due_after(0, 300.0, False)
    assert rule.interval_min == [20_160.0]
    for _ in range(60):
        rule.due_after(0, 300.0, True)
    assert rule.interval_min[0] == pytest.approx(60.0, rel=1e-12)  # halfway again and again


def test_the_page_due_first_is_next_ties_by_id():
    rule = StormCrawler(3, unit_min=1.0)
    assert rule.next(1.0) == 0  # all are due at 1440
    crawl(rule, 0, 1.0, True)  # due at 751
    assert rule.next(2.0) == 0
    crawl(rule, 0, 2.0, False)  # 750 * 1.5 = 1125, due at 1127
    assert rule.next(3.0) == 0
    crawl(rule, 0, 3.0, False)  # due at 3 + 1687.5
    assert [rule.next(4.0), rule.next(5.0)] == [1, 2]


@pytest.mark.parametrize("make", [lambda: Nutch(1, unit_s=0.0), lambda: StormCrawler(1, unit_min=-1.0)])
def test_a_unit_of_time_must_have_a_length(make):
    with pytest.raises(InputError, match="must be > 0"):
        make()
