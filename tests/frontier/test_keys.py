"""A call made again with its key, as by one who did not hear the answer, is done once."""

import numpy as np
import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier
from recrawl.frontier.completing import Outcomes
from recrawl.frontier.facts import Fact
from recrawl.frontier.given.keys import Key
from recrawl.store import MemoryStore

A, B = "https://a.example/", "https://b.example/"


@pytest.fixture
def clock():
    return ManualClock(1_000_000.0)


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def f(clock, store):
    frontier = Frontier(clock=clock, store=store)
    frontier.add(A)
    return frontier


def test_add(f):
    first = f.add([A, B], key="k")
    f.forget(B)
    again = f.add([A, B], key="k")
    assert (again.new, again.known) == (first.new, first.known) == (1, 1)
    assert B not in f


def test_signal(f):
    first, again = f.signal([A, A], key="k"), f.signal([A, A], key="k")
    assert (again.heard, again.old, again.repeated) == (first.heard, first.old, first.repeated) == (2, 0, 0)
    assert f.statistics["signals"] == 2


def test_request(f):
    assert f.request(A, 5, key="k").counted == f.request(A, 5, key="k").counted == 1
    assert f.statistics["requests"] == 5


def test_complete(f):
    token = f.lease(1).tokens
    first, again = f.complete(token, digest="v1", key="k"), f.complete(token, digest="v1", key="k")
    assert (again.unknown, again.repeated) == (first.unknown, first.repeated) == (1, ())
    assert f.page(A).fetches == 1


def test_lease_gives_the_same_pages(f, clock):
    first = f.lease(1, key="k")
    clock.advance(10.0)
    again = f.lease(1, key="k")
    assert (again.urls, again.tokens, again.expires) == (first.urls, first.tokens, first.expires)


def test_but_not_those_that_were_answered(f):
    f.complete(f.lease(1, key="k").tokens)
    assert f.lease(1, key="k").tokens == ()


def test_nor_those_that_have_expired(f, clock):
    f.lease(1, key="k")
    clock.advance(300.0)
    assert f.lease(1, key="k").tokens == ()


def test_a_lease_of_nothing_may_be_tried_again(f):
    batch = f.lease(1)
    assert len(f.lease(1, key="k")) == 0
    f.forget(A)
    f.add(A)
    assert len(f.lease(1, key="k")) == 1
    assert len(batch) == 1


def test_keys_survive_a_crash(f, clock, store):
    f.add(B, key="k")
    f.forget(B)
    again = Frontier(clock=clock, store=store.reopened())
    assert again.add(B, key="k").new == 1
    assert B not in again


def test_keys_survive_a_snapshot(f, clock, store):
    first = f.lease(1, key="k")
    f.snapshot()
    again = Frontier(clock=clock, store=store.reopened()).lease(1, key="k")
    assert again == first


def test_a_key_is_for_one_kind_of_call(f):
    f.add(B, key="k")
    with pytest.raises(InputError, match="key must be a new one, got 'k', which was used for add"):
        f.signal(B, key="k")


def test_calls_without_a_key_are_done_each_time(f):
    f.signal(A)
    f.signal(A)
    assert f.statistics["signals"] == 2


def test_what_was_refused_may_be_done_with_the_same_key(f):
    with pytest.raises(InputError):
        f.add("no URL", key="k")
    assert f.add(B, key="k").new == 1


def test_the_oldest_keys_are_forgotten(f, monkeypatch):
    monkeypatch.setattr("recrawl.frontier.state.MOST_KEYS", 2)
    for key in ("1", "2", "3"):
        f.request(A, key=key)
    f.request(A, key="2")
    assert f.statistics["requests"] == 3
    f.request(A, key="1")
    assert f.statistics["requests"] == 4


def test_a_call_that_found_nothing_is_done_once_too(f):
    assert f.forget(B, key="f") == 0
    assert f.signal(B, key="s").heard == 0
    assert f.request(B, 3, key="r").counted == 0
    f.add(B)
    assert f.forget(B, key="f") == 0
    assert f.signal(B, key="s").heard == 0
    assert f.request(B, 3, key="r").counted == 0
    assert B in f


def test_complete_whose_last_answers_were_given_before(f, clock):
    late = f.lease(1, seconds=1.0).tokens[0]
    clock.advance(5.0)
    f.add(B)
    live = next(page.token for page in f.lease(2) if page.url == A)
    first = f.complete([late, live], status=301, moved_to=B, key="k")  # A is B from then on, and no lease of A is left
    assert (first.moved, first.repeated) == (1, (live,))
    assert f.complete([late, live], status=301, moved_to=B, key="k").moved == 1


def test_keys_of_calls_that_found_nothing_survive_a_restart(f, store, clock):
    f.forget(B, key="f")
    again = Frontier(clock=clock, store=store.reopened())
    again.add(B)
    assert again.forget(B, key="f") == 0
    assert B in again


def of(request, key="k"):
    return Key(key, request)


CALLS = {
    "add": lambda f, key: f.add(B, key=key),
    "forget": lambda f, key: f.forget(A, key=key),
    "forget nothing": lambda f, key: f.forget(B, key=key),
    "signal": lambda f, key: f.signal(A, key=key),
    "signals together": lambda f, key: f.signal_many([([A], key)]),
    "signals of nothing": lambda f, key: f.signal_many([([B], key)]),
    "request": lambda f, key: f.request(A, key=key),
    "lease": lambda f, key: f.lease(1, key=key),
    "complete": lambda f, key: f.complete(1, key=key),
    "outcomes together": lambda f, key: f.complete_many([Outcomes([1], SAID, None, key)]),
}
SAID = dict.fromkeys(("status", "changed", "digest", "validators", "error", "retry_after", "moved_to"))


@pytest.mark.parametrize("reopened", [False, True, "after a snapshot"])
@pytest.mark.parametrize("name", CALLS)
def test_a_key_is_for_one_request(f, store, clock, name, reopened):
    call = CALLS[name]
    f.lease(1)
    f.add("https://a.example/other")
    call(f, of(b"one"))
    if reopened:
        if reopened is not True:
            f.snapshot()
        f = Frontier(clock=clock, store=store.reopened())
    counted = f.statistics
    with pytest.raises(InputError, match="key must be a new one for each call, got 'k', which was used for another"):
        call(f, of(b"another"))
    call(f, of(b"one"))
    call(f, "k")
    assert f.statistics == counted


def test_a_key_of_before_hashes_were_kept_goes_with_any_request(f, store, clock):
    first = f.add(B, key="k")  # written down as it was then: without a hash
    again = Frontier(clock=clock, store=store.reopened())
    assert again.add(B, key=of(b"any")) == first


def test_facts_of_calls_together_as_they_were_before_hashes(f):
    fact = Fact("signal", {"now": 1e6, "source": "feed", "keys": [["k", 0, 1]]}, {"ids": np.array([0])})
    f._do([fact])
    assert f.signal(A, "feed", key=of(b"any")).heard == 1
    assert f.statistics["signals"] == 1
