"""What a frontier promises, whichever form it has: in memory, on disk, or a service behind one of the clients."""

import math
from datetime import UTC, date, datetime

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.frontier import Added, HostSet, Validators
from tests.client.conftest import NOON

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
BAD = "nonsense"


def leased(f, n=10):
    """Tokens by URL."""
    batch = f.lease(n)
    return dict(zip(batch.urls, batch.tokens, strict=True))


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.argument, caught.value.row


# -- pages -------------------------------------------------------------------------------------------------------------


def test_pages_added_twice_are_not_doubled(f):
    assert f.add([A, B, "HTTPS://A.example"]) == Added(2, 1)
    assert f.add((B, C)) == Added(1, 1)
    assert [page.url for page in f.pages()[0]] == [A, B, C]


def test_one_url_is_a_list_of_one(f):
    assert f.add(A) == Added(1, 0)
    assert f.forget(A) == 1


def test_no_urls_are_fine(f):
    assert f.add([]) == Added(0, 0)
    assert f.signal([]).heard == 0
    assert f.request([]).counted == 0
    assert f.forget([]) == 0


def test_hints_are_taken_one_for_all_or_one_each(f):
    f.add([A, B], importance=np.array([2.0, math.nan]), every=3600, max_age=[60.0, math.inf], group=["x", "y"])
    f.add([C], importance=5, group="z")
    got = {page.url: (page.importance, page.host) for page in f.pages()[0]}
    assert got == {A: (2.0, "x"), B: (1.0, "y"), C: (5.0, "z")}
    f.add([A], importance=7.0)
    assert f.page(A).importance == 7.0


def test_bad_urls_are_reported_where_they_may_be_skipped(f):
    done = f.add([A, BAD, "x" * 40_000, None, "https://\ud800.example/", B], skip_bad=True)
    assert (done.new, done.known) == (2, 0)
    assert [bad.item for bad in done.refused] == [1, 2, 3, 4]
    assert [bad.url for bad in done.refused] == [BAD, "x" * 97 + "...", "None", "https://\\ud800.example/"]
    assert done.refused[2].reason == "url must be text"
    assert [bad.item for bad in f.signal([BAD, A], skip_bad=True).refused] == [0]


def test_a_url_may_be_long_where_its_spelling_is_short(f):
    assert f.add([A, f"{A}#{'x' * 20_000}"]) == Added(1, 1)
    assert f.page(f"{A}#{'x' * 20_000}").url == A


def test_pages_are_forgotten_with_all_that_is_known(f):
    f.add([A, B])
    assert f.forget([A, C]) == 1
    assert f.page(A) is None
    assert [page.url for page in f.pages()[0]] == [B]


def test_pages_are_paged_through(f):
    urls = [f"https://h.example/{k}" for k in range(25)]
    f.add(urls)
    first, after = f.pages(limit=10)
    second, after = f.pages(after, limit=10)
    third, after = f.pages(after, limit=10)
    none, _ = f.pages(after, limit=10)
    assert [page.url for page in (*first, *second, *third)] == urls
    assert none == []


def test_what_is_known_of_a_page(f, clock):
    f.add(A)
    new = f.page(A)
    assert (new.state, new.leased, new.fetched, new.changed, new.digest) == ("new", False, None, None, None)
    f.complete(f.lease().tokens, digest="v1", validators={"etag": '"e"', "last_modified": "then"})
    clock.advance(100.0)
    got = f.page(A)
    assert (got.state, got.fetches, got.changes, got.fetched) == ("copy", 1, 0, NOON)
    assert got.validators == Validators('"e"', "then")
    assert 0.0 < got.fresh <= 1.0
    assert got.digest is not None
    assert f.page(B) is None


# -- signals and requests ----------------------------------------------------------------------------------------------


def test_what_becomes_of_each_signal(f, clock):
    f.add([A, B])
    f.complete(f.lease(10).tokens, digest="v1")
    clock.advance(900.0)
    got = f.signal([A, B, C, BAD], "feed", [NOON + 600.0, NOON - 600.0, None, None], skip_bad=True)
    assert (got.heard, got.old, got.repeated, got.unknown) == (1, 1, 0, (C,))
    assert got.each == ("heard", "old", "unknown", "refused")
    assert got.dropped == 3
    again = f.signal([A], "feed", NOON + 600.0)
    assert (again.heard, again.repeated, again.each) == (0, 1, ("repeated",))
    assert f.signal([A, A]).each == ("heard", "heard")


@pytest.mark.parametrize(
    "happened",
    [
        "2026-03-01T12:10:00Z",
        "2026-03-01T13:10:00+01:00",
        datetime(2026, 3, 1, 12, 10, tzinfo=UTC),
        NOON + 600.0,
        np.float64(NOON + 600.0),
        np.array([NOON + 600.0]),
        [datetime(2026, 3, 1, 12, 10, tzinfo=UTC)],
    ],
)
def test_a_time_is_the_same_however_it_is_said(f, clock, happened):
    f.add(A)
    clock.advance(900.0)
    assert f.signal(A, "feed", NOON + 600.0).heard == 1
    assert f.signal([A], "feed", happened).repeated == 1


