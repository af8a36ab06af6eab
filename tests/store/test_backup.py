"""Copies of a store that goes on."""

import signal
import sys
import threading

import pytest

from recrawl.errors import InputError
from recrawl.store import Group, MemoryStore, SqliteStore, check
from tests.processes import finished


@pytest.fixture(params=["disk", "memory"])
def store(request, tmp_path):
    opened = SqliteStore(tmp_path / "data") if request.param == "disk" else MemoryStore()
    yield opened
    opened.close()


def content(folder):
    store = SqliteStore(folder)
    found = store.latest(), list(store.read(0 if store.latest() is None else store.latest()[0])), store.notes
    goes_on = store.append(b"more")
    store.close()
    assert check(folder).is_good
    return *found, goes_on


def test_without_a_snapshot_the_journal_is_copied(store, tmp_path):
    store.append(b"1")
    store.rotate()
    store.append(b"2")
    store.backup(tmp_path / "copy", store.rotate())
    store.append(b"3")
    assert content(tmp_path / "copy") == (None, [Group(1, b"1"), Group(2, b"2")], [], 3)
    assert list(store.read(0)) == [Group(1, b"1"), Group(2, b"2"), Group(3, b"3")]


def test_with_a_snapshot_it_is_copied_and_what_follows(store, tmp_path):
    for k in (1, 2, 3):
        store.append(b"%d" % k)
        store.snapshot(store.rotate(), [("state", b"%d" % k)])
    store.append(b"4")
    upto = store.rotate()
    store.append(b"5")
    store.backup(tmp_path / "copy", upto)
    assert content(tmp_path / "copy") == ((3, {"state": b"3"}), [Group(4, b"4")], [], 5)


def test_an_empty_store_can_be_copied(store, tmp_path):
    (tmp_path / "copy").mkdir()
    store.backup(tmp_path / "copy", store.rotate())
    assert content(tmp_path / "copy") == (None, [], [], 1)


def test_a_snapshot_of_the_very_moment_is_enough(store, tmp_path):
    store.snapshot(0, [("state", b"0")])
    store.backup(tmp_path / "copy", 0)
    assert content(tmp_path / "copy") == ((0, {"state": b"0"}), [], [], 1)


def test_nothing_is_written_over(store, tmp_path):
    for name in ("copy", "other.incomplete"):
        (tmp_path / name).mkdir()
    (tmp_path / "copy" / "mine").touch()
    with pytest.raises(InputError, match="target must be a new folder, or an empty one"):
        store.backup(tmp_path / "copy", store.rotate())
    with pytest.raises(InputError, match=r"other\.incomplete is there"):
        store.backup(tmp_path / "other", store.rotate())


def test_a_number_that_is_no_more_is_refused(store, tmp_path):
    for _ in range(4):
        store.append(b"x")
        store.snapshot(store.rotate(), [])
    for wrong in (1, 5):
        with pytest.raises(InputError, match=f"upto must be what rotate\\(\\) gave last, got {wrong}"):
            store.backup(tmp_path / "copy", wrong)
    assert not list(tmp_path.glob("copy*"))


def test_groups_and_snapshots_go_on_meanwhile(store, tmp_path):
    expected = 0
    for turn in range(5):
        for _ in range(50):
            expected = store.append(b"%d" % (expected + 1) * 20)
        upto = store.rotate()
        copier = threading.Thread(target=store.backup, args=(tmp_path / f"copy {turn}", upto))
        writer = threading.Thread(target=store.snapshot, args=(upto, [("upto", b"%d" % upto)]))
        for thread in (copier, writer):
            thread.start()
        while (copier.is_alive() or writer.is_alive()) and expected < upto + 1000:
            expected = store.append(b"%d" % (expected + 1) * 20)
        for thread in (copier, writer):
            thread.join()
        copy = SqliteStore(tmp_path / f"copy {turn}")
        start = copy.latest()[0] if copy.latest() else 0
        assert copy.last == upto
        assert list(copy.read(start)) == [Group(n, b"%d" % n * 20) for n in range(start + 1, upto + 1)]
        copy.close()


def test_a_backup_that_is_killed_is_recognisably_incomplete(tmp_path):
    program = """
import os, sys
from recrawl.store import SqliteStore
store = SqliteStore(sys.argv[1] + "/data")
store.append(b"1")
os.rename = lambda *paths: os.kill(os.getpid(), 9)
store.backup(sys.argv[1] + "/copy", store.rotate())
"""
    assert finished([sys.executable, "-c", program, str(tmp_path)]).returncode == -signal.SIGKILL
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.incomplete", "data"]


def test_a_backup_that_fails_leaves_nothing(tmp_path):
    store = SqliteStore(tmp_path / "data")
    store.append(b"1" * 100_000)
    upto = store.rotate()
    program = """
import resource, signal, sys
from recrawl.errors import StoreFullError
from recrawl.store.copies import copy
from recrawl.store.folder import Folder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
try:
    copy(Folder(sys.argv[1] + "/data"), sys.argv[1] + "/copy", int(sys.argv[2]))
except StoreFullError as error:
    print(error)
"""
    store.close()
    done = finished([sys.executable, "-c", program, str(tmp_path), str(upto)])
    assert done.stdout.startswith(f"{tmp_path}/copy cannot take a copy: the disk is full"), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
