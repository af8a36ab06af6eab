"""A frontier knows folders by its URLs, and what is learned of them is kept."""

import numpy as np
import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier, checking, facts, snapshot
from recrawl.frontier.kept.book import NONE
from recrawl.frontier.state import State
from recrawl.store import MemoryStore
from tests.frontier.one_page import NOW

PAGES = [f"https://a.example/{folder}/{k}" for folder in "pqr" for k in range(8)]


@pytest.fixture
def clock():
    return ManualClock(NOW)


@pytest.fixture
def f(clock):
    """Each page was fetched a few times; folder p changes, all of it, every day."""
    frontier = Frontier(store=MemoryStore(), clock=clock, rate=None)
    frontier.add(PAGES)
    rng = np.random.default_rng(1)
    for day in range(40):
        clock.advance(86400.0)
        batch = frontier.lease(6)
        found = [rng.random() < 0.2 or "/p/" in url for url in batch.urls]
        frontier.complete(batch.tokens, changed=found if day > 4 else None, status=200)
    return frontier


def neighbours(frontier):
    return frontier._state.pairing.neighbours


def mates(frontier, url):
    page = frontier._state.urls.find([url])
    return set(frontier._state.urls.texts(neighbours(frontier).mates(page)))


def parts_of(frontier):
    """A snapshot of it, as the parts that are written."""
    frontier.snapshot()
    return dict(frontier._store.latest()[1])


def without_neighbours(parts):
    """As a version wrote it that knew nothing of folders."""
    old = {}
    for name, part in parts.items():
        kept = [fact for fact in facts.decode(part) if fact.kind != "neighbours"]
        for fact in kept:
            fact.columns = {k: v for k, v in fact.columns.items() if not k.startswith("neighbours.")}
        old[name] = facts.encode(kept)
    return old


def everything(state: State):
    pages = len(state.pairing.learner)
    near = state.pairing.neighbours
    return {**near.by_page(slice(0, pages)), **near.others(len(state.hosts))}


def test_pages_of_one_directory_are_neighbours(f):
    assert mates(f, PAGES[0]) == set(PAGES[1:8])


def test_what_is_known_of_folders_is_in_a_snapshot(f):
    assert neighbours(f).memory.news.any()
    before, after = everything(f._state), everything(snapshot.load(parts_of(f)))
    assert before.keys() == after.keys()
    assert all(np.array_equal(np.sort(before[k]), np.sort(after[k])) for k in ("keys", "named"))
    assert all(np.array_equal(before[k], after[k]) for k in before if k not in ("keys", "named"))


def test_a_snapshot_from_before_there_were_folders_is_read(f):
    f.forget([PAGES[3]])
    state = snapshot.load(without_neighbours(parts_of(f)))
    near, page = state.pairing.neighbours, state.urls.find([PAGES[0]])
    assert set(state.urls.texts(near.mates(page))) == set(PAGES[1:8]) - {PAGES[3]}
    assert not near.memory.news.any()


def test_a_page_that_moves_has_other_neighbours(f, clock):
    for new in ("https://a.example/q/new", "https://b.example/q/new"):
        clock.advance(86400.0)
        batch = f.lease(1)
        f.complete(batch.tokens, status=301, moved_to=new)
        assert batch.urls[0] not in mates(f, new)
        assert mates(f, new) == ({url for url in f_urls(f) if url.startswith(new[:-3])} - {new})


def test_whatever_happens_during_a_snapshot_it_shows_the_folders_of_when_it_began(f, clock):
    rng = np.random.default_rng(2)
    for _ in range(30):
        before = {url: mates(f, url) for url in f_urls(f)}
        f._begin_snapshot()
        for _ in range(4):
            what = rng.integers(4)
            if what == 0:
                f.add([f"https://a.example/{rng.choice(list('pqrs'))}/{rng.integers(1 << 60)}"])
            elif what == 1:
                f.forget([str(rng.choice(f_urls(f)))])
            else:
                clock.advance(86400.0)
                batch = f.lease(3)
                moved = f"https://{rng.choice(list('ab'))}.example/{rng.choice(list('pq'))}/{rng.integers(1 << 60)}"
                f.complete(batch.tokens[:1], status=301, moved_to=moved)
                f.complete(batch.tokens[1:], changed=True, status=200)
            assert checking.problems(f._state) == []
        f._snapshotting.finish()
        f._snapshotting = None
        state = snapshot.load(dict(f._store.latest()[1]))
        assert checking.problems(state) == []
        there = np.flatnonzero(state.book.state[: len(state.pairing.learner)] != NONE)
        names = state.urls.texts(there)
        got = {url: set(state.urls.texts(state.neighbours.mates(there[k : k + 1]))) for k, url in enumerate(names)}
        assert got == before


def f_urls(f):
    state = f._state
    return state.urls.texts(np.flatnonzero(state.book.state[: len(state.pairing.learner)] != NONE))


def test_pages_that_are_forgotten_are_nobodys_neighbours(f):
    f.forget(PAGES[:4])
    assert mates(f, PAGES[4]) == set(PAGES[5:8])
    f.add(["https://a.example/p/other"])  # under a number that another page had
    assert mates(f, PAGES[4]) == {*PAGES[5:8], "https://a.example/p/other"}
