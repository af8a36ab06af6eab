"""What came of fetches: what the page, its host and the learner are told."""

import math

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.frontier.kept.backoff import GONE_WAIT, HOST_WAIT, MOST_PAGE_WAIT, PAGE_WAIT

NOW = 1_000_000.0
A = "https://a.example/"


@pytest.fixture
def clock():
    return ManualClock(NOW)


@pytest.fixture
def f(clock):
    frontier = Frontier(clock=clock)
    frontier.add(A)
    return frontier


@pytest.fixture
def copied(f, clock):
    """A frontier with a copy of the page, of digest v1, made 100 seconds ago."""
    f.complete(f.lease(1).tokens, digest="v1")
    clock.advance(100.0)
    return f


def answer(f, **said):
    batch = f.lease(1)
    assert len(batch) == 1
    return f.complete(batch.tokens, **said)


def first_offered(f, clock, step, most):
    """Seconds until a page is offered, in steps."""
    waited = 0.0
    while not len(f.lease(1)):
        clock.advance(step)
        waited += step
        assert waited <= most
    return waited


# -- compared ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"changed": True}, "changed"),
        ({"changed": False}, "unchanged"),
        ({"changed": 1}, "changed"),
        ({"changed": 0.0}, "unchanged"),
        ({"digest": "v1"}, "unchanged"),
        ({"digest": "v2"}, "changed"),
        ({"digest": "v2", "changed": False}, "unchanged"),
        ({"digest": "v1", "changed": True}, "changed"),
        ({"digest": "v1", "changed": math.nan}, "unchanged"),
        ({"status": 304}, "unchanged"),
        ({"status": 304, "digest": "v2"}, "unchanged"),
        ({}, "unknown"),
        ({"status": 206, "digest": "v2"}, "changed"),
    ],
)
def test_against_a_copy(copied, said, word):
    assert answer(copied, **said).each == (word,)


@pytest.mark.parametrize("said", [{"changed": True}, {"changed": False}, {"digest": "v1"}, {"status": 304}, {}])
def test_a_first_copy_is_compared_with_nothing(f, said):
    assert answer(f, **said).each == ("unknown",)


@pytest.mark.parametrize("digest", ["v1", b"v1", 17, 1 << 200, -3])
def test_digests_are_text_bytes_or_numbers(f, clock, digest):
    answer(f, digest=digest)
    clock.advance(100.0)
    assert answer(f, digest=digest).each == ("unchanged",)


def test_a_digest_stays_where_none_is_given(copied, clock):
    answer(copied, changed=False)
    clock.advance(100.0)
    assert answer(copied, digest="v1").each == ("unchanged",)


def test_each_token_has_its_own_outcome(clock):
    f = Frontier(clock=clock)
    f.add([f"https://{k}.example/" for k in range(5)])
    got = f.complete(f.lease(5).tokens, status=[200, 404, 500, 301, None], moved_to=[None, None, None, A, None])
    assert got.each == ("unknown", "gone", "failed", "moved", "unknown")


def test_a_comparison_teaches_an_interval(copied):
    answer(copied, changed=True)
    page = copied.page(A)
    assert (copied.statistics["outcomes"], page.fetches, page.changes) == (1, 2, 1)
    assert (page.fetched, page.changed) == (NOW + 100.0, NOW + 100.0)


def test_it_begins_and_ends_when_the_page_was_fetched(copied, clock):
    batch = copied.lease(1)
    clock.advance(50.0)
    copied.complete(batch.tokens, changed=True, at=NOW + 110.0)
    assert copied.page(A).fetched == NOW + 110.0
    assert copied._state.pairing.learner.crawled([0]).tolist() == [NOW + 110.0]


@pytest.mark.parametrize("at", [0.0, -1e300, NOW - 5.0])
def test_a_fetch_before_the_last_one_counts_as_just_after_it(copied, clock, at):
    answer(copied, changed=True, at=at)
    assert copied.page(A).fetched == NOW
    clock.advance(100.0)
    assert answer(copied, changed=True).changed == 1


