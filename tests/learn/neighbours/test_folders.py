"""Who is beside whom."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.learn import Learner
from recrawl.learn.neighbours.layout import IN_COMPANY, MOST
from recrawl.learn.neighbours.neighbours import Neighbours
from recrawl.pairing import Pairing
from recrawl.urls.folders import folder_ids, folder_keys, folder_of


def keys(*names):
    return np.array(names, dtype=np.uint64)


def beside(neighbours, page):
    return set(neighbours.mates(np.array([page])).tolist())


@pytest.mark.parametrize(
    ("page", "folder"),
    [
        ("https://a.example/docs/x.html", "https://a.example/docs/"),
        ("https://a.example/docs/x/", "https://a.example/docs/"),
        ("https://a.example/docs/x/index.md", "https://a.example/docs/"),
        ("https://a.example/x", "https://a.example/"),
        ("https://a.example/", "https://a.example/"),
        ("https://a.example/index.html", "https://a.example/"),
        ("https://a.example", "https://a.example/"),
        ("https://a.example/docs/x#a/b", "https://a.example/docs/"),
        ("https://a.example/item?id=1", "https://a.example/item?"),
        ("https://a.example?id=1", "https://a.example?"),
        ("https://a.example/a//b", "https://a.example/a//"),
        ("HTTPS://a.example/docs/x?y#z", "HTTPS://a.example/docs/x?"),
        ("content/en/docs/x.md", "content/en/docs/"),
        ("content/en/docs/x.md#2", "content/en/docs/"),
        ("content/index.md#3", ""),
        ("lang/c#/a.md", "lang/c#/"),
        ("lang/c#/a.md#2", "lang/c#/"),
        ("q?a/b.md", "q?a/"),
        ("why?.md", ""),
        ("#2", ""),
        ("content/index.md", ""),
        ("x.md", ""),
        ("", ""),
    ],
)
def test_the_folder_of_a_page(page, folder):
    assert folder_of(page) == folder


def test_paths_have_the_folders_of_their_directories():
    paths = ["lang/c#/a.md", "lang/c#/b.md", "lang/a.md", "lang/a.md#2", "q?a/b.md", "q?b/b.md"]
    assert folder_ids(paths).tolist() == [1, 1, 0, 0, 2, 3]
    keys = folder_keys(paths).tolist()
    assert [keys.index(key) for key in keys] == [0, 0, 2, 2, 4, 5]


def test_pages_of_one_folder_have_one_key_and_no_key_is_none():
    found = folder_keys(["https://a.example/d/x", "https://a.example/d/y", "https://b.example/d/x", "\ud800/x"])
    assert found[0] == found[1]
    assert len(set(found.tolist())) == 3
    assert 0 not in found


def test_a_folder_that_is_full_is_followed_by_another():
    neighbours = Neighbours()
    neighbours.join(np.arange(MOST + 3), np.full(MOST + 3, 5, dtype=np.uint64))
    assert beside(neighbours, 0) == set(range(1, MOST))
    assert beside(neighbours, MOST) == {MOST + 1, MOST + 2}


def test_pages_of_no_folder_have_no_neighbours():
    neighbours = Neighbours()
    neighbours.join(np.arange(3), keys(0, 0, 9))
    assert not beside(neighbours, 0)
    assert not beside(neighbours, 2)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.integers(0, 19), min_size=1, unique=True), st.integers(0, 4)), max_size=30
    )
)
def test_folders_are_what_sets_of_pages_would_be(steps):
    neighbours, expected = Neighbours(), {}
    neighbours.make_room(20, 0)
    for joins, pages, key in steps:
        ids = np.array(pages)
        if joins:
            neighbours.join(ids, np.full(len(ids), key, dtype=np.uint64))
            expected |= dict.fromkeys(pages, key)
        else:
            neighbours.leave(ids)
            for page in pages:
                expected.pop(page, None)
        for page in range(20):
            key_of = expected.get(page, 0)
            mates = {other for other, its in expected.items() if its == key_of != 0 and other != page}
            assert beside(neighbours, page) == mates
        assert neighbours.problems(np.arange(20)) == []
        sizes = [sum(its == k for its in expected.values()) for k in range(1, 5)]
        assert neighbours.memory.numbers[IN_COMPANY] == sum(size for size in sizes if size > 1)


def test_what_was_kept_is_restored():
    neighbours = Neighbours()
    neighbours.join(np.arange(200), np.random.default_rng(0).integers(0, 40, 200).astype(np.uint64))
    neighbours.leave(np.arange(50, 60))
    again = Neighbours.restored(neighbours.by_page(slice(0, 200)), neighbours.others(0))
    new = np.arange(200, 230)
    for each in (neighbours, again):
        each.join(new, np.arange(1, 31).astype(np.uint64))
    assert again.problems(np.arange(230)) == neighbours.problems(np.arange(230)) == []
    assert [beside(again, page) for page in range(230)] == [beside(neighbours, page) for page in range(230)]


def test_folders_that_all_pages_left_serve_others():
    neighbours = Neighbours()
    neighbours.make_room(40, 0)
    for k in range(2000):
        ids = np.arange(20) + 20 * (k % 2)
        neighbours.join(ids, (np.arange(20) // 2 + 10 * k + 1).astype(np.uint64))
        neighbours.leave((ids + 20) % 40)
    assert len(neighbours.memory.size) < 200  # 20,000 folders were used
    assert len(neighbours.memory.keys) <= 256
    assert neighbours.problems(np.arange(40)) == []
    assert beside(neighbours, int(ids[0])) == {ids[1]}


def test_what_is_wrong_with_folders_is_said():
    def broken(change):
        neighbours = Neighbours()
        neighbours.join(np.arange(6), keys(1, 1, 1, 2, 2, 0))
        assert neighbours.problems(np.arange(6)) == []
        change(neighbours.memory)
        return neighbours.problems(np.arange(6))

    def two_rings(memory):
        memory.after[:3] = [1, 0, 2]

    def another_size(memory):
        memory.size[1] = 3

    def another_folder(memory):
        memory.folder[4] = 0

    def another_first(memory):
        memory.first[0] = 3

    def another_count(memory):
        memory.numbers[IN_COMPANY] = 4

    for change in (two_rings, another_size, another_folder, another_first, another_count):
        assert broken(change), change.__name__


@pytest.mark.parametrize("folders", [[1], [-1, 1, 1], [0.5, 1, 1], "abc", [[1, 1, 1]], [1 << 64, 1, 1]])
def test_folders_of_new_pages_are_checked_before_anything_changes(folders):
    learner = Learner(2, now=0.0)
    pairing = Pairing(Scheduler(learner.pages()), learner, neighbours=Neighbours())
    for call in (
        lambda: pairing.add(3, 1.0, folders=folders),
        lambda: pairing.refolder([0, 1], folders if folders != [1] else [1, 2, 3], 1.0),
    ):
        with pytest.raises(InputError, match="folders must be"):
            call()
    assert len(pairing) == len(pairing.learner) == 2
    assert pairing.add(3, 1.0, folders=[7, 7, 0]).tolist() == [2, 3, 4]
    assert beside(pairing.neighbours, 2) == {3}


@pytest.mark.parametrize(
    ("ids", "now", "message"),
    [
        ([0], 1.0, "now must be a finite time and not before 2"),
        ([0], np.nan, "now must be a finite time"),
        ([2], 3.0, "ids must be those of pages, got 2"),
        ([0, 9], 3.0, "ids must be those of pages, got 9"),
        ([0, 0], 3.0, "got 0 more than once"),
    ],
)
def test_a_refused_change_of_folders_changes_nothing(ids, now, message):
    learner = Learner(3, now=0.0)
    pairing = Pairing(Scheduler(learner.pages()), learner, neighbours=Neighbours())
    pairing.refolder([0, 1], [7, 7], 2.0)
    pairing.remove([2])
    with pytest.raises(InputError, match=message):
        pairing.refolder(ids, [8] * len(ids), now)
    assert beside(pairing.neighbours, 0) == {1}
    assert pairing.neighbours.problems(np.arange(2)) == []
