"""Every call with what it cannot mean: an error that names the argument and the row, and nothing has happened."""

import math

import numpy as np
import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier
from recrawl.store import MemoryStore

A, B = "https://a.example/", "https://b.example/"
HUGE = 10**400
LONE = "\ud800"
ENDLESS = "https://a.example/" + "x" * 10_000_000


class Nothing:
    """Has no meaning to anyone."""

    def __repr__(self):
        return "Nothing()"


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def f(store):
    """A page leased (token 2), one answered for (token 1)."""
    clock = ManualClock(1_000_000.0)
    frontier = Frontier(clock=clock, store=store)
    frontier.add([A])
    frontier.complete(frontier.lease(1).tokens, digest="v1")
    frontier.add([B])
    clock.advance(1000.0)
    frontier.signal(A, "sitemap")
    frontier.complete(frontier.lease(2, seconds=1e6).tokens[:1], digest="v2")
    return frontier


def everything(f, store):
    return repr((f.statistics, store.last, f.pages(), f.hosts(), f.sources(), f.freshness(), f.settings, f.rate))


def refused(f, store, call, *args, argument, row=None, **kwargs):
    before = everything(f, store)
    with pytest.raises(InputError) as caught:
        getattr(f, call)(*args, **kwargs)
    assert argument in str(caught.value)
    assert caught.value.argument == argument
    if row is not None:
        assert (caught.value.row, f"row {row}" in str(caught.value)) == (row, True)
    assert len(str(caught.value)) < 1000
    assert everything(f, store) == before
    Frontier(clock=ManualClock(2_000_000.0), store=store.reopened())  # what is in the store can be read


# -- URLs --------------------------------------------------------------------------------------------------------------

NO_LISTS = [None, 5, 1.5, True, b"https://a.example/", {A: 1}, Nothing()]
NO_URLS = [
    None, 5, math.nan, b"https://a.example/", [A], {A: 1}, (A,), Nothing(), HUGE, "", " ", "a.example", "//a.example/",
    "ftp://a.example/", "javascript:alert(1)", "mailto:x@a.example", "https://", "https:///", "https://a..example/",
    "https://user:secret@a.example/", "https://a.example:99999/", "https://[::1/", "https://" + "a" * 300 + ".example/",
    "https://a.example/" + LONE, LONE, "https://exa mple.org/", "https://a.example/" + "x" * 8192, ENDLESS, "\x00",
]  # fmt: skip
CALLS = ["add", "forget", "signal", "request"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("urls", NO_LISTS, ids=lambda value: repr(value)[:40])
def test_what_is_no_list(f, store, call, urls):
    refused(f, store, call, urls, argument="urls")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("url", NO_URLS, ids=lambda value: repr(value)[:40])
def test_what_is_no_url(f, store, call, url):
    refused(f, store, call, [A, B, url, A], argument="urls", row=2)


@pytest.mark.parametrize("call", CALLS)
def test_with_skip_bad_they_are_left_out(f, call):
    got = getattr(f, call)([A, *NO_URLS], skip_bad=True)
    if call != "forget":
        assert [entry.item for entry in got.refused] == list(range(1, len(NO_URLS) + 1))
        assert max(len(entry.url) for entry in got.refused) <= 100


@pytest.mark.parametrize("url", ["no URL", ENDLESS, LONE, "ftp://a.example/"], ids=lambda value: repr(value)[:40])
def test_a_page_that_cannot_be(f, store, url):
    refused(f, store, "page", url, argument="urls")
    assert url not in f


# -- numbers -----------------------------------------------------------------------------------------------------------

NO_NUMBERS = ["much", b"1", {1: 2}, Nothing(), [[1.0]], [1.0, [2.0]], 1j, HUGE, np.array(["a", "b"])]
NO_NUMBERS_IDS = [repr(value)[:30] for value in NO_NUMBERS]


@pytest.mark.parametrize("name", ["importance", "every", "max_age"])
@pytest.mark.parametrize("value", NO_NUMBERS, ids=NO_NUMBERS_IDS)
def test_add_no_numbers(f, store, name, value):
    refused(f, store, "add", ["https://c.example/", A], **{name: value}, argument=name)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("importance", -1.0),
        ("importance", math.inf),
        ("importance", -math.inf),
        ("importance", 1e308),
        ("importance", 1e16),
        ("every", 0.0),
        ("every", -5.0),
        ("every", math.inf),
        ("every", 5e-324),
        ("every", 1e-300),
        ("every", 1e308),
        ("max_age", 0.0),
        ("max_age", -1.0),
        ("max_age", -math.inf),
    ],
)
def test_add_numbers_that_cannot_be(f, store, name, value):
    urls = ["https://c.example/", A]
    refused(f, store, "add", urls, **{name: [1.0, value]}, argument=name, row=1)
    refused(f, store, "add", urls, **{name: value}, argument=name, row=0)


