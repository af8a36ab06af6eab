"""What every store promises."""

import os
import queue
import threading

import pytest

from recrawl.errors import DataError, InputError, InUseError
from recrawl.store import Group, MemoryStore, SqliteStore


class OnDisk:
    def __init__(self, folder):
        self.folder = folder

    def open(self):
        return SqliteStore(self.folder)

    def reopened(self, store):
        store.close()
        return self.open()

    def take(self, store):
        """As a process does that puts a lock file of its own in place."""
        (self.folder / "mine").touch()
        os.replace(self.folder / "mine", self.folder / "lock")


class InMemory:
    def open(self):
        return MemoryStore()

    def reopened(self, store):
        store.close()
        return store.reopened()

    def take(self, store):
        store.reopened()


@pytest.fixture(params=["disk", "memory"])
def place(request, tmp_path):
    return OnDisk(tmp_path / "data") if request.param == "disk" else InMemory()


@pytest.fixture
def store(place):
    opened = place.open()
    yield opened
    opened.close()


def test_an_empty_store_has_nothing(store):
    assert (store.last, list(store.read(0)), store.latest()) == (0, [], None)


def test_groups_come_back_in_order(place):
    store = place.open()
    data = [b"", b"a", b"\x00" * 100_000]
    assert [store.append(d) for d in data] == [1, 2, 3]
    store = place.reopened(store)
    assert list(store.read(0)) == [Group(k + 1, d) for k, d in enumerate(data)]
    assert list(store.read(2)) == [Group(3, data[2])]
    assert list(store.read(3)) == []
    assert store.append(b"b") == 4
    store.close()


def test_a_snapshot_stands_for_the_groups_before_it(place):
    store = place.open()
    store.append(b"1"), store.append(b"2")
    store.snapshot(2, [("pages", b"p"), ("clock", b"c")])
    store.append(b"3")
    store = place.reopened(store)
    upto, parts = store.latest()
    assert (upto, dict(parts)) == (2, {"pages": b"p", "clock": b"c"})
    assert list(store.read(upto)) == [Group(3, b"3")]
    assert store.last == 3
    store.close()


def test_groups_are_appended_while_a_snapshot_is_made(place):
    store = place.open()
    store.append(b"1")

    def parts():
        yield "first", b"x" * 1000
        assert store.append(b"2") == 2
        yield "second", b"y"

    store.snapshot(1, parts())
    store = place.reopened(store)
    assert dict(store.latest()[1]) == {"first": b"x" * 1000, "second": b"y"}
    assert list(store.read(1)) == [Group(2, b"2")]
    store.close()


def test_a_snapshot_that_fails_leaves_the_one_before(place):
    store = place.open()
    store.append(b"1")
    store.snapshot(1, [("state", b"old")])
    store.append(b"2")

    def parts():
        yield "state", b"new"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        store.snapshot(2, parts())
    store = place.reopened(store)
    assert dict(store.latest()[1]) == {"state": b"old"}
    assert list(store.read(1)) == [Group(2, b"2")]
    assert store.append(b"3") == 3
    store.close()


def test_many_snapshots_one_after_the_other(place):
    store = place.open()
    for k in range(1, 6):
        assert store.append(bytes([k])) == k
        assert store.rotate() == k
        store.snapshot(k, [("state", bytes([k]))])
    store.snapshot(5, [("state", b"again")])
    store = place.reopened(store)
    assert store.latest()[0] == 5
    assert dict(store.latest()[1]) == {"state": b"again"}
    assert list(store.read(5)) == []
    store.close()


def test_groups_go_on_being_appended_after_a_rotation(place):
    store = place.open()
    assert store.rotate() == 0
    store.append(b"1")
    assert [store.rotate(), store.rotate()] == [1, 1]
    store.append(b"2")
    assert store.rotate() == 2
    assert list(store.read(0)) == [Group(1, b"1"), Group(2, b"2")]
    store = place.reopened(store)
    assert (store.last, list(store.read(1))) == (2, [Group(2, b"2")])
    assert store.append(b"3") == 3
    store.close()


def test_one_thread_appends_while_another_writes_a_snapshot(place):
    store = place.open()
    store.append(b"1")
    upto = store.rotate()
    slices = queue.Queue()
    writer = threading.Thread(target=store.snapshot, args=(upto, iter(slices.get, None)))
    writer.start()
    for k in range(2, 40):
        slices.put((f"part {k}", memoryview(bytes([k]) * 1000)))
        assert store.append(bytes([k])) == k
    assert store.latest() is None
    slices.put(None)
    writer.join()
    store = place.reopened(store)
    upto, parts = store.latest()
    assert (upto, dict(parts)) == (1, {f"part {k}": bytes([k]) * 1000 for k in range(2, 40)})
    assert list(store.read(1)) == [Group(k, bytes([k])) for k in range(2, 40)]
    store.close()


def test_a_part_may_be_any_bytes(store):
    store.snapshot(0, [("view", memoryview(b"abcd").cast("H")), ("none", memoryview(b"").cast("H"))])
    assert dict(store.latest()[1]) == {"view": b"abcd", "none": b""}


def test_a_name_given_twice_is_refused(store):
    with pytest.raises(InputError, match="different names, got 'a' twice"):
        store.snapshot(0, [("a", b"1"), ("a", b"2")])
    assert store.latest() is None


def test_a_snapshot_of_what_has_not_happened_is_refused(store):
    store.append(b"1")
    for wrong in (2, -1):
        with pytest.raises(InputError, match=rf"upto must be in \[0, 1\], got {wrong}"):
            store.snapshot(wrong, [])
    store.snapshot(1, [])
    with pytest.raises(InputError, match=r"upto must be in \[1, 1\], got 0"):
        store.snapshot(0, [])


def test_groups_that_are_not_there_any_more_are_refused(place):
    store = place.open()
    for _ in range(3):
        store.append(b"x")
        store.snapshot(store.rotate(), [])
    with pytest.raises(DataError, match="group 1 is missing"):
        list(store.read(0))
    store.close()


def test_a_writer_that_lost_its_place_writes_no_more(place):
    store = place.open()
    store.append(b"1")
    store.fence()

    def parts():
        yield "state", b"s"
        place.take(store)

    with pytest.raises(InUseError):
        store.snapshot(1, parts())
    for write in (store.fence, store.rotate, lambda: store.append(b"2")):
        with pytest.raises(InUseError, match="is in use by another process"):
            write()
    store = place.reopened(store)
    assert (store.latest(), list(store.read(0))) == (None, [Group(1, b"1")])
    store.close()


def test_each_writer_has_a_higher_token(place):
    store = place.open()
    tokens = [store.fence()]
    for _ in range(3):
        store = place.reopened(store)
        tokens.append(store.fence())
    assert tokens == sorted(set(tokens))
    store.close()


def test_a_closed_store_says_so(store):
    store.close()
    with pytest.raises(InputError, match="is closed"):
        store.append(b"1")


def test_the_last_group_can_be_cut(place):
    store = place.open()
    store.append(b"1"), store.append(b"2")
    store.cut()
    assert (store.last, list(store.read(0))) == (1, [Group(1, b"1")])
    assert store.append(b"3") == 2
    store = place.reopened(store)
    assert list(store.read(0)) == [Group(1, b"1"), Group(2, b"3")]
    store.close()


def test_what_a_snapshot_stands_for_cannot_be_cut(place):
    store = place.open()
    store.append(b"1")
    store.snapshot(store.rotate(), [("a", b"")])
    with pytest.raises(InputError, match="no group to cut"):
        store.cut()
    store.close()
