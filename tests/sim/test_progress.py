"""How far a run is, told from inside it."""

import io

import pytest

import recrawl
from recrawl.bench.mix import paper_mix
from recrawl.sim import compare, repeat
from recrawl.sim.progress import heard_by, part, tell
from recrawl.sim.workers import in_order

PAGES = paper_mix(50)
MANY = 300.0
"""A horizon of more crawls than one stretch has, at a rate of 50."""


@pytest.mark.parametrize("policy", ["greedy-ncis", "uniform", "greedy-ncis:learn"])
def test_a_run_says_how_far_it_is(policy):
    heard = []
    with heard_by(heard.append):
        recrawl.simulate(PAGES, policy, 50.0, MANY)
    assert len(heard) > 2
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


@pytest.mark.parametrize("policy", ["greedy-ncis", "lds", "greedy-ncis:learn"])
def test_stretches_change_nothing(policy, monkeypatch):
    whole = recrawl.simulate(PAGES, policy, 50.0, 40.0, discard=0.01)
    monkeypatch.setattr("recrawl.sim.progress.LEAST_MOMENTS", 7)
    monkeypatch.setattr("recrawl.sim.progress.STEPS", 1000)
    assert recrawl.simulate(PAGES, policy, 50.0, 40.0, discard=0.01).crawl_pages.tolist() == whole.crawl_pages.tolist()


def test_policies_are_parts_of_a_repetition():
    heard = []
    with heard_by(heard.append):
        in_world = compare(PAGES, ["greedy", "uniform"], 50.0, MANY, repetitions=1, workers=1)
    assert in_world.policies == ("greedy", "uniform")
    # `compare` listens itself, for its bar: nothing reaches those outside
    assert heard == []


def half_way(task):
    for k in range(4):
        with part(k, 4):
            tell(0.5)
    return task


@pytest.mark.parametrize("workers", [1, 2])
def test_parts_of_tasks_are_counted(workers):
    heard = []
    assert list(in_order(half_way, [1, 2, 3, 4], workers, heard.append)) == [1, 2, 3, 4]
    assert heard[:3] == [0.125, 0.25, 0.375]
    assert all(0.0 <= done <= 4.0 for done in heard)


def test_a_bar_moves_within_a_single_repetition(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    repeat(half_way, 1, workers=1)
    assert all(f"{share}%" in shown.getvalue() for share in (12, 25, 50, 100))
