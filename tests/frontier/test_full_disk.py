"""A store that cannot take more: nothing has happened, and the call can be repeated when there is room again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.clock import ManualClock
from recrawl.errors import StoreFullError
from recrawl.frontier import Frontier, journaled
from recrawl.store import MemoryStore

NOW = 1_000_000_000.0
URLS = [f"https://{host}.example/{path}" for host in "ab" for path in "xyz"]


class Full:
    """A store in memory that refuses to write while it is full."""

    def __init__(self, inner=None):
        self.inner = MemoryStore() if inner is None else inner
        self.full = False
        self.no_snapshots = False
        self.room = None  # groups that still fit

    def append(self, data):
        if self.room is not None:
            self.full, self.room = self.room == 0, self.room - 1
        if self.full:
            raise StoreFullError("the store")
        return self.inner.append(data)

    def rotate(self):
        if self.full or self.no_snapshots:
            raise StoreFullError("the store", "a new journal")
        return self.inner.rotate()

    def reopened(self):
        return Full(self.inner.reopened())

    def __getattr__(self, name):
        return getattr(self.inner, name)


def opened(store=None, **asked):
    clock = ManualClock(NOW)
    store = Full() if store is None else store
    f = Frontier(clock=clock, store=store, **asked)
    return f, store, clock


def everything(f):
    return repr((f.statistics, f.pages(), f.hosts(), f.sources(), f.freshness(), f.rate))


CALLS = {
    "add": lambda f: f.add(["https://c.example/", URLS[0]], importance=5.0, key="k"),
    "forget": lambda f: f.forget(URLS[:3]),
    "signal": lambda f: f.signal(URLS, "sitemap", key="k"),
    "request": lambda f: f.request(URLS, 5, key="k"),
    "complete": lambda f: f.complete([1, 2, 3], status=[200, 404, 500], digest="v1", key="k"),
    "moved": lambda f: f.complete([1, 2], status=301, moved_to=["https://a.example/new", "https://c.example/"]),
    "set_rate": lambda f: f.set_rate(7.0),
    "set_host": lambda f: f.set_host("a.example", gap=5.0),
}


@pytest.mark.parametrize("discovery", [None, 0.5])
@pytest.mark.parametrize("name", CALLS)
def test_nothing_has_happened(name, discovery):
    f, store, _ = opened(discovery=discovery)
    f.add(URLS)
    f.lease(3)
    before, last = everything(f), store.last
    store.full = True
    with pytest.raises(StoreFullError, match="nothing is lost"):
        CALLS[name](f)
    assert (everything(f), store.last) == (before, last)


@pytest.mark.parametrize("discovery", [None, 0.5])
@pytest.mark.parametrize("name", CALLS)
def test_the_call_can_be_repeated(name, discovery):
    (f, store, _), (twin, _, _) = opened(discovery=discovery), opened(discovery=discovery)
    for each in (f, twin):
        each.add(URLS)
        each.lease(3)
    store.full = True
    with pytest.raises(StoreFullError):
        CALLS[name](f)
    store.full = False
    assert repr(CALLS[name](f)) == repr(CALLS[name](twin))
    assert everything(f) == everything(twin)


def test_late_and_live_answers_of_one_page_can_be_repeated_though_they_are_written_one_by_one():
    found = []
    for full in (False, True):
        f, store, clock = opened()
        f.add(URLS[0])
        late = f.lease(1).tokens
        clock.advance(300.0)
        live = f.lease(1).tokens
        if full:
            store.room = 1
            with pytest.raises(StoreFullError):
                f.complete(late + live, digest=["v1", "v2"])
            store.room = 100
        f.complete(late + live, digest=["v1", "v2"])
        found.append(everything(f))
    assert found[0] == found[1]


# -- leases ------------------------------------------------------------------------------------------------------------


def refused_lease(f, store, n, **asked):
    store.full = True
    with pytest.raises(StoreFullError):
        f.lease(n, **asked)
    store.full = False


@pytest.mark.parametrize("discovery", [None, 0.5])
def test_a_lease_that_could_not_be_written_is_not_given(discovery):
    f, store, _ = opened(discovery=discovery)
    f.add(URLS)
    refused_lease(f, store, 6)
    assert (f.statistics["leased"], any(page.leased for page in f.pages()[0])) == (0, False)
    assert sorted(f.lease(6).urls) == sorted(URLS)


def test_its_tokens_answer_for_nothing():
    f, store, _ = opened()
    f.add(URLS)
    refused_lease(f, store, 2)
    batch = f.lease(6)
    assert batch.tokens == (3, 4, 5, 6, 7, 8)
    assert f.complete([1, 2]).repeated == (1, 2)


def test_its_key_can_be_used_again():
    f, store, _ = opened()
    f.add(URLS)
    refused_lease(f, store, 2, key="k")
    assert len(f.lease(2, key="k")) == 2


def test_a_frontier_rebuilt_afterwards_knows_nothing_of_it():
    f, store, clock = opened()
    f.add(URLS)
    refused_lease(f, store, 2)
    again = Frontier(clock=clock, store=store.reopened())
    assert again.lease(6).tokens == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("discovery", [None, 0.5])
def test_or_what_the_next_call_wrote_down(discovery):
    f, store, clock = opened(discovery=discovery)
    f.add(URLS)
    for _ in range(3):
        refused_lease(f, store, 2)
    f.signal(URLS[0])
    again = Frontier(clock=clock, store=store.reopened())
    assert everything(again) == everything(f)


def test_many_of_them_do_not_use_up_the_hosts():
    f, store, _ = opened(max_in_flight=1)
    f.add(URLS)
    for _ in range(5):
        refused_lease(f, store, 6)
    assert [host.in_flight for host in f.hosts()] == [0, 0]
    assert len(f.lease(6)) == 2


# -- snapshots ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CALLS)
def test_a_snapshot_that_cannot_begin_is_no_failure_of_the_call(name, monkeypatch):
    f, store, clock = opened()
    f.add(URLS)
    batch = f.lease(3)
    monkeypatch.setattr(journaled, "LONG_JOURNAL", 1)
    store.no_snapshots = True
    CALLS[name](f)
    assert any("a snapshot could not be written" in note for note in f.notes)
    again = Frontier(clock=clock, store=store.reopened())
    assert everything(again) == everything(f)
    assert len(batch) == 3


def test_a_lease_is_given_all_the_same(monkeypatch):
    f, store, _ = opened()
    f.add(URLS)
    monkeypatch.setattr(journaled, "LONG_JOURNAL", 1)
    store.no_snapshots = True
    assert len(f.lease(3)) == 3


# -- at any moment -----------------------------------------------------------------------------------------------------

steps = st.lists(
    st.tuples(
        st.sampled_from(["lease", "complete", "signal", "add", "forget", "crash"]), st.booleans(), st.integers(0, 5)
    ),
    max_size=30,
)


def one_call(f, step, k):
    if step == "lease":
        return f.lease(k)
    if step == "complete":
        newest = f._state.leases.next_token - 1
        return f.complete(list(range(max(newest - k, 1), newest + 1)), digest=str(k % 2))
    if step == "signal":
        return f.signal(URLS[k], f"source {k % 2}")
    return f.add(URLS[: k + 1]) if step == "add" else f.forget(URLS[k])


@settings(max_examples=60, deadline=None)
@given(steps, st.sampled_from([None, 0.5]), st.sampled_from([None, 1]))
def test_after_recovery_all_is_as_in_one_that_was_never_killed(steps, discovery, most):
    f, store, clock = opened(discovery=discovery, max_in_flight=most)
    steady_store = Full()
    steady = Frontier(clock=clock, store=steady_store, discovery=discovery, max_in_flight=most)
    for step, full, k in steps:
        answers = []
        if step == "crash":  # what could not be written goes with the next call that can; so have one
            f.set_rate(None), steady.set_rate(None)
            store = store.reopened()
            f = Frontier(clock=clock, store=store)
            assert everything(f) == everything(steady)
            continue
        clock.advance(0.25 + 100.0 * (k == 5))
        for each, its in ((f, store), (steady, steady_store)):
            its.full = full
            try:
                answers.append(repr(one_call(each, step, k)))
            except StoreFullError:
                answers.append("full")
            its.full = False
        assert answers[0] == answers[1]
        assert everything(f) == everything(steady)
