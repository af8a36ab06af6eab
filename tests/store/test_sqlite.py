"""What the store on disk does on a bad day."""

import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from recrawl import DataError, RecrawlError
from recrawl.errors import InUseError, StoreFullError
from recrawl.store import SqliteStore

WRITER = """
import sys, threading
from recrawl.store import SqliteStore
store = SqliteStore(sys.argv[1])
number = store.last
writer = None
while True:
    number = store.append(b"%d" % (number + 1) * 50)
    print(number, flush=True)
    if number % 20 == 0 and (writer is None or not writer.is_alive()):
        upto = store.rotate()
        parts = [("upto", b"%d" % upto), ("pages", bytes(3_000_000))]
        writer = threading.Thread(target=store.snapshot, args=(upto, parts))
        writer.start()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path):
    acknowledged = 0
    for turn in range(6):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE) as writer:
            for _ in range(7 + 13 * turn):  # before, in and after snapshots
                line = writer.stdout.readline()
                assert line, "the writer died by itself"
                acknowledged = int(line)
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().split()
            acknowledged = int(rest[-1]) if rest else acknowledged
        store = SqliteStore(tmp_path)
        upto, parts = store.latest() or (0, {"upto": b"0"})
        groups = list(store.read(upto))
        assert store.last >= acknowledged
        assert int(parts["upto"]) == upto
        assert [g.number for g in groups] == list(range(upto + 1, store.last + 1))
        assert all(g.data == b"%d" % g.number * 50 for g in groups)
        store.close()


def test_a_second_process_is_refused(tmp_path):
    store = SqliteStore(tmp_path)
    with pytest.raises(InUseError, match=f"is in use by process {os.getpid()}"):
        SqliteStore(tmp_path)
    store.close()
    SqliteStore(tmp_path).close()


def journals(folder):
    return sorted(folder.glob("journal-*.db"))


def test_a_damaged_group_is_refused_by_name(tmp_path):
    store = SqliteStore(tmp_path)
    for k in range(3):
        store.append(b"%d" % k)
    store.close()
    with sqlite3.connect(journals(tmp_path)[0]) as journal:
        journal.execute("UPDATE groups SET data = ? WHERE number = 2", (b"x",))
    journal.close()
    store = SqliteStore(tmp_path)
    with pytest.raises(DataError, match=r"checksum of group 2 does not match; recrawl check .* says what can be saved"):
        list(store.read(0))
    store.close()


def test_a_missing_group_is_refused_by_name(tmp_path):
    store = SqliteStore(tmp_path)
    for k in range(3):
        store.append(b"%d" % k)
    store.close()
    with sqlite3.connect(journals(tmp_path)[0]) as journal:
        journal.execute("DELETE FROM groups WHERE number = 2")
    journal.close()
    store = SqliteStore(tmp_path)
    with pytest.raises(DataError, match="group 2 is missing"):
        list(store.read(0))
    store.close()


def test_a_journal_that_is_no_database_is_refused_by_name(tmp_path):
    store = SqliteStore(tmp_path)
    store.append(b"1" * 10_000)
    store.close()
    path = journals(tmp_path)[0]
    path.write_bytes(b"no database at all" * 1000)
    with pytest.raises(DataError, match=f"{path.name}: is damaged"):
        SqliteStore(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "flip", "line", "more", "name"])
def test_a_damaged_snapshot_is_refused_by_name(tmp_path, damage):
    store = SqliteStore(tmp_path)
    store.append(b"1")
    store.snapshot(1, [("state", b"s" * 1000), ("more", b"m")])
    store.close()
    path = next(tmp_path.glob("snapshot-*"))
    data = path.read_bytes()
    if damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "flip":
        path.write_bytes(data.replace(b"ssss", b"ssst", 1))
    elif damage == "line":
        path.write_bytes(data.replace(b'"parts": 2', b'"parts": 3'))
    elif damage == "more":
        path.write_bytes(data + b"x")
    else:
        store = SqliteStore(tmp_path)
        store.append(b"2")
        store.close()
        path = path.rename(tmp_path / "snapshot-000000000002")
    store = SqliteStore(tmp_path)
    with pytest.raises(DataError, match=f"{path.name}.*is damaged"):
        store.latest()
    store.close()


def test_files_that_a_crash_left_half_done_are_removed(tmp_path):
    store = SqliteStore(tmp_path)
    store.append(b"1")
    store.close()
    half = [".snapshot-000000000001.17-ab.tmp", "journal-000000000001.db.tmp", "journal-000000000001.db.tmp-wal"]
    for name in [*half, "journal-000000000009.db-wal", "mine.tmp"]:
        (tmp_path / name).write_bytes(b"half")
    store = SqliteStore(tmp_path)
    assert (store.latest(), store.last) == (None, 1)
    store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal-000000000000.db", "lock", "mine.tmp"]


def test_old_files_go(tmp_path):
    store = SqliteStore(tmp_path)
    for _ in range(29):
        store.append(b"x")
        store.snapshot(store.rotate(), [("state", b"")])
    store.close()
    names = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    kept = ["snapshot-000000000028", "snapshot-000000000029"]
    assert names == ["journal-000000000028.db", "journal-000000000029.db", "lock", *kept]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
def test_a_full_disk_refuses_and_loses_nothing(tmp_path):
    program = """
