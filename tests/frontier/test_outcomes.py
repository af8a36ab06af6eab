"""What came of fetches: what the page, its host and the learner are told."""

import math

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from tests.frontier.one_page import NOW, A, answer

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
