"""Leases: one at a time for a page, until answered or expired; late answers count once."""

import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier

NOW = 1_000_000.0
A, B = "https://a.example/", "https://b.example/"


@pytest.fixture
def clock():
    return ManualClock(NOW)


@pytest.fixture
def f(clock):
    frontier = Frontier(clock=clock)
    frontier.add([A, B])
    return frontier


def test_a_leased_page_is_nobody_elses(f):
    assert len(f.lease(10)) == 2
    assert len(f.lease(10)) == 0


def test_tokens_count_up_from_one(f):
    assert f.lease(1).tokens + f.lease(1).tokens == (1, 2)


def test_a_lease_lasts_as_long_as_the_settings_say(f, clock):
    assert f.lease(1).expires == NOW + 300.0


def test_or_as_said_when_leasing(f, clock):
    assert f.lease(1, seconds=7.0).expires == NOW + 7.0


def test_an_expired_page_is_offered_again_under_another_token(f, clock):
    first = f.lease(2)
    clock.advance(299.0)
    assert len(f.lease(2)) == 0
    clock.advance(1.0)
    again = f.lease(2)
    assert (sorted(again.urls), again.tokens) == (sorted(first.urls), (3, 4))


def test_a_late_answer_is_taken_once(f, clock):
    token = f.lease(1).tokens
    clock.advance(300.0)
    late, again = f.complete(token, digest="v1"), f.complete(token, digest="v1")
    assert (late.unknown, late.late, late.repeated) == (1, 1, ())
    assert (again.unknown, again.late, again.repeated) == (0, 0, token)


def test_a_late_answer_leaves_the_one_who_has_the_page_by_now_alone(f, clock):
    f.forget(B)
    late = f.lease(1)
    clock.advance(300.0)
    live = f.lease(1)
    f.complete(late.tokens, digest="v1")
    assert f.page(A).leased
    assert len(f.lease(1)) == 0
    assert f.complete(live.tokens, digest="v2").changed == 1


def test_late_and_live_answers_in_one_call_count_one_after_the_other(f, clock):
    f.forget(B)
    late = f.lease(1).tokens
    clock.advance(300.0)
    live = f.lease(1).tokens
    got = f.complete(late + live, digest=["v1", "v2"])
    assert (got.each, got.late, f.page(A).fetches) == (("unknown", "changed"), 1, 2)


def test_an_answer_given_twice_is_told_and_changes_nothing(f):
    token = f.lease(1).tokens
    f.complete(token, digest="v1")
    before = f.pages(), f.statistics
    assert f.complete(token, status=404).each == ("repeated",)
    assert (f.pages(), f.statistics) == before


def test_one_token_twice_in_a_call_counts_once(f):
    token = f.lease(1).tokens[0]
    got = f.complete([token, token])
    assert (got.unknown, got.each) == (1, ("unknown", "repeated"))


def test_answers_may_come_in_any_order(f):
    one, two = f.lease(1), f.lease(1)
    assert f.complete((*two.tokens, *one.tokens)).unknown == 2


def test_a_token_never_given_out_is_refused(f):
    f.lease(1)
    with pytest.raises(InputError, match="tokens must be those of leases, got 2 in row 1"):
        f.complete([1, 2])
    assert f.complete(1).unknown == 1


def test_the_answer_to_a_forgotten_page_has_nothing_to_be_about(f):
    batch = f.lease(2)
    f.forget(A)
    got = f.complete(batch.tokens)
    assert dict(zip(batch.urls, got.each, strict=True)) == {A: "repeated", B: "unknown"}


def test_nor_does_it_answer_for_the_page_that_has_its_number_now(f, clock):
    f.forget(B)
    old = f.lease(1)
    f.forget(A)
    f.add("https://c.example/")
    assert f.complete(old.tokens, digest="v1").each == ("repeated",)
    assert f.page("https://c.example/").state == "new"


def test_late_leases_are_counted(f, clock):
    f.lease(2)
    clock.advance(300.0)
    batch = f.lease(1)
    f.complete(1)
    got = f.statistics
    assert (got["leased"], got["late_leases"], got["expired"], got["late"]) == (len(batch), 1, 2, 1)