def test_a_date_is_a_whole_day(f, clock):
    f.add(A)
    f.complete(f.lease().tokens, digest="v1")
    clock.advance(900.0)
    for happened in (date(2026, 3, 1), "2026-03-01"):
        got = f.signal(A, f"sitemap {happened!r}", happened)
        assert (got.heard, got.old) == (1, 0)  # it may have been after noon
    assert f.signal(A, "sitemap", date(2026, 2, 1)).old == 1


def test_requests_are_counted(f):
    f.add([A, B])
    got = f.request([A, C, BAD], [3, 1, 1], skip_bad=True)
    assert (got.counted, got.unknown, [bad.item for bad in got.refused]) == (1, (C,), [2])
    assert f.request([A, B], np.array([2, 0])).counted == 2


def test_sources_are_learned_about(f):
    f.add([A, B])
    f.signal([A, B], "feed")
    f.signal([A], "sitemap")
    assert {source.name: source.signals for source in f.sources()} == {"feed": 2, "sitemap": 1}
    assert {source.name: source.signals for source in f.sources("b.example")}["feed"] == 1
    assert all(math.isnan(source.latency) for source in f.sources())


# -- leases ------------------------------------------------------------------------------------------------------------


def test_leased_pages_are_nobody_elses_until_they_expire(f, clock):
    f.add([A, B])
    batch = f.lease(10, seconds=60.0)
    assert set(batch.urls) == {A, B}
    assert batch.expires == NOON + 60.0
    assert [page.first for page in batch] == [True, True]
    assert len(f.lease(10)) == 0
    assert f.lease(10).wait > 0.0
    clock.advance(61.0)
    assert set(f.lease(10).urls) == {A, B}


def test_the_rate_is_kept(make, clock):
    f = make(rate=2.0)
    f.add([f"https://h{k}.example/" for k in range(20)])
    assert len(f.lease(10)) == 1
    clock.advance(1.0)
    assert len(f.lease(10)) == 2
    assert f.rate == 2.0
    f.set_rate(0)
    assert f.rate == 0.0
    clock.advance(100.0)
    assert len(f.lease(10)) == 0
    f.set_rate(None)
    assert f.rate is None
    assert len(f.lease(0)) == 0
    assert len(f.lease(10)) == 10


def test_every_kind_of_outcome(f, clock):
    names = ("same", "changed", "told", "not-modified", "gone", "moved", "timeout", "busy")
    f.add([f"https://{name}.example/" for name in names])
    first = leased(f)
    assert f.complete([*first.values()], digest=b"v1", validators=Validators('"e"', "")).unknown == 8
    clock.advance(86_400.0)
    batch = f.lease(10)
    assert set(batch.validators) == {Validators('"e"', "")}
    tokens = dict(zip(batch.urls, batch.tokens, strict=True))
    done = f.complete(
        [tokens[f"https://{name}.example/"] for name in names],
        status=[200, 200, 200, 304, 404, 301, None, 503],
        changed=[None, None, True, None, None, None, None, None],
        digest=["v1", "v2", "v1", None, None, None, None, None],
        error=[None, None, None, None, None, None, "timeout", None],
        retry_after=[None, None, None, None, None, None, None, 3600.0],
        moved_to=[None, None, None, None, None, "https://new.example/", None, None],
        at=np.full(8, NOON + 86_000.0),
        validators=[None, {"etag": '"f"'}, None, None, None, None, None, None],
    )
    expected = ("unchanged", "changed", "changed", "unchanged", "gone", "moved", "failed", "failed")
    assert done.each == expected
    assert (done.changed, done.unchanged, done.failed, done.gone, done.moved, done.late) == (2, 2, 2, 1, 1, 0)
    assert f.page("https://changed.example/").validators == Validators('"f"', "")
    assert f.page("https://changed.example/").fetched == NOON + 86_000.0
    assert f.page("https://gone.example/").state == "gone"
    assert (f.page("https://moved.example/"), f.page("https://new.example/").fetches) == (None, 1)
    busy = next(host for host in f.hosts() if host.name == "busy.example")
    assert busy.paused_until == NOON + 86_400.0 + 3600.0


@pytest.mark.parametrize("digest", ["v1", b"v1", 5, b"\xff\x00", np.int64(7)])
def test_equal_digests_are_unchanged_whatever_they_are(f, clock, digest):
    f.add(A)
    assert f.complete(f.lease().tokens, digest=digest).unknown == 1
    clock.advance(86_400.0)
    assert f.complete(f.lease().tokens, digest=[digest]).unchanged == 1
    clock.advance(86_400.0)
    assert f.complete(f.lease().tokens[0], digest="other").changed == 1