# -- what teaches nothing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [{"status": 500}, {"error": "timeout"}, {"status": 403}, {"status": 404}, {"status": 410}, {}, {"status": 302}],
)
def test_what_did_not_compare_teaches_no_interval(copied, said):
    before = copied.page(A).change_rate
    answer(copied, **said)
    assert (copied.statistics["outcomes"], copied.page(A).change_rate) == (0, before)


def test_a_failure_does_not_end_the_interval(copied, clock):
    answer(copied, error="timeout")
    assert copied._state.pairing.learner.crawled([0]).tolist() == [NOW]
    clock.advance(1000.0)
    assert answer(copied, digest="v2").changed == 1
    assert copied.statistics["outcomes"] == 1


def test_after_it_was_gone_a_page_is_new_to_us(copied, clock):
    answer(copied, status=404)
    clock.advance(200_000.0)
    assert answer(copied, digest="v2").each == ("unknown",)
    assert copied.statistics["outcomes"] == 0
    assert copied._state.pairing.learner.crawled([0]).tolist() == [NOW + 200_100.0]


def test_a_page_that_moved_was_not_compared(copied, clock):
    answer(copied, status=301, moved_to="https://a.example/there")
    assert copied.statistics["outcomes"] == 0
    assert copied._state.pairing.learner.crawled([0]).tolist() == [NOW]


# -- failed ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said", [{"status": 500}, {"error": "timeout"}, {"status": 403}, {"status": 302}, {"status": 100}]
)
def test_failures_are_counted_until_a_fetch_works(copied, clock, said):
    assert answer(copied, **said).failed == 1
    clock.advance(1000.0)
    answer(copied, **said)
    assert (copied.page(A).failures, copied.page(A).state) == (2, "copy")
    clock.advance(1000.0)
    answer(copied)
    assert copied.page(A).failures == 0


def test_the_page_waits_twice_as_long_each_time(copied, clock):
    for failures in range(1, 5):
        answer(copied, status=403)  # says nothing of the host
        expected = PAGE_WAIT * 2 ** (failures - 1)
        waited = first_offered(copied, clock, PAGE_WAIT / 8, 2 * expected)
        assert 0.75 * expected <= waited <= 1.25 * expected + PAGE_WAIT / 8
        clock.advance(300.0)  # let the lease expire


def test_but_never_longer_than_a_day_or_so(copied, clock):
    for _ in range(20):
        answer(copied, status=403)
        clock.advance(1.25 * MOST_PAGE_WAIT)
    assert copied.page(A).failures == 20


def test_pages_that_failed_together_do_not_come_back_together(clock):
    f = Frontier(clock=clock)
    f.add([f"https://{k}.example/" for k in range(40)])
    f.complete(f.lease(40).tokens, error="timeout")
    back = []
    for _ in range(40):
        clock.advance(1.0)
        back.append(len(f.lease(40)))
    assert sum(back) == 0
    for _ in range(36):
        clock.advance(1.0)
        back.append(len(f.lease(40)))
    assert (sum(back), max(back) <= 10) == (40, True)


# -- hosts that fail ---------------------------------------------------------------------------------------------------


@pytest.fixture
def failing(clock):
    """A host of which three fetches in a row have failed."""
    f = Frontier(clock=clock)
    f.add([f"https://a.example/{k}" for k in range(10)])
    f.complete(f.lease(3).tokens, error="timeout")
    return f


def host(f):
    return f.hosts()[0]


def test_after_three_failures_in_a_row_the_host_is_paused(failing, clock):
    assert 0.75 * HOST_WAIT <= host(failing).paused_until - NOW <= 1.25 * HOST_WAIT
    assert len(failing.lease(10)) == 0


def test_then_it_is_probed_with_one_page(failing, clock):
    clock.advance(1.25 * HOST_WAIT)
    assert host(failing).probing
    assert len(failing.lease(10)) == 1


def test_when_the_probe_fails_it_is_paused_for_longer(failing, clock):
    clock.advance(1.25 * HOST_WAIT)
    answer(failing, error="timeout")
    assert 1.5 * HOST_WAIT <= host(failing).paused_until - clock.wall() <= 2.5 * HOST_WAIT