def test_no_more_than_the_rate_allows(clock):
    f = Frontier(clock=clock, rate=2.0)
    f.add([f"https://a.example/{k}" for k in range(100)])
    got = []
    for _ in range(80):
        got.append(len(f.lease(10)))
        clock.advance(0.125)
    assert sum(got) <= 2.0 * 80 * 0.125 + 1
    assert sum(got) >= 2.0 * 79 * 0.125


def test_who_asks_again_when_told_gets_a_page(clock):
    f = Frontier(clock=clock, rate=0.5)
    f.add([f"https://a.example/{k}" for k in range(100)])
    for _ in range(10):
        batch = f.lease(1)
        assert len(batch) == 1
        clock.advance(batch.wait)


def test_after_a_pause_of_an_hour_there_is_no_burst(clock):
    f = Frontier(clock=clock, rate=10.0)
    f.add([f"https://a.example/{k}" for k in range(200)])
    clock.advance(3600.0)
    first = len(f.lease(200))
    clock.advance(1.0)
    assert first + len(f.lease(200)) <= 21


def test_none_are_leased_of_an_empty_frontier(clock):
    got = Frontier(clock=clock).lease(5)
    assert (len(got), got.tokens) == (0, ())
    assert got.wait > 0.0


def test_validators_come_along_with_the_next_lease(f, clock):
    f.forget(B)
    f.complete(f.lease(1).tokens, validators={"etag": '"v1"', "last_modified": "Mon, 01 Jan 2024 00:00:00 GMT"})
    clock.advance(1000.0)
    assert f.lease(1).validators[0] == ('"v1"', "Mon, 01 Jan 2024 00:00:00 GMT")


def test_hosts_have_no_more_in_flight_than_they_allow(clock):
    f = Frontier(clock=clock, max_in_flight=2)
    f.add([f"https://{host}.example/{k}" for host in "ab" for k in range(5)])
    batch = f.lease(10)
    assert sorted(url[8] for url in batch.urls) == ["a", "a", "b", "b"]
    f.complete(batch.tokens[0], error="timeout")
    assert len(f.lease(10)) == 1


def test_hosts_rest_between_two_fetches(clock):
    f = Frontier(clock=clock, gap=10.0)
    f.add([f"https://a.example/{k}" for k in range(5)])
    got = []
    for _ in range(40):
        got.append(len(f.lease(5)))
        clock.advance(1.0)
    assert [second for second, n in enumerate(got) if n] == [0, 10, 20, 30]
    assert max(got) == 1


def test_a_host_may_be_asked_for_other_things(clock):
    f = Frontier(clock=clock)
    f.add([f"https://a.example/{k}" for k in range(5)])
    f.set_host("a.example", max_in_flight=1)
    assert len(f.lease(5)) == 1
    f.set_host("a.example", max_in_flight=None)
    assert len(f.lease(5)) == 4


def test_as_many_as_there_may_ever_be_is_no_limit(clock):
    f = Frontier(clock=clock)
    f.add([f"https://a.example/{k}" for k in range(5)])
    f.set_host("a.example", max_in_flight=1 << 40)
    assert len(f.lease(5)) == 5


def test_pages_given_back_are_offered_again_at_once(f):
    first = f.lease(2)
    assert f.give_back(first.tokens[0]) == 1
    again = f.lease(2)
    assert (again.urls, again.tokens) == (first.urls[:1], (3,))


def test_an_answer_to_what_was_given_back_changes_nothing(f):
    tokens = f.lease(1).tokens
    assert (f.give_back(tokens), f.give_back(tokens)) == (1, 0)
    assert f.complete(tokens, digest="v1").repeated == tokens


def test_who_starts_anew_gives_back_all_that_is_leased(f):
    f.lease(2)
    assert f.give_back() == 2
    assert len(f.lease(2)) == 2


def test_the_gap_of_a_host_goes_on_when_pages_are_given_back(clock):
    f = Frontier(clock=clock, gap=10.0)
    f.add(A)
    f.give_back(f.lease(1).tokens)
    assert len(f.lease(1)) == 0
    clock.advance(10.0)
    assert len(f.lease(1)) == 1