@pytest.mark.parametrize("name", ["importance", "every", "max_age"])
@pytest.mark.parametrize("values", [[1.0], [1.0] * 3, []])
def test_add_other_lengths(f, store, name, values):
    refused(f, store, "add", ["https://c.example/", A], **{name: values}, argument=name)


@pytest.mark.parametrize("values", [["x"], ["x"] * 3, []])
def test_groups_of_other_lengths(f, store, values):
    refused(f, store, "add", ["https://c.example/", A], group=values, argument="group")


@pytest.mark.parametrize("value", ["", 5, b"x", None, "x" * 256, LONE, ["x"], Nothing()])
def test_groups_that_are_no_names(f, store, value):
    refused(f, store, "add", ["https://c.example/", A], group=["x", value], argument="group", row=1)


@pytest.mark.parametrize("value", NO_NUMBERS, ids=NO_NUMBERS_IDS)
def test_request_no_numbers(f, store, value):
    refused(f, store, "request", [A, B], value, argument="counts")


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, 1e16])
def test_request_numbers_that_cannot_be(f, store, value):
    refused(f, store, "request", [A, B], [1, value], argument="counts", row=1)


@pytest.mark.parametrize("values", [[1, 2, 3], []])
def test_request_other_lengths(f, store, values):
    refused(f, store, "request", [A, B], values, argument="counts")


# -- signals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["", None, 5, b"sitemap", "x" * 101, ["sitemap"], Nothing(), LONE])
def test_sources_that_are_no_names(f, store, source):
    refused(f, store, "signal", A, source, argument="source")


@pytest.mark.parametrize(
    "value", ["yesterday", b"2026-01-01", [5.0], {}, Nothing(), HUGE, -HUGE, "2026-02-30", LONE, True]
)
def test_times_that_are_none(f, store, value):
    refused(f, store, "signal", [A, B], happened=[None, value], argument="happened", row=1)


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_times_that_never_come(f, store, value):
    refused(f, store, "signal", [A, B], happened=[5.0, value], argument="happened", row=1)


@pytest.mark.parametrize(
    "values", [[], [1.0] * 3, [None] * 3, ["2026-01-01"] * 3, [[1.0, 2.0]], np.zeros((2, 2)), HUGE]
)
def test_times_of_other_lengths(f, store, values):
    refused(f, store, "signal", [A, B], happened=values, argument="happened")


@pytest.mark.parametrize("happened", [-1e308, -1e18, 0.0, 5e-324])
def test_times_of_long_ago_are_old(f, happened):
    assert f.signal(A, happened=happened).old == 1


# -- leases ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [-1, 1.0, "1", None, True, [1], math.nan, b"1", Nothing(), -HUGE])
def test_lease_how_many(f, store, n):
    refused(f, store, "lease", n, argument="n")


@pytest.mark.parametrize("n", [0, 1 << 70, np.int64(3)])
def test_lease_any_whole_number(f, n):
    assert len(f.lease(n)) <= 2


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf, "5", [5.0], Nothing(), HUGE])
def test_lease_for_how_long(f, store, seconds):
    refused(f, store, "lease", 1, seconds=seconds, argument="seconds")


@pytest.mark.parametrize("token", [0, -1, 4, 1 << 70, HUGE, "1", None, 1.0, True, math.nan, [1], b"1", {}, Nothing()])
def test_tokens_never_given(f, store, token):
    refused(f, store, "complete", [2, token], argument="tokens", row=1)


