"""Outcomes of several calls done as one: as if they had been made one after the other."""

import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier, Validators
from recrawl.frontier.completing import Outcomes
from recrawl.store import MemoryStore

URLS = [f"https://{host}.example/{k}" for host in "abc" for k in range(4)]


def leased(store=None):
    """A frontier whose pages all have a copy and are leased; and their tokens."""
    clock = ManualClock(1e9)
    found = Frontier(clock=clock, store=store)
    found.add(URLS)
    found.complete(found.lease(100).tokens, digest="1")
    clock.advance(1000.0)
    return found, list(found.lease(100).tokens), clock


def calls(tokens, more=()):
    return [
        Outcomes(tokens[:4], {"digest": ["1", "2", "1", "3"], "validators": Validators("e", "")}, None, "x"),
        Outcomes(tokens[4:6], {"error": ["timeout", "reset"], "retry_after": 60.0}, None, None),
        Outcomes((), {}, None, "empty"),
        Outcomes(tokens[8:11], {"status": [404, 304, 500]}, 1e9 + 990.0, "y"),
        *more,
    ]


def whole(call):
    usual = dict.fromkeys(("status", "changed", "digest", "validators", "error", "retry_after", "moved_to"))
    return Outcomes(call.tokens, {**usual, **call.said}, call.at, call.key)


FACTS = ("url", "state", "leased", "fetches", "changes", "fetched", "changed", "failures", "validators", "digest")


def seen(frontier):
    """What is known but for beliefs: those are learned call by call, and may differ in the last digits."""
    pages = [[getattr(frontier.page(url), name) for name in FACTS] for url in URLS]
    return pages, frontier.statistics, frontier.hosts()


def test_the_same_answers_and_the_same_state_as_one_after_the_other():
    (together, tokens, _), (apart, same, _) = leased(), leased()
    assert tokens == same
    got = together.complete_many([whole(call) for call in calls(tokens)])
    expected = [apart.complete(call.tokens, **call.said, at=call.at, key=call.key) for call in calls(tokens)]
    assert got == expected
    assert seen(together) == seen(apart)


def test_beliefs_are_those_of_one_call_with_all_of_it():
    (together, tokens, _), (one, _, _) = leased(), leased()
    together.complete_many([whole(Outcomes(tokens[:5], {"digest": "1"})), whole(Outcomes(tokens[5:], {"digest": "2"}))])
    one.complete(tokens, digest=["1"] * 5 + ["2"] * (len(tokens) - 5))
    assert [together.page(url) for url in URLS] == [one.page(url) for url in URLS]
    assert together.lease(100).urls == one.lease(100).urls


def test_keys_are_remembered_also_after_a_crash():
    store = MemoryStore()
    first, tokens, clock = leased(store)
    first.complete_many([whole(call) for call in calls(tokens)])
    again = Frontier(clock=clock, store=store)
    done = again.complete(tokens[:4], digest=["1", "2", "1", "3"], key="x")
    assert (done.changed, done.unchanged) == (2, 2)
    assert again.statistics["changed"] == first.statistics["changed"]


@pytest.mark.parametrize(
    "more",
    [
        lambda tokens: Outcomes(tokens[:1], {}, None, "z"),  # a token twice
        lambda tokens: Outcomes(tokens[11:12], {}, None, "x"),  # a key twice
        lambda tokens: Outcomes(tokens[11:12], {"status": 301, "moved_to": "https://a.example/new"}, None, None),
    ],
)
def test_what_cannot_be_done_together_is_not_done_at_all(more):
    f, tokens, _ = leased()
    before = seen(f)
    assert f.complete_many([whole(call) for call in calls(tokens, [more(tokens)])]) is None
    assert seen(f) == before


def test_late_answers_are_left_to_single_calls():
    f, tokens, clock = leased()
    clock.advance(1e6)
    assert f.complete_many([whole(call) for call in calls(tokens)]) is None
    assert f.complete(tokens[:1], digest="1").late == 1


def test_one_bad_call_and_none_is_done():
    f, tokens, _ = leased()
    before = seen(f)
    with pytest.raises(InputError, match="status"):
        f.complete_many([whole(call) for call in calls(tokens, [Outcomes(tokens[11:12], {"status": 7})])])
    with pytest.raises(InputError, match="tokens must be those of leases"):
        f.complete_many([whole(call) for call in calls(tokens, [Outcomes([10**9], {})])])
    assert seen(f) == before