@pytest.mark.parametrize("status", [200, 304, 404])
def test_when_it_answers_all_is_as_before(failing, clock, status):
    clock.advance(1.25 * HOST_WAIT)
    answer(failing, status=status)
    assert (host(failing).probing, host(failing).failures, host(failing).paused_until) == (False, 0, None)
    assert len(failing.lease(10)) >= 6


def test_answers_to_fetches_from_before_the_pause_do_not_prolong_it(clock):
    f = Frontier(clock=clock)
    f.add([f"https://a.example/{k}" for k in range(10)])
    batch = f.lease(6)
    f.complete(batch.tokens[:3], error="timeout")
    until = host(f).paused_until
    f.complete(batch.tokens[3:], error="timeout")
    assert host(f).paused_until == until


def test_what_says_something_of_the_page_is_not_the_hosts_fault(clock):
    f = Frontier(clock=clock)
    f.add([f"https://a.example/{k}" for k in range(10)])
    f.complete(f.lease(6).tokens, status=[401, 403, 405, 414, 451, 302])
    assert (host(f).failures, host(f).paused_until) == (0, None)


def test_other_hosts_are_not_touched(failing):
    failing.add("https://b.example/")
    assert failing.lease(10).urls == ("https://b.example/",)


# -- Retry-After -------------------------------------------------------------------------------------------------------


def test_a_host_that_asks_for_time_gets_it(clock):
    f = Frontier(clock=clock)
    f.add([f"https://a.example/{k}" for k in range(3)])
    answer(f, status=503, retry_after=500.0)
    clock.advance(499.0)
    assert len(f.lease(3)) == 0
    clock.advance(1.0)
    assert len(f.lease(3)) == 3


def test_but_no_more_than_a_week(clock):
    f = Frontier(clock=clock)
    f.add(A)
    answer(f, status=429, retry_after=1e12)
    assert host(f).paused_until - NOW == 7 * 86400.0


def test_a_page_that_asks_for_time_gets_it_alone(clock):
    f = Frontier(clock=clock)
    f.add([f"https://a.example/{k}" for k in range(3)])
    answer(f, status=403, retry_after=500.0)
    assert len(f.lease(3)) == 2


def test_none_is_for_those_that_did_not_ask(clock):
    f = Frontier(clock=clock)
    f.add(["https://a.example/", "https://b.example/"])
    batch = f.lease(2)
    f.complete(batch.tokens, status=503, retry_after=[None, 500.0])
    assert [h.paused_until for h in f.hosts()] == [None, NOW + 500.0]


# -- gone --------------------------------------------------------------------------------------------------------------


def test_a_gone_page_is_looked_at_rarely(copied, clock):
    assert answer(copied, status=410).gone == 1
    assert copied.page(A).state == "gone"
    assert first_offered(copied, clock, 3600.0, 1.25 * GONE_WAIT + 3600.0) >= 0.75 * GONE_WAIT


def test_even_more_rarely_each_time(copied, clock):
    answer(copied, status=404)
    clock.advance(1.25 * GONE_WAIT)
    answer(copied, status=404)
    assert first_offered(copied, clock, 3600.0, 2.5 * GONE_WAIT + 3600.0) >= 1.5 * GONE_WAIT


def test_it_has_no_copy_no_digest_and_no_validators(copied, clock):
    answer(copied, validators={"etag": '"1"'})
    clock.advance(100.0)
    answer(copied, status=404)
    page = copied.page(A)
    assert (page.fresh, page.digest, page.validators) == (0.0, None, ("", ""))


def test_earlier_failures_do_not_count(copied, clock):
    answer(copied, error="timeout")
    clock.advance(100.0)
    answer(copied, status=404)
    assert copied.page(A).failures == 1


def test_a_signal_says_that_it_may_be_back(copied):
    answer(copied, status=404)
    assert len(copied.lease(1)) == 0
    copied.signal(A)
    assert len(copied.lease(1)) == 1