def test_outcomes_told_twice_and_late(f, clock):
    f.add([A, B])
    tokens = leased(f)
    assert f.complete(tokens[A], digest="v1").each == ("unknown",)
    again = f.complete([tokens[A], tokens[B], tokens[B]], status=200)
    assert again.each == ("repeated", "unknown", "repeated")
    assert again.repeated == (tokens[A], tokens[B])
    clock.advance(86_400.0)
    late = f.lease(1).tokens
    clock.advance(86_400.0)
    f.lease(10)
    assert f.complete(late, digest="v2").late == 1


def test_what_is_given_back_is_offered_again(f):
    f.add([A, B])
    tokens = leased(f)
    assert f.give_back(tokens[A]) == 1
    assert f.give_back(list(tokens.values())) == 1
    assert f.give_back([]) == 0
    assert set(f.lease(10).urls) == {A, B}


# -- keys --------------------------------------------------------------------------------------------------------------


def test_a_call_repeated_with_its_key_is_done_once(f):
    f.add([A, B, C], key="add")
    assert f.add([A, B, C], key="add") == Added(3, 0)
    f.signal([A, B], key="signal")
    again = f.signal([A, B], key="signal")
    assert (again.heard, again.old, again.repeated) == (2, 0, 0)
    f.request([A], 5, key="request")
    assert f.request([A], 5, key="request").counted == 1
    batch = f.lease(2, key="lease")
    assert f.lease(2, key="lease").tokens == batch.tokens
    f.complete(batch.tokens, digest="v1", key="complete")
    done = f.complete(batch.tokens, digest="v1", key="complete")
    assert (done.unknown, done.repeated) == (2, ())
    f.forget([C], key="forget")
    assert f.forget([C], key="forget") == 1
    counts = f.statistics
    assert (counts["added"], counts["signals"], counts["leases"], counts["unknown"]) == (3, 2, 2, 2)


# -- hosts, counts and freshness ---------------------------------------------------------------------------------------


def test_a_host_is_treated_as_asked(f, clock):
    f.add([f"{A}{k}" for k in range(3)])
    f.set_host("a.example", gap=30.0, max_in_flight=1)
    (host,) = f.hosts()
    assert (host.name, host.pages, host.gap, host.max_in_flight, host.paused_until) == ("a.example", 3, 30.0, 1, None)
    f.set_host("a.example", pause=600.0)
    assert f.hosts()[0].paused_until == NOON + 600.0
    assert len(f.lease(10)) == 0
    f.set_host("a.example", gap=None, max_in_flight=None, pause=0)
    assert (f.hosts()[0].gap, f.hosts()[0].max_in_flight) == (0.0, None)
    assert len(f.lease(10)) == 3


def test_a_host_is_known_by_any_spelling_and_one_without_pages_by_their_number(f):
    f.add([A, f"{A}1", "https://b.example:8443/"])
    f.add("https://c.example/", group="My Group")
    f.add("https://d.example/", group="D.example")
    for name in ("a.example", "A.Example", "a.example:443", "a.example:80"):
        assert f.set_host(name, gap=1.0) == HostSet("a.example", 2)
    assert f.set_host("B.example:8443", pause=1.0) == HostSet("b.example:8443", 1)
    for name in ("My Group", "D.example"):
        assert f.set_host(name, gap=1.0) == HostSet(name, 1)
    assert len(f.hosts()) == 4
    assert f.set_host("typo.Example", gap=1.0) == HostSet("typo.example", 0)
    assert f.set_host("typo.example", gap=1.0) == HostSet("typo.example", 0)
    assert f.set_host("https://a.example/", gap=1.0).pages == 0


def test_hosts_are_paged_through(f):
    f.add([f"https://h{k}.example/" for k in range(7)])
    assert [host.name for host in f.hosts()] == [f"h{k}.example" for k in range(7)]
    assert [host.name for host in f.hosts(2, 3)] == ["h3.example", "h4.example", "h5.example"]
    assert f.hosts(6) == []


