"""What every store promises."""

import pytest

from recrawl.store import Group, MemoryStore, SqliteStore


class OnDisk:
    def __init__(self, folder):
        self.folder = folder

    def open(self):
        return SqliteStore(self.folder)

    def reopened(self, store):
        store.close()
        return self.open()


class InMemory:
    def open(self):
        return MemoryStore()

    def reopened(self, store):
        store.close()
        return store


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
        store.snapshot(k, [("state", bytes([k]))])
    store.snapshot(5, [("state", b"again")])
    store = place.reopened(store)
    assert store.latest()[0] == 5
    assert dict(store.latest()[1]) == {"state": b"again"}
    assert list(store.read(5)) == []
    store.close()
