"""Fetches that failed and pages that are gone: who waits, and for how long; hosts that are paused and probed."""

import pytest

from recrawl.frontier import Frontier
from recrawl.frontier.kept.backoff import GONE_WAIT, HOST_WAIT, MOST_PAGE_WAIT, PAGE_WAIT
from tests.frontier.one_page import NOW, A, answer, first_offered

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
