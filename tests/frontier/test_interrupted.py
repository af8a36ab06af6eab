"""Ctrl-C in the middle of a call: nothing half done is kept, and nothing answered is lost."""

import numpy as np
import pytest

from recrawl.errors import RecrawlError
from recrawl.frontier import Frontier
from recrawl.frontier.checking import problems

URLS = [f"https://a.example/{k}" for k in range(10)]


@pytest.fixture
def f(tmp_path):
    frontier = Frontier.open(tmp_path / "data")
    frontier.add(URLS)
    frontier.lease(2)
    return frontier


def interrupt(monkeypatch, thing, name, *, first):
    """Have Ctrl-C pressed before a method does its work, or when it has done it."""
    work = getattr(thing, name)

    def interrupted(*args):
        if not first:
            work(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(thing, name, interrupted)


def calls(f):
    return {"lease": lambda: f.lease(3), "add": lambda: f.add("https://b.example/"), "signal": lambda: f.signal(URLS)}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("call", "name"),
    [("lease", "choose"), ("lease", "granted"), ("lease", "advance"), ("add", "apply"), ("signal", "apply")],
)
def test_the_next_to_open_finds_all_in_order(f, tmp_path, monkeypatch, call, name, first):
    interrupt(monkeypatch, f._state, name, first=first)
    with pytest.raises(KeyboardInterrupt), f:
        calls(f)[call]()
    with Frontier.open(tmp_path / "data") as again:
        assert problems(again._state) == []
        left = len(again) - again.statistics["leased"]
        assert len(again.lease(100)) == left


def test_every_call_is_refused_until_then(f, monkeypatch):
    interrupt(monkeypatch, f._state, "granted", first=True)
    with pytest.raises(KeyboardInterrupt):
        f.lease(3)
    with pytest.raises(RecrawlError, match="interrupted"):
        f.signal(URLS)
    f.close()


def test_a_snapshot_that_lost_a_part_is_not_kept(f, tmp_path, monkeypatch):
    f._begin_snapshot()
    f._snapshotting.step()
    interrupt(monkeypatch, f._snapshotting, "_put", first=True)
    with pytest.raises(KeyboardInterrupt), f:
        f.signal(URLS)
    with Frontier.open(tmp_path / "data") as again:
        assert len(again) == len(URLS)
        assert problems(again._state) == []


def test_a_fact_that_turns_out_to_be_impossible_does_not_stand_in_the_way_of_opening(f, tmp_path, monkeypatch):
    monkeypatch.setattr(f._state, "_signal", lambda _: {}["impossible"])
    with pytest.raises(KeyError):
        f.signal(URLS[0])
    with pytest.raises(RecrawlError, match="half way"):
        f.backup(tmp_path / "copy")
    f.close()
    with Frontier.open(tmp_path / "data") as again:
        assert (again.statistics.get("signals", 0), len(again.lease(100))) == (0, 8)


def test_nor_does_one_whose_writer_was_killed_before_it_could_cut_it(f, tmp_path):
    from recrawl.frontier.facts import Fact, encode

    nobody = Fact("request", {"now": f._time.now(), "key": None}, {"ids": np.array([999]), "counts": np.array([1.0])})
    f._store.append(encode([nobody]))
    f._store.close()
    f._closed = True
    with Frontier.open(tmp_path / "data") as again:
        assert "was left out" in again.notes[-1]
        assert len(again.lease(100)) == 8
    with Frontier.open(tmp_path / "data") as once_more:
        assert once_more.notes == []