# -- moved -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", ["https://a.example/there", "https://b.example/"])
def test_the_history_goes_along(copied, clock, there):
    answer(copied, changed=True, validators={"etag": '"1"'})
    clock.advance(100.0)
    before = copied.page(A)
    assert answer(copied, status=301, moved_to=there).moved == 1
    after = copied.page(there)
    assert (A in copied, len(copied)) == (False, 1)
    for name in ("state", "fetches", "changes", "fetched", "changed", "digest", "validators", "failures"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.change_rate == pytest.approx(before.change_rate, rel=0.1)  # another host expects something else


@pytest.mark.parametrize("there", ["https://a.example/there", "https://b.example/"])
def test_the_next_fetch_there_ends_the_interval(copied, clock, there):
    answer(copied, status=308, moved_to=there)
    clock.advance(50.0)
    assert answer(copied, digest="v1").unchanged == 1
    assert copied.statistics["outcomes"] == 1


def test_hosts_count_their_pages(copied):
    answer(copied, status=301, moved_to="https://b.example/")
    assert [(h.name, h.pages, h.in_flight) for h in copied.hosts()] == [("a.example", 0, 0), ("b.example", 1, 0)]


def test_where_a_page_is_already_that_one_stays(copied):
    batch = copied.lease(1)
    copied.add("https://b.example/")
    copied.complete(batch.tokens, status=301, moved_to="https://b.example/")
    assert [page.url for page in copied.pages()[0]] == ["https://b.example/"]
    assert copied.page("https://b.example/").state == "new"


@pytest.mark.parametrize("there", [A, "HTTPS://a.example:443/#top"])
def test_a_page_that_moves_to_itself_has_failed(copied, there):
    assert answer(copied, status=301, moved_to=there).failed == 1
    assert (copied.page(A).state, copied.page(A).failures) == ("copy", 1)


@pytest.mark.parametrize("there", ["https://a.example/there", "https://b.example/", "https://c.example/"])
@pytest.mark.parametrize("discovery", [None, 0.5])
def test_a_late_answer_moves_the_page_under_the_one_who_has_it(clock, there, discovery):
    f = Frontier(clock=clock, discovery=discovery)
    f.add(A)
    late = f.lease(1)
    clock.advance(300.0)
    live = f.lease(1)
    f.add("https://c.example/")
    f.complete(late.tokens, status=301, moved_to=there)
    got = f.lease(5)
    assert got.urls == ("https://c.example/",)
    word = "repeated" if there == "https://c.example/" else "unknown"
    assert f.complete(live.tokens).each == (word,)


@pytest.mark.parametrize("said", [{"changed": True}, {}])
def test_a_copy_without_digest_is_not_compared_by_the_digest_of_the_one_before(copied, clock, said):
    answer(copied, **said)
    clock.advance(100.0)
    got = answer(copied, digest="v2")
    assert got.each == ("unknown",)


@pytest.mark.parametrize("said", [{"changed": False}, {"status": 304}])
def test_a_copy_that_is_unchanged_keeps_its_digest(copied, clock, said):
    answer(copied, **said)
    clock.advance(100.0)
    assert answer(copied, digest="v1").each == ("unchanged",)


def test_signals_do_not_bring_back_a_page_that_is_gone_for_ever():
    clock = ManualClock(1.7e9)
    f = Frontier(clock=clock)
    f.add("https://a.example/")
    looks = 0
    for _ in range(50):
        clock.advance(10.0)
        f.signal("https://a.example/", "sitemap")
        batch = f.lease(1)
        looks += len(batch)
        f.complete(batch.tokens, status=404)
    assert looks == 3
    assert (f.statistics["pages_gone"], f.statistics["gone"]) == (1, 3)


def test_a_key_stands_for_all_answers_of_a_call_also_where_one_page_has_two():
    clock = ManualClock(1.7e9)
    f = Frontier(clock=clock, lease=10.0)
    f.add("https://a.example/")
    late = f.lease(1).tokens
    clock.advance(20.0)
    live = f.lease(1).tokens
    first = f.complete(late + live, digest=["1", "2"], key="once")
    again = f.complete(late + live, digest=["1", "2"], key="once")
    assert (first.unknown, first.changed, first.late) == (1, 1, 1)
    assert (again.unknown, again.changed, again.late) == (1, 1, 1)