import resource, signal, sys
from recrawl.errors import StoreFullError
from recrawl.store import SqliteStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
last = 0
try:
    while True:
        last = store.append(b"x" * 5_000)
except StoreFullError as error:
    assert "disk is full" in str(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert store.append(b"after") == last + 1
assert [g.number for g in store.read(0)] == list(range(1, last + 2))
print(last)
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    store = SqliteStore(tmp_path)
    assert store.last == int(done.stdout) + 1
    store.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
def test_a_snapshot_that_finds_no_room_leaves_the_one_before_and_appending_goes_on(tmp_path):
    program = """
import os, resource, signal, sys
from recrawl.errors import StoreFullError
from recrawl.store import SqliteStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore(sys.argv[1])
store.append(b"1")
store.snapshot(store.rotate(), [("state", b"old")])
store.append(b"2")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
upto = store.rotate()
try:
    store.snapshot(upto, [("state", bytes(100_000)), ("more", bytes(10_000_000))])
except StoreFullError as error:
    print(error)
assert not [name for name in os.listdir(sys.argv[1]) if "tmp" in name]
store.append(b"3")
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=False, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    expected = f"{tmp_path} cannot take a snapshot of group 2 (the one of group 1 and the journal since stay): the disk"
    assert done.stdout.startswith(expected)
    store = SqliteStore(tmp_path)
    assert (store.latest(), list(store.read(1))) == ((1, {"state": b"old"}), [(2, b"2"), (3, b"3")])
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_forked_process_does_not_write(tmp_path):
    program = """
import os, sys
from recrawl.errors import InUseError
from recrawl.store import SqliteStore
store = SqliteStore(sys.argv[1])
if os.fork() == 0:
    try:
        store.append(b"of the child")
    except InUseError:
        os._exit(7)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.wait()[1]), store.append(b"of the parent"))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=False, capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("7 1\n", "")


def test_a_rotation_that_fails_halfway_loses_nothing(tmp_path, monkeypatch):
    def fails(path):
        raise StoreFullError(str(tmp_path))

    store = SqliteStore(tmp_path)
    store.append(b"1")
    with monkeypatch.context() as full:
        full.setattr("recrawl.store.sqlite.JournalFile", fails)
        with pytest.raises(StoreFullError):
            store.rotate()
    assert store.append(b"2") == 2
    store.close()
    assert len(journals(tmp_path)) == 1
    store = SqliteStore(tmp_path)
    assert list(store.read(0)) == [(1, b"1"), (2, b"2")]
    store.close()


def test_errors_are_of_the_package():
    assert issubclass(InUseError, RecrawlError)
    assert issubclass(StoreFullError, RecrawlError)
