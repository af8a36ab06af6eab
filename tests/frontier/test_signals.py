"""Signals: news, old news and repeats, of several sources, and those that come during a fetch."""

import math
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier

MIDNIGHT = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
NOON = MIDNIGHT + 43_200.0
A, B = "https://a.example/", "https://b.example/"


@pytest.fixture
def clock():
    return ManualClock(NOON)


@pytest.fixture
def f(clock):
    """A copy of A that was made at noon; it is a quarter past now."""
    frontier = Frontier(clock=clock)
    frontier.add(A)
    frontier.complete(frontier.lease(1).tokens, digest="v1")
    clock.advance(900.0)
    return frontier


def heard(f):
    """Signals of the present interval, as the learner counts them."""
    return f._state.pairing.learner.heard([0]).tolist()[0]


# -- news --------------------------------------------------------------------------------------------------------------


def test_a_signal_makes_a_page_stale(f):
    before = f.page(A).fresh
    assert f.signal(A).heard == 1
    assert f.page(A).fresh < before


def test_each_signal_is_answered_for(f):
    f.add(B)
    got = f.signal(
        [A, B, "https://c.example/", A, "no URL"], happened=[NOON - 5.0, None, None, NOON + 5.0, None], skip_bad=True
    )
    assert got.each == ("old", "heard", "unknown", "heard", "refused")
    assert (got.heard, got.old, got.repeated, got.dropped) == (2, 1, 0, 3)
    assert got.unknown == ("https://c.example/",)
    assert [entry.item for entry in got.refused] == [4]


def test_a_url_is_found_however_it_is_spelled(f):
    assert f.signal("HTTPS://A.example:443/#x").heard == 1


def test_news_of_before_the_last_fetch_is_old_and_weighs_nothing(f):
    before = f.page(A).fresh
    assert f.signal(A, happened=NOON - 1.0).each == ("old",)
    assert (f.page(A).fresh, heard(f)) == (before, 0.0)


def test_news_of_after_it_is_heard(f):
    assert f.signal(A, happened=NOON + 1.0).each == ("heard",)
    assert heard(f) == 1.0


def test_pages_without_a_copy_hear_and_do_not_age(f):
    f.add(B)
    before = f.page(B)
    assert f.signal(B, happened=NOON - 1e6).each == ("heard",)
    assert f.page(B).value == before.value


# -- when it happened --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "happened",
    [
        NOON + 60.0,
        int(NOON + 60.0),
        np.float64(NOON + 60.0),
        [NOON + 60.0],
        np.array([NOON + 60.0]),
        datetime(2026, 3, 1, 12, 1, tzinfo=UTC),
        datetime(2026, 3, 1, 13, 1, tzinfo=timezone(timedelta(hours=1))),
        "2026-03-01T12:01:00Z",
        "2026-03-01T13:01:00+01:00",
        " 2026-03-01 12:01:00 ",
        [datetime(2026, 3, 1, 12, 1, tzinfo=UTC)],
    ],
)
def test_ways_to_say_it(f, happened):
    assert f.signal(A, happened=happened).each == ("heard",)
    assert f.signal(A, happened=NOON + 60.0).each == ("repeated",)


@pytest.mark.parametrize("happened", [None, [None], math.nan, [math.nan], [None, math.nan][:1]])
def test_ways_not_to_say_it(f, happened):
    assert f.signal(A, happened=happened).heard == 1
    assert f.signal(A, happened=happened).heard == 1


@pytest.mark.parametrize("day", [date(2026, 3, 1), "2026-03-01", "2026-03-01T00:00:00Z", MIDNIGHT])
def test_a_day_without_time_may_be_before_or_after_the_fetch(f, day):
    assert f.signal(A, happened=day).each == ("heard",)
    assert 0.0 < heard(f) < 1.0


@pytest.mark.parametrize("day", [date(2026, 2, 28), "2026-02-28"])
def test_the_day_before_is_old(f, day):
    assert f.signal(A, happened=day).each == ("old",)


def test_the_day_after_is_news(f, clock):
    clock.advance(86_400.0)
    f.signal(A, happened=date(2026, 3, 2))
    assert heard(f) == 1.0


