"""What is kept of the past, and that nobody needs it."""

import os
from pathlib import Path

import pytest

from recrawl.store import Group, MemoryStore, SqliteStore, check, salvage


def filled(store, rounds=4, groups=5, size=10):
    """Groups in rounds with a snapshot after each."""
    for _ in range(rounds):
        for _ in range(groups):
            store.append(bytes([store.last % 256]) * size)
        store.snapshot(store.rotate(), [("all", b"state")])
    store.append(b"end")
    return store


def everything(store):
    return [Group(n, b"end" if n == store.last else bytes([(n - 1) % 256]) * 10) for n in range(1, store.last + 1)]


@pytest.fixture(params=["disk", "memory"])
def opened(request, tmp_path):
    stores = []

    def make(**options):
        stores.append(SqliteStore(tmp_path / "data", **options) if request.param == "disk" else MemoryStore(**options))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


def test_all_groups_are_there_although_snapshots_stand_for_them(opened):
    store = filled(opened())
    assert list(store.history()) == everything(store)
    assert next(store.read(store.latest()[0])).data == b"end"


def test_without_history_only_what_is_needed_is_there(opened):
    store = filled(opened(history_bytes=0))
    numbers = [group.number for group in store.history()]
    assert numbers == list(range(numbers[0], store.last + 1))
    assert numbers[0] > 5


def test_the_oldest_go_first(opened):
    store = filled(opened(history_bytes=30_000), rounds=8, size=2_000)
    numbers = [group.number for group in store.history()]
    assert 1 < numbers[0] <= store.latest()[0]
    assert numbers == list(range(numbers[0], store.last + 1))


def test_no_more_bytes_are_kept_than_allowed(tmp_path):
    store = filled(SqliteStore(tmp_path, history_bytes=50_000), rounds=10, size=3_000)
    store.close()
    kept = sum(entry.stat().st_size for entry in os.scandir(tmp_path / "history"))
    assert 20_000 < kept <= 50_000


@pytest.fixture
def folder(tmp_path):
    filled(SqliteStore(tmp_path / "data")).close()
    return tmp_path / "data"


def test_a_folder_without_its_history_is_whole(folder, tmp_path):
    before = check(folder)
    assert before.is_good
    assert len(before.history) == 3
    for path in before.history:
        os.unlink(path)
    after = check(folder)
    assert after.is_good
    assert (after.history, after.history_bytes) == ([], 0)
    store = SqliteStore(folder)
    assert store.notes == []
    assert [group.number for group in store.history()] == list(range(16, 22))
    store.close()


@pytest.mark.parametrize("damage", ["nonsense", "middle", "empty"])
def test_a_damaged_file_of_the_past_is_only_named(folder, tmp_path, damage):
    path = check(folder).history[1]
    content = Path(path).read_bytes()
    middle = content.replace(bytes([6]) * 10, bytes([7]) * 10)
    assert middle != content
    Path(path).write_bytes({"nonsense": b"\xff" * len(content), "middle": middle, "empty": b""}[damage])
    assert check(folder).is_good
    store = SqliteStore(folder)
    assert store.notes == []
    numbers = [group.number for group in store.history()]
    assert numbers == [n for n in range(1, 22) if n not in ([7] if damage == "middle" else range(6, 11))]
    assert len(store.notes) == 1
    assert os.path.basename(path) in store.notes[0]
    store.backup(tmp_path / "copy", store.rotate())
    store.close()
    assert not (tmp_path / "copy" / "history").exists()
    salvage(folder, tmp_path / "saved")


def test_what_a_crash_left_of_deleting_goes_with_the_next_snapshot(folder):
    (folder / "history" / "journal-000000000000.db.tmp").write_bytes(b"half")
    store = filled(SqliteStore(folder))
    store.close()
    assert [name for name in os.listdir(folder / "history") if name.endswith("tmp")] == []


def test_where_the_past_cannot_be_kept_snapshots_go_on(tmp_path):
    store = SqliteStore(tmp_path)
    (tmp_path / "history").write_bytes(b"a file in its place")
    filled(store)
    assert store.latest()[0] == 20
    assert [group.number for group in store.history()] == list(range(16, 22))
    store.close()