@pytest.mark.parametrize("tokens", [None, "12", {2: 3}, 2.0, b"2", Nothing(), np.zeros((1, 1), dtype=np.int64)])
def test_tokens_that_are_no_list(f, store, tokens):
    refused(f, store, "complete", tokens, argument="tokens", row=0)


# -- outcomes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("status", value) for value in (0, 99, 600, -200, 200.0, "200", True, math.nan, HUGE, [200], Nothing())),
        *(("changed", value) for value in ("yes", 2, -1, 0.5, math.inf, [True], b"", {}, Nothing())),
        *(("digest", value) for value in (1.5, True, math.nan, ["v1"], {}, LONE, Nothing())),
        *(("validators", value) for value in ("etag", 5, ["etag"], {"tag": "x"}, {"etag": 5}, {"etag": "a\nb"})),
        *(("validators", value) for value in ({"etag": LONE}, {"last_modified": b"x"}, {5: "x"}, Nothing())),
        *(("error", value) for value in (5, b"timeout", ["timeout"], "x" * 101, {}, Nothing())),
        *(("retry_after", value) for value in (-1.0, math.inf, -math.inf)),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_outcomes_that_cannot_be(f, store, name, value):
    refused(f, store, "complete", [1, 2], **{name: [None, value]}, argument=name, row=1)


@pytest.mark.parametrize("value", ["soon", Nothing(), HUGE, {}])
def test_retry_after_that_is_no_number(f, store, value):
    refused(f, store, "complete", [1, 2], status=503, retry_after=[None, value], argument="retry_after")


@pytest.mark.parametrize(
    "url", [5, b"https://c.example/", "elsewhere", "/there", ENDLESS, LONE, "ftp://c.example/", [A]]
)
def test_places_that_are_none(f, store, url):
    refused(f, store, "complete", [1, 2], status=301, moved_to=[A, url], argument="moved_to", row=1)


def test_a_move_must_say_where_to(f, store):
    refused(f, store, "complete", [1, 2], status=[200, 301], argument="moved_to", row=1)


def test_and_a_place_must_come_with_a_move(f, store):
    refused(f, store, "complete", [1, 2], moved_to=[None, A], argument="moved_to", row=1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300, 2_000_000.0])
def test_moments_that_cannot_be(f, store, value):
    refused(f, store, "complete", [1, 2], at=[1_000_000.0, value], argument="at", row=1)


@pytest.mark.parametrize("value", NO_NUMBERS, ids=NO_NUMBERS_IDS)
def test_moments_that_are_no_numbers(f, store, value):
    refused(f, store, "complete", [1, 2], at=value, argument="at")


@pytest.mark.parametrize(
    "name", ["status", "changed", "digest", "validators", "error", "retry_after", "moved_to", "at"]
)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_outcomes_of_other_lengths(f, store, name, n):
    refused(f, store, "complete", [1, 2], **{name: [None if name != "at" else 5.0] * n}, argument=name)


# -- the rest ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["", 5, b"k", "x" * 201, ["k"], {}, True, Nothing()])
@pytest.mark.parametrize(
    ("call", "args"),
    [("add", ["https://c.example/"]), ("signal", [A]), ("request", [A]), ("lease", [1]), ("complete", [2])],
)
def test_keys_that_are_none(f, store, call, args, key):
    refused(f, store, call, *args, key=key, argument="key")


@pytest.mark.parametrize("rate", [-1.0, math.nan, math.inf, "fast", [1.0], HUGE, Nothing()])
def test_rates_that_are_none(f, store, rate):
    refused(f, store, "set_rate", rate, argument="rate")


@pytest.mark.parametrize("host", ["", None, 5, b"a.example", ["a.example"], Nothing(), LONE, "x" * 256])
def test_hosts_that_are_no_names(f, store, host):
    refused(f, store, "set_host", host, gap=1.0, argument="host")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("gap", value) for value in (-1.0, math.nan, math.inf, "1", [1.0], HUGE)),
        *(("max_in_flight", value) for value in (0, -1, 1.0, "1", True, math.nan, [1])),
        *(("pause", value) for value in (-1.0, math.nan, math.inf, "1", [1.0], HUGE)),
    ],
)
def test_what_cannot_be_asked_of_a_host(f, store, name, value):
    refused(f, store, "set_host", "a.example", **{name: value}, argument=name)


