"""What every shelf promises."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.errors import InputError
from recrawl.store import MemoryShelf, Shelf


class OnDisk:
    def __init__(self, folder):
        self.folder = folder

    def open(self):
        return Shelf(self.folder)

    def reopened(self, shelf):
        shelf.close()
        return self.open()


class InMemory:
    def open(self):
        return MemoryShelf()

    def reopened(self, shelf):
        shelf.close()
        return shelf.reopened()


@pytest.fixture(params=["disk", "memory"])
def place(request, tmp_path):
    return OnDisk(tmp_path / "shelf") if request.param == "disk" else InMemory()


@pytest.fixture
def shelf(place):
    opened = place.open()
    yield opened
    opened.close()


def test_an_empty_shelf_has_nothing(shelf):
    assert (shelf.get("a", "b"), shelf.get_all("a", ["b", "c"]), list(shelf.items("a"))) == (None, [None, None], [])


def test_what_was_put_is_there_when_it_is_opened_again(place):
    shelf = place.open()
    shelf.put([("page", "https://a.example/", b"1"), ("page", "b", b""), ("host", "b", b"\x00" * 300_000)])
    shelf.put([("page", "b", b"2")])
    shelf = place.reopened(shelf)
    assert shelf.get_all("page", ["b", "nobody", "https://a.example/"]) == [b"2", None, b"1"]
    assert shelf.get("host", "b") == b"\x00" * 300_000
    shelf.close()


def test_none_deletes(place):
    shelf = place.open()
    shelf.put([("page", "a", b"1"), ("page", "b", b"2")])
    shelf.put([("page", "a", None), ("page", "never", None)])
    shelf = place.reopened(shelf)
    assert list(shelf.items("page")) == [("b", b"2")]
    shelf.close()


def test_of_two_with_one_name_the_last_counts(shelf):
    shelf.put([("page", "a", b"1"), ("page", "a", None), ("page", "a", b"3"), ("page", "b", b"4"), ("page", "b", None)])
    assert list(shelf.items("page")) == [("a", b"3")]


def test_items_come_in_order_of_key_and_after_one(shelf):
    keys = [f"{n:03d}" for n in range(200)] + ["z", "é", "\uffff", "\U0001f600", "a\x00b", "a"]
    shelf.put([("page", key, key.encode()) for key in keys])
    shelf.put([("pager", "050", b"of another kind")])
    expected = [(key, key.encode()) for key in sorted(keys)]
    assert list(shelf.items("page")) == expected
    assert list(shelf.items("page", after="120")) == expected[121:]
    assert list(shelf.items("page", after="1205")) == expected[121:]


def test_facts_are_put_while_items_are_read(shelf):
    shelf.put([("page", f"{n:03d}", b"") for n in range(150)])
    seen = []
    for key, _ in shelf.items("page"):
        shelf.put([("page", key, None)])
        seen.append(key)
    assert (len(seen), list(shelf.items("page"))) == (150, [])


def test_a_put_with_something_wrong_in_it_changes_nothing(shelf):
    shelf.put([("page", "a", b"1")])
    for wrong, why in [
        (("page", "", b""), "key must be a text that is not empty"),
        (("", "a", b""), "kind must be a text that is not empty"),
        (("page", "a", "text"), "must be bytes or None, got str"),
        (("page", "\ud800", b""), "UTF-8 can spell"),
    ]:
        with pytest.raises(InputError, match=why):
            shelf.put([("page", "a", b"2"), wrong])
    assert list(shelf.items("page")) == [("a", b"1")]


def test_threads_share_it(shelf):
    def work(name):
        for n in range(30):
            shelf.put([(name, f"{n:02d}", b"%d" % n)])
            shelf.get(name, "00")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in "abcd":
        assert len(list(shelf.items(name))) == 30


def test_a_closed_shelf_says_so(shelf):
    shelf.close()
    shelf.close()
    for call in (lambda: shelf.get("a", "b"), lambda: shelf.put([]), lambda: list(shelf.items("a"))):
        with pytest.raises(InputError, match="is closed; open it again"):
            call()


NAMES = st.sampled_from(["a", "b", "ä", "a/b"])
PUTS = st.lists(st.lists(st.tuples(NAMES, NAMES, st.none() | st.binary(max_size=8)), max_size=4), max_size=12)


@settings(max_examples=30, deadline=None)
@given(PUTS)
def test_the_twins_agree(tmp_path_factory, puts):
    with Shelf(tmp_path_factory.mktemp("shelf")) as disk, MemoryShelf() as memory:
        for items in puts:
            disk.put(items)
            memory.put(items)
        for kind in ["a", "b", "ä", "a/b"]:
            assert list(disk.items(kind)) == list(memory.items(kind))


def test_many_at_once_in_their_order_and_more_than_once(shelf):
    keys = [f"k{number}" for number in range(300)]
    shelf.put([("a", key, key.encode()) for key in keys[::2]])
    wanted = [*reversed(keys), "k0", "k1"]
    assert shelf.get_all("a", wanted) == [key.encode() if int(key[1:]) % 2 == 0 else None for key in wanted]
    assert shelf.get_all("a", []) == []
