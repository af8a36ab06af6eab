"""Snapshots written bit by bit while work goes on show the moment they began."""

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier, checking, journaled, snapshot
from recrawl.store import SqliteStore

URLS = [f"https://{host}.example/{path}" for host in "ab" for path in "xyz"]


@pytest.fixture
def clock():
    return ManualClock(1_000_000_000.0)


@pytest.fixture
def f(clock, tmp_path, monkeypatch):
    """A frontier in the middle of a snapshot, which is written two pages a call."""
    frontier = Frontier.open(tmp_path / "data", clock=clock, rate=50.0)
    frontier.add(URLS)
    frontier.complete(frontier.lease(1).tokens, digest="v1")
    frontier.signal(URLS[:3], "sitemap")
    monkeypatch.setattr(snapshot, "SLICE", 2)
    monkeypatch.setattr(journaled, "LONG_JOURNAL", 1)
    frontier.set_rate(40.0)
    assert frontier._snapshotting is not None
    monkeypatch.setattr(journaled, "LONG_JOURNAL", 1 << 40)
    return frontier


def finished(f):
    """Do small things until the snapshot is there."""
    while f._snapshotting is not None:
        f.set_rate(f.rate)


def everything(f):
    pages, _ = f.pages()
    state = f._state
    ids = state.urls.find([page.url for page in pages])
    beside = [state.neighbours.mates(ids[k : k + 1]).tolist() for k in range(len(ids))]
    assert checking.problems(state) == []
    return repr((f.statistics, pages, f.hosts(), f.sources(), f.freshness(), f.rate, beside))


def reopened(f, clock, tmp_path):
    """As after a crash."""
    f._store.close()
    return Frontier(clock=clock, store=SqliteStore(tmp_path / "data"))


CHANGES = {
    "new sources": lambda f: [f.signal(URLS, name) for name in ("feed", "indexnow", "websub")],
    "new pages": lambda f: f.add([f"https://c.example/{k}" for k in range(5)]),
    "fewer pages": lambda f: f.forget(URLS[2:5]),
    "other pages under the same numbers": lambda f: (f.forget(URLS[2:5]), f.add(["https://c.example/", "https://d.example/"])),
    "new pages beside old ones": lambda f: f.add([f"https://{host}.example/{k}" for host in "ab" for k in range(5)]),
    "pages forgotten beside others that come": lambda f: (
        f.forget(URLS[:1]),
        f.add(["https://a.example/1"]),
        f.forget(URLS[1:2]),
    ),
    "moves to other folders": lambda f: [
        f.complete(f.lease(1).tokens, status=301, moved_to=f"https://a.example/{folder}/1") for folder in "ppq"
    ],
    "leases": lambda f: f.lease(3),
    "outcomes": lambda f: f.complete(f.lease(3).tokens, digest="v2", validators={"etag": "x"}),
    "moves": lambda f: f.complete(f.lease(1).tokens, status=301, moved_to="https://c.example/"),
    "requests": lambda f: f.request(URLS, [1, 2, 3, 4, 5, 6]),
    "settings of hosts": lambda f: f.set_host("new.example", gap=3.0),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_meanwhile_is_in_the_journal(f, clock, tmp_path, name):
    clock.advance(1.0)
    CHANGES[name](f)
    finished(f)
    assert f.notes == []
    before = everything(f)
    again = reopened(f, clock, tmp_path)
    assert again._store.latest() is not None
    assert everything(again) == before
    again.close()


@pytest.mark.parametrize("name", CHANGES)
def test_a_crash_in_the_middle_loses_nothing(f, clock, tmp_path, name):
    clock.advance(1.0)
    CHANGES[name](f)
    f.set_rate(f.rate)
    before = everything(f)
    again = reopened(f, clock, tmp_path)
    assert everything(again) == before
    again.close()


def test_closing_writes_everything_down(f, clock, tmp_path):
    before = everything(f)
    f.close()
    again = Frontier.open(tmp_path / "data", clock=clock)
    assert again._journal_bytes < 200  # that it was opened
    assert everything(again) == before
    again.close()


def test_settings_given_when_opening_hold_at_once_and_later(f, clock, tmp_path):
    f.close()
    changed = Frontier.open(tmp_path / "data", clock=clock, spread=7, gap=2.0)
    assert (changed.settings.spread, changed._state.pairing.spread) == (7, 7)
    changed.close()
    again = Frontier.open(tmp_path / "data", clock=clock)
    assert (again.settings, again._state.pairing.spread, again.hosts()[0].gap) == (changed.settings, 7, 2.0)
    again.close()