@pytest.mark.parametrize("host", ["c.example", 5, ["a.example"], {}, b"a.example"])
def test_sources_of_a_host_that_is_none(f, store, host):
    refused(f, store, "sources", host, argument="host")


@pytest.mark.parametrize(
    ("after", "limit", "argument"), [(-2, 1, "after"), (0, 0, "limit"), ("0", 1, "after"), (0, 1.5, "limit")]
)
def test_lists_of_pages_that_cannot_be(f, store, after, limit, argument):
    refused(f, store, "pages", after, limit, argument=argument)


@pytest.mark.parametrize("url", [None, [], [A], 5, b"https://a.example/"])
def test_pages_that_are_no_url(f, store, url):
    refused(f, store, "page", url, argument="url")


def test_lists_of_pages_far_beyond(f):
    assert f.pages(after=1 << 70) == ([], 1 << 70)
    assert len(f.pages(limit=1 << 70)[0]) == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("rate", value) for value in (-1.0, math.nan, math.inf, "fast", HUGE)),
        *(("gap", value) for value in (-1.0, math.nan, math.inf, "1")),
        *(("max_in_flight", value) for value in (0, 1.5, "1", True)),
        *(("lease", value) for value in (0.0, -1.0, math.nan, math.inf, None)),
        *(("discovery", value) for value in (-0.1, 1.1, math.nan, "half")),
        *(("half_life", value) for value in (0.0, -1.0, math.nan)),
        *(("explore", value) for value in (-1.0, math.nan)),
        *(("refresh_slice", value) for value in (0, 1.5)),
        *(("spread", value) for value in (0, 1.5)),
        ("colour", "red"),
    ],
)
def test_settings_that_cannot_be(tmp_path, name, value):
    with pytest.raises(InputError) as caught:
        Frontier.open(tmp_path / "data", **{name: value})
    assert caught.value.argument == name
    assert not (tmp_path / "data").exists()


def test_numbers_of_numpy_are_numbers(store):
    clock = ManualClock(1_000_000.0)
    f = Frontier(clock=clock, store=store, rate=np.float32(2.0), max_in_flight=np.int64(3), spread=np.int32(5))
    f.add(np.array([A, B]), importance=np.float32(2.0), every=np.array([5, 6]))
    f.set_rate(np.int64(5))
    f.set_host("a.example", gap=np.float32(0.5), max_in_flight=np.int16(2), pause=np.float32(0.0))
    batch = f.lease(np.int64(1), seconds=np.float32(50.0))
    f.complete(np.array(batch.tokens), status=np.array([200]), changed=np.array([True]), digest=np.uint64(5))
    f.request(A, np.int32(2))
    again = Frontier(clock=clock, store=store.reopened())
    assert (again.settings, again.rate, again.pages()) == (f.settings, 5.0, f.pages())


def test_many_numbers_that_are_odd_but_can_be_meant(f, store):
    f.add(["https://c.example/"], importance=0.0, every=1e15, max_age=math.inf)
    f.add(["https://d.example/"], importance=1e15, every=1e-9, max_age=5e-324)
    f.request([A, B], [0, 1e15])
    f.set_host("c.example", gap=1e300, max_in_flight=HUGE, pause=1e300)
    f.signal([A], "sitemap", key=LONE)
    f.complete(f.lease(5, seconds=1e300).tokens, error=LONE)
    again = Frontier(clock=ManualClock(1_001_000.0), store=store.reopened())
    assert again.statistics == f.statistics


@pytest.mark.parametrize("nested", [[[1.0], [2.0]], np.array([[1.0], [2.0]]), [[100.0, 1.0], [200.0, 2.0]], [[], []]])
def test_retry_after_in_lists_of_lists(f, store, nested):
    refused(f, store, "complete", [1, 2], status=503, retry_after=nested, argument="retry_after")
