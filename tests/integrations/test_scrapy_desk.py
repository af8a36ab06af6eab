"""Leases and outcomes at the desk, without Scrapy running."""

import pytest
from scrapy.settings import Settings

from recrawl.errors import InputError, StoreFullError
from recrawl.frontier import Frontier
from recrawl.integrations.scrapy.desk import Desk
from recrawl.integrations.scrapy.options import Options
from recrawl.integrations.scrapy.outcomes import Outcome

URLS = [f"https://h{k}.example/" for k in range(5)]


class Watched(Frontier):
    """A frontier in memory that notes calls, fails where it is told to, and is not closed."""

    def __init__(self):
        super().__init__()
        self.calls, self.refuses = [], None

    def add(self, urls, **more):
        self._note("add")
        return super().add(urls, **more)

    def complete(self, tokens, **more):
        self._note("complete")
        return super().complete(tokens, **more)

    def _note(self, name):
        if self.refuses is not None:
            raise self.refuses
        self.calls.append(name)

    def close(self):
        self.calls.append("close")


@pytest.fixture
def frontier():
    made = Watched()
    made.add(URLS)
    made.calls.clear()
    return made


@pytest.fixture
def desk(frontier):
    made = Desk(Options.read(Settings({"RECRAWL_DATA": "unused"})), lambda _: frontier)
    made.open()
    return made


def leased(frontier):
    return sum(host.in_flight for host in frontier.hosts())


def test_outcomes_that_came_together_are_one_call(desk, frontier):
    leases, _ = desk.lease(5)
    for lease in leases:
        assert desk.tell(Outcome(lease.page.token, 200, copy=(lease.page.url, b"text", "text/plain")))
    desk.flush()
    assert frontier.calls == ["complete"]
    assert [frontier.page(url).state for url in URLS] == ["copy"] * 5
    assert desk.held() == 0


def test_a_lease_is_answered_for_once(desk):
    (lease,), _ = desk.lease(1)
    assert desk.tell(Outcome(lease.page.token, 200))
    assert not desk.tell(Outcome(lease.page.token, 500))


def test_the_same_body_is_no_change_and_another_one_is(desk, frontier):
    for body in (b"one", b"one", b"two"):
        leases, _ = desk.lease(5)
        for lease in leases:
            desk.tell(Outcome(lease.page.token, 200, copy=(lease.page.url, body, "text/plain")))
        desk.flush()
    assert [frontier.page(url).changes for url in URLS] == [1] * 5


def test_pages_found_are_known_before_the_page_they_were_found_on_counts_as_fetched(desk, frontier):
    (lease,), _ = desk.lease(1)
    desk.add("https://new.example/")
    desk.add("no URL")
    desk.tell(Outcome(lease.page.token, 200))
    desk.flush()
    assert frontier.calls == ["add", "complete"]
    assert frontier.page("https://new.example/").state == "new"


def test_what_the_frontier_does_not_take_is_kept(desk, frontier):
    (lease,), _ = desk.lease(1)
    desk.tell(Outcome(lease.page.token, 404))
    frontier.refuses = StoreFullError("data")
    with pytest.raises(StoreFullError):
        desk.flush()
    assert desk.pending
    frontier.refuses = None
    desk.flush()
    assert not desk.pending
    assert frontier.page(lease.page.url).state == "gone"


def test_one_bad_outcome_does_not_spoil_the_others(desk, frontier):
    good, bad = desk.lease(2)[0]
    desk.tell(Outcome(good.page.token, 200))
    desk.tell(Outcome(bad.page.token, 200, changed="perhaps"))
    desk.flush()
    assert frontier.page(good.page.url).state == "copy"
    assert frontier.page(bad.page.url).failures == 1


def test_closing_gives_back_what_was_not_fetched(desk, frontier):
    first, *_ = desk.lease(5)[0]
    desk.tell(Outcome(first.page.token, 200))
    desk.close()
    assert leased(frontier) == 0
    assert frontier.calls == ["complete", "close"]
    assert desk.lease(5) == ([], 1.0)


def test_a_frontier_that_is_gone_does_not_keep_the_crawl_from_closing(desk, frontier, caplog):
    (lease,), _ = desk.lease(1)
    desk.tell(Outcome(lease.page.token, 200))
    frontier.refuses = ConnectionRefusedError("nobody there")
    desk.close()
    assert "1 outcomes could not be told (nobody there)" in caplog.text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "RECRAWL_DATA or RECRAWL_SERVER must be set"),
        ({"RECRAWL_DATA": "d", "RECRAWL_SERVER": "http://127.0.0.1:8700"}, "and not both"),
        ({"RECRAWL_SERVER": "http://127.0.0.1:8700", "RECRAWL_RATE": 5}, "the rate of a server is set there"),
        ({"RECRAWL_DATA": "d", "RECRAWL_RATE": "fast"}, "RECRAWL_RATE must be above 0"),
        ({"RECRAWL_DATA": "d", "RECRAWL_GAP": -1}, "RECRAWL_GAP must be seconds"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, words):
    with pytest.raises(InputError, match=words):
        Options.read(Settings(settings))
