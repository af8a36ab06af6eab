"""Pages that live under another URL."""

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier


def leased(*urls):
    frontier = Frontier(clock=ManualClock(1_000_000.0))
    frontier.add(list(urls))
    batch = frontier.lease(10)
    return frontier, dict(zip(batch.urls, batch.tokens, strict=True))


def test_a_page_that_moved_to_itself_failed_and_stays():
    frontier, tokens = leased("https://a.example/")
    got = frontier.complete(tokens["https://a.example/"], status=301, moved_to="https://a.example/#top")
    assert (got.failed, got.moved) == (1, 0)
    assert frontier.page("https://a.example/").failures == 1
    assert frontier.lease(1).urls == ()


def test_a_page_that_moves_again_and_again_has_to_wait():
    clock = ManualClock(1.7e9)
    f = Frontier(clock=clock)
    f.add("https://a.example/1")
    fetches = 0
    for turn in range(100):
        batch = f.lease(1)
        if not len(batch):
            break
        fetches += 1
        f.complete(batch.tokens, status=301, moved_to=f"https://a.example/{turn + 2}")
    assert fetches == 2
    clock.advance(100.0)
    assert len(f.lease(1)) == 1


def test_a_page_of_a_group_that_was_told_stays_in_it():
    f = Frontier(clock=ManualClock(1.7e9))
    f.add("https://a.example/", group="the ones behind one address")
    f.complete(f.lease(1).tokens, status=308, moved_to="https://b.example/")
    assert f.page("https://b.example/").host == "the ones behind one address"