def test_counts_and_freshness(f):
    assert math.isnan(f.freshness().mean)
    f.add([A, B])
    f.complete(f.lease(1).tokens, digest="v1")
    fresh = f.freshness()
    assert (fresh.pages, fresh.new, fresh.gone) == (2, 1, 0)
    assert 0.0 < fresh.mean <= 0.5
    assert f.statistics["pages"] == 2


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda f, t: f.add([A, BAD]), ("urls", 1)),
        (lambda f, t: f.add([A, None, BAD]), ("urls", 1)),
        (lambda f, t: f.add([A, "https://a.example/\ud800", BAD, 7]), ("urls", 1)),
        (lambda f, t: f.add(5), ("urls", None)),
        (lambda f, t: f.add(b"https://a.example/"), ("urls", None)),
        (lambda f, t: f.add([A, B], importance=[1.0, -1.0]), ("importance", 1)),
        (lambda f, t: f.add([A, B], importance=[1.0]), ("importance", None)),
        (lambda f, t: f.add([A], importance="much"), ("importance", None)),
        (lambda f, t: f.add([A, B], every=0.0), ("every", 0)),
        (lambda f, t: f.add([A, B], max_age=[1.0, 0.0]), ("max_age", 1)),
        (lambda f, t: f.add([A, B], group=["x", ""]), ("group", 1)),
        (lambda f, t: f.add([A], group="x" * 300), ("group", 0)),
        (lambda f, t: f.add([A], key=""), ("key", None)),
        (lambda f, t: f.add([A], key="k" * 201), ("key", None)),
        (lambda f, t: f.forget([BAD]), ("urls", 0)),
        (lambda f, t: f.signal([A, BAD]), ("urls", 1)),
        (lambda f, t: f.signal([A], ""), ("source", None)),
        (lambda f, t: f.signal([A], "\ud800"), ("source", None)),
        (lambda f, t: f.sources("h" * 300), ("host", None)),
        (lambda f, t: f.signal([A, B], "feed", [NOON, "yesterday"]), ("happened", 1)),
        (lambda f, t: f.signal([A, B], "feed", [NOON] * 3), ("happened", None)),
        (lambda f, t: f.signal([A], "feed", math.inf), ("happened", 0)),
        (lambda f, t: f.signal([A], "feed", datetime(2026, 3, 1)), ("happened", 0)),
        (lambda f, t: f.request([A, B], [1, -1]), ("counts", 1)),
        (lambda f, t: f.request([A, B], [1, 1, 1]), ("counts", None)),
        (lambda f, t: f.lease(-1), ("n", None)),
        (lambda f, t: f.lease(1.5), ("n", None)),
        (lambda f, t: f.lease(1, seconds=0), ("seconds", None)),
        (lambda f, t: f.complete([t, 10**30]), ("tokens", 1)),
        (lambda f, t: f.complete([t, t + 1000]), ("tokens", 1)),
        (lambda f, t: f.complete([t, -1]), ("tokens", 1)),
        (lambda f, t: f.complete([t, "1"]), ("tokens", 1)),
        (lambda f, t: f.complete([t], status=[99]), ("status", 0)),
        (lambda f, t: f.complete([t], status=[200, 200]), ("status", None)),
        (lambda f, t: f.complete([t], changed=["yes"]), ("changed", 0)),
        (lambda f, t: f.complete([t], digest=[1.5]), ("digest", 0)),
        (lambda f, t: f.complete([t], validators=[{"tag": "x"}]), ("validators", 0)),
        (lambda f, t: f.complete([t], validators={"etag": "a\nb"}), ("validators", 0)),
        (lambda f, t: f.complete([t], error=["x" * 101]), ("error", 0)),
        (lambda f, t: f.complete([t], retry_after=[-1.0]), ("retry_after", 0)),
        (lambda f, t: f.complete([t], status=301), ("moved_to", 0)),
        (lambda f, t: f.complete([t], moved_to=B), ("moved_to", 0)),
        (lambda f, t: f.complete([t], status=301, moved_to=[BAD]), ("moved_to", 0)),
        (lambda f, t: f.complete([t], at=[math.nan]), ("at", 0)),
        (lambda f, t: f.complete([t], at=NOON + 1e6), ("at", 0)),
        (lambda f, t: f.give_back([t, t + 1000]), ("tokens", 1)),
        (lambda f, t: f.page(BAD), ("urls", 0)),
        (lambda f, t: f.page(5), ("url", None)),
        (lambda f, t: f.pages(limit=0), ("limit", None)),
        (lambda f, t: f.pages(-2), ("after", None)),
        (lambda f, t: f.hosts(limit=0), ("limit", None)),
        (lambda f, t: f.sources("nowhere.example"), ("host", None)),
        (lambda f, t: f.set_rate(-1.0), ("rate", None)),
        (lambda f, t: f.set_rate("fast"), ("rate", None)),
        (lambda f, t: f.set_host(""), ("host", None)),
        (lambda f, t: f.set_host("a.example", gap=-1), ("gap", None)),
        (lambda f, t: f.set_host("a.example", max_in_flight=0), ("max_in_flight", None)),
        (lambda f, t: f.set_host("a.example", pause=-1), ("pause", None)),
    ],
)  # fmt: skip
def test_bad_input_is_refused_by_argument_and_row(f, call, expected):
    f.add(A)
    (token,) = f.lease().tokens
    before = f.statistics
    assert refusal(lambda: call(f, token)) == expected
    assert f.statistics == before
