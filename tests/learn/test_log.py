"""Events into intervals."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.errors import InputError
from recrawl.learn import CrawlLog


def intervals(log):
    return list(zip(log.page.tolist(), log.elapsed.tolist(), log.signals.tolist(), log.changed.tolist(), strict=True))


def test_the_first_crawl_starts_the_clock():
    log = CrawlLog.from_events("ab", [1, 0, 0], [5.0, 3.0, 1.0], [1, 1, 0], [0, 0, 0], [0.5, 2.0, 9.0])
    assert intervals(log) == [(0, 2.0, 1.0, 1.0)]
    assert log.first_visits == 2


def test_a_known_start_makes_the_first_crawl_an_interval():
    log = CrawlLog.from_events("ab", [1, 0, 0], [5.0, 3.0, 1.0], [1, 1, 0], [0, 0, 0], [0.5, 2.0, 9.0], start=0.0)
    assert intervals(log) == [(0, 1.0, 1.0, 0.0), (0, 2.0, 1.0, 1.0), (1, 5.0, 0.0, 1.0)]
    assert log.first_visits == 0


def test_a_signal_at_the_moment_of_a_crawl_came_before_it():
    log = CrawlLog.from_events("a", [0, 0, 0], [1.0, 2.0, 3.0], [0, 0, 0], [0, 0], [1.0, 2.0])
    assert log.signals.tolist() == [1.0, 0.0]


def test_a_crawl_that_compared_nothing_does_not_end_an_interval():
    log = CrawlLog.from_events("a", [0, 0, 0], [1.0, 2.0, 4.0], [0, np.nan, 1], [0, 0], [1.5, 2.5])
    assert intervals(log) == [(0, 3.0, 2.0, 1.0)]
    assert log.unknown == 1


def test_intervals_without_length_or_outcome_are_counted():
    log = CrawlLog.from_intervals("a", [0, 0, 0], [np.nan, 2.0, 1.0], [0, 1, 2], [1, np.nan, 0])
    assert intervals(log) == [(0, 1.0, 2.0, 0.0)]
    assert (log.first_visits, log.unknown) == (1, 1)


def test_two_crawls_at_once_are_refused():
    with pytest.raises(InputError, match="must be at different times"):
        CrawlLog.from_events("a", [0, 0], [1.0, 1.0], [0, 0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0], [-1.0], [0], [0]), r"elapsed must be > 0 and finite \(NaN: first visit\), got -1.0 in row 0"),
        (([0], [np.inf], [0], [0]), "elapsed must be > 0 and finite .* got inf in row 0"),
        (([0, 0], [1.0, 1.0], [0, np.nan], [0, 0]), "signals must be counts >= 0, got nan in row 1"),
        (([0, 0], [1.0, 1.0], [0, 0], [0, 2]), r"changed must be 0 or 1 \(NaN: not known\), got 2.0 in row 1"),
        (([5], [1.0], [0], [0]), "page must be an index into names, from 0 to 1, got 5 in row 0"),
        (([-1], [1.0], [0], [0]), "page must be an index into names, from 0 to 1, got -1 in row 0"),
        (([0.5], [1.0], [0], [0]), "page must be a column of whole numbers"),
        (([0], [1.0, 2.0], [0], [0]), "elapsed must have as many rows as page, got 2 and 1"),
    ],
)
def test_bad_intervals_are_refused_as_by_fit(columns, message):
    with pytest.raises(InputError, match=message):
        CrawlLog.from_intervals("ab", *columns)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([2], [1.0], [0]), "page must be an index into names, from 0 to 1, got 2 in row 0"),
        (([0], [1.0], [2]), r"changed must be 0 or 1 \(NaN: not known\), got 2.0 in row 0"),
        (([0], [np.nan], [0]), "time must be finite, got nan in row 0"),
        (([0], [1.0], [0, 1]), "changed must have as many rows as page, got 2 and 1"),
        (([0], [1.0], [0], [-1], [0.5]), "signal_page must be an index into names, from 0 to 1, got -1 in row 0"),
        (([0], [1.0], [0], [0], [np.inf]), "signal_time must be finite, got inf in row 0"),
        (([0], [1.0], [0], [0, 1], [0.5]), "signal_time must have as many rows as signal_page, got 1 and 2"),
        (([0], [1.0], [0], [], [], np.nan), "start must be finite, got nan"),
    ],
)
def test_bad_events_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        CrawlLog.from_events("ab", *columns)


def slowly(crawls, signals):
    """Signals between a crawl and the one before, counted one by one."""
    found = []
    for page in (0, 1, 2):
        times = sorted(t for p, t in crawls if p == page)
        for before, after in pairwise(times):
            found.append((page, after - before, float(sum(p == page and before < t <= after for p, t in signals))))
    return found


events = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30).map(float)), max_size=25)


@given(events.map(lambda found: sorted(set(found))), events)
def test_counting_equals_its_slow_twin(crawls, signals):
    log = CrawlLog.from_events(
        "abc",
        [p for p, _ in crawls],
        [t for _, t in crawls],
        np.zeros(len(crawls)),
        [p for p, _ in signals],
        [t for _, t in signals],
    )
    got = list(zip(log.page.tolist(), log.elapsed.tolist(), log.signals.tolist(), strict=True))
    assert got == slowly(crawls, signals)


def test_halves_alternate_within_each_page():
    log = CrawlLog.from_intervals("ab", [0, 0, 0, 1], [1.0, 2.0, 3.0, 4.0], np.zeros(4), np.zeros(4))
    even, odd = log.split()
    assert (even.elapsed.tolist(), odd.elapsed.tolist()) == ([1.0, 3.0, 4.0], [2.0])
