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