def test_a_time_far_in_the_future_says_nothing(f):
    assert f.signal(A, happened=NOON + 1e6).heard == 1
    assert math.isnan(f.sources()[0].latency)


def test_a_clock_that_is_a_little_ahead_is_believed(f):
    assert f.signal(A, happened=NOON + 2000.0).heard == 1


@pytest.mark.parametrize("happened", [datetime(2026, 3, 1), "yesterday", "2026-13-01", object(), b"2026-03-01", True])
def test_other_things_are_no_times(f, happened):
    with pytest.raises(InputError, match="happened"):
        f.signal(A, happened=[happened, None][:1] if happened is not True else [True, None])


# -- repeats -----------------------------------------------------------------------------------------------------------


def test_the_same_news_twice_is_one_signal(f):
    f.signal(A, happened=NOON + 1.0)
    assert f.signal(A, happened=NOON + 1.0).each == ("repeated",)
    assert heard(f) == 1.0


def test_also_within_a_call(f):
    assert f.signal([A, A], happened=NOON + 1.0).each == ("heard", "repeated")


def test_also_after_a_fetch(f, clock):
    f.signal(A, happened=NOON + 1.0)
    f.complete(f.lease(1).tokens)
    assert f.signal(A, happened=NOON + 1.0).each == ("repeated",)


def test_another_source_may_say_the_same(f):
    f.signal(A, "sitemap", NOON + 1.0)
    assert f.signal(A, "feed", NOON + 1.0).each == ("heard",)


def test_signals_that_do_not_say_when_are_never_repeats(f):
    assert f.signal([A, A, A]).heard == 3


def test_a_date_is_no_repeat_of_a_signal_without_one_that_came_at_that_moment(f, clock):
    f.signal(A, source="feed")
    f.signal(A, source="sitemap")
    assert f.signal(A, source="sitemap", happened=clock.wall()).heard == 1
    assert f.signal(A, source="sitemap", happened=clock.wall()).repeated == 1


def test_a_page_that_was_forgotten_and_added_again_hears_it_anew(f):
    f.signal(A, happened=NOON + 1.0)
    f.forget(A)
    f.add(A)
    assert f.signal(A, happened=NOON + 1.0).each == ("heard",)


# -- sources -----------------------------------------------------------------------------------------------------------


def test_sources_have_names(f):
    f.signal([A, A], "sitemap")
    f.signal(A, "feed")
    assert [(source.name, source.signals) for source in f.sources()] == [("sitemap", 2), ("feed", 1)]


def test_and_are_counted_by_host(f):
    f.add(B)
    f.signal([A, B, B], "sitemap")
    assert [f.sources(host)[0].signals for host in ("a.example", "b.example")] == [1, 2]


def test_a_source_that_is_right_is_trusted_more_than_one_that_is_wrong(clock):
    f, pages = Frontier(clock=clock), 5  # of one page nobody can tell: it may change all the time
    right, wrong = ([f"{host}{k}" for k in range(pages)] for host in (A, B))
    f.add(right + wrong)
    f.complete(f.lease(2 * pages).tokens)
    for _ in range(40):
        clock.advance(100.0)
        f.signal(right, "good")
        f.signal(wrong, "bad")
        batch = f.lease(2 * pages)
        f.complete(batch.tokens, changed=[url in right for url in batch.urls])
    good, bad = f.sources()
    assert good.precision > 0.7 > 0.3 > bad.precision
    assert (good.judged, bad.judged) == (40 * pages, 40 * pages)


def test_how_late_a_source_is_is_learned(f, clock):
    for _ in range(50):
        clock.advance(1000.0)
        f.signal(A, happened=clock.wall() - 100.0)
    assert 50.0 < f.sources()[0].latency < 200.0


def test_there_are_only_so_many(f):
    for k in range(32):
        f.signal(A, f"source {k}")
    with pytest.raises(InputError, match="source must be one of at most 32 names"):
        f.signal(A, "one more")
    assert len(f.sources()) == 32


# -- during a fetch ----------------------------------------------------------------------------------------------------


