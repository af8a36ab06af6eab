"""Signals of several calls done as one: as if they had been made one after the other."""

import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier
from recrawl.store import MemoryStore

URLS = [f"https://a.example/{k}" for k in range(6)]
CALLS = [
    ((URLS[0], URLS[1]), "a"),
    ((URLS[2], "https://unknown.example/", URLS[2]), None),
    (("https://unknown.example/",), "b"),
    ((), "c"),
    ((URLS[5], URLS[0]), "d"),
]


def frontier(store=None):
    found = Frontier(clock=ManualClock(1e9), store=store)
    found.add(URLS)
    return found


def test_the_same_answers_and_the_same_state_as_one_after_the_other():
    together, apart = frontier(), frontier()
    got = together.signal_many(CALLS, "feed")
    expected = [apart.signal(urls, "feed", key=key) for urls, key in CALLS]
    assert [(h.heard, h.old, h.repeated, h.unknown, h.each) for h in got] == [
        (h.heard, h.old, h.repeated, h.unknown, h.each) for h in expected
    ]
    assert [together.page(url) for url in URLS] == [apart.page(url) for url in URLS]
    assert together.statistics == apart.statistics


def test_keys_are_remembered_also_after_a_crash():
    store = MemoryStore()
    first = frontier(store)
    first.signal_many(CALLS, "feed")
    again = Frontier(clock=ManualClock(1e9), store=store)  # from the journal
    for urls, key in CALLS:
        if key is not None:
            heard = again.signal(urls, "feed", key=key)
            assert heard.heard == sum(url in URLS for url in urls)
    assert again.statistics["signals"] == first.statistics["signals"]


def test_what_was_done_before_is_not_done_again():
    f = frontier()
    f.signal(CALLS[0][0], "feed", key="a")
    got = f.signal_many(CALLS, "feed")
    assert got[0].heard == 2
    assert f.statistics["signals"] == 6
    assert [part.heard for part in f.signal_many([call for call in CALLS if call[1]], "feed")] == [2, 0, 0, 2]
    assert f.statistics["signals"] == 6


def test_one_bad_call_and_none_is_done():
    f = frontier()
    with pytest.raises(InputError, match="row 3"):
        f.signal_many([((URLS[0],), None), ((URLS[1], URLS[1], "nonsense"), "a")], "feed")
    with pytest.raises(InputError, match="keys that differ"):
        f.signal_many([((URLS[0],), "a"), ((URLS[1],), "a")], "feed")
    assert f.statistics.get("signals", 0) == 0
    got = f.signal_many([((URLS[0],), None), (("nonsense", URLS[1]), "a")], "feed", skip_bad=True)
    assert [[bad.item for bad in part.refused] for part in got] == [[], [0]]