def test_a_signal_during_a_fetch_stays_for_the_next_round(f, clock):
    batch = f.lease(1)
    f.signal(A)
    f.complete(batch.tokens, changed=False)
    assert heard(f) == 1.0
    assert f.page(A).fresh < 1.0


def test_one_from_before_does_not(f, clock):
    f.signal(A)
    f.complete(f.lease(1).tokens, changed=False)
    assert (heard(f), f.page(A).fresh) == (0.0, 1.0)


def test_nor_does_it_judge_the_source_in_this_round(f, clock):
    batch = f.lease(1)
    f.signal(A, "sitemap")
    f.complete(batch.tokens, changed=False)
    assert f.sources()[0].judged == 0
    clock.advance(100.0)
    f.complete(f.lease(1).tokens, changed=False)
    assert f.sources()[0].judged == 1


def test_also_during_the_first_fetch(f, clock):
    f.forget(A)
    f.add(A)
    batch = f.lease(1)
    clock.advance(1.0)
    f.signal(A)
    f.complete(batch.tokens)
    assert (heard(f), f.page(A).fresh < 1.0) == (1.0, True)


def test_but_news_from_before_the_page_was_known_weighs_nothing_then(f, clock):
    f.forget(A)
    f.add(A)
    batch = f.lease(1)
    clock.advance(1.0)
    assert f.signal(A, happened=NOON).each == ("heard",)
    f.complete(batch.tokens)
    assert (heard(f), f.page(A).fresh) == (0.0, 1.0)


def test_a_failed_fetch_keeps_all_signals(f, clock):
    f.signal(A)
    batch = f.lease(1)
    f.signal(A)
    f.complete(batch.tokens, error="timeout")
    assert heard(f) == 2.0


def test_a_fetch_that_came_late_leaves_what_came_since(f, clock):
    f.signal(A)
    batch = f.lease(1)
    f.signal(A)
    clock.advance(300.0)
    f.lease(0)
    f.signal(A)
    f.complete(batch.tokens, changed=True)
    assert heard(f) == 2.0
    assert f.page(A).fresh < 1.0


def test_also_where_a_late_answer_comes_in_between(f, clock):
    f.signal(A)
    late = f.lease(1)
    clock.advance(300.0)
    live = f.lease(1)
    f.signal(A)
    f.complete(late.tokens, changed=True)
    f.complete(live.tokens, changed=False)
    assert (heard(f), f.sources()[0].judged) == (1.0, 1)


def test_signals_for_a_page_that_is_gone_do_not_hold_up_its_host(clock):
    f = Frontier(clock=clock, gap=60.0)
    f.add([A, f"{A}other"])
    for _ in range(2):
        for page in f.lease(1):
            f.complete(page.token, status=404 if page.url == A else 200, digest="v1")
        clock.advance(60.0)
    got = 0
    for _ in range(8):
        f.signal(A)
        for page in f.lease(1):
            f.complete(page.token, status=404 if page.url == A else 200, digest="v1")
            got += 1
        clock.advance(30.0)
    assert got == 4


@pytest.mark.parametrize("ahead", [60.0, 1_800.0, 30_000.0])
def test_a_date_in_the_future_that_is_repeated_is_one_signal(f, clock, ahead):
    happened = clock.wall() + ahead
    got = []
    for _ in range(3):
        got += f.signal(A, "sitemap", happened).each
        clock.advance(10.0)
    assert got == ["heard", "repeated", "repeated"]


def test_a_date_is_still_known_after_a_signal_without_one_where_there_are_several_sources(f):
    f.signal(A, "feed")
    told = [f.signal(A, "sitemap", happened=when).each[0] for when in (NOON + 60.0, None, NOON + 60.0, NOON + 61.0)]
    assert told == ["heard", "heard", "repeated", "heard"]


@pytest.mark.parametrize("text", ["2026-03-01T00:00:00+01:00", "2026-03-01T00:00:00-05:00", "2026-03-01T00:00:00Z"])
def test_midnight_in_any_zone_is_a_date(f, text):
    assert f.signal(A, "sitemap", happened=text).heard == 1  # it may have been after the copy of noon
